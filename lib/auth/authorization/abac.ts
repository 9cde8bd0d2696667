// Attribute-based access control, `--authorization-mode=ABAC`: a policy file with one JSON object per line, each of
// which allows a user or group some requests. Lines without apiVersion have the v0 form, in which absent fields match
// everything. As pkg/auth/authorizer/abac and pkg/apis/abac.
import { isJsonObject, quote } from '../../core/index.js';
import type { Frozen, JsonObject } from '../../core/index.js';
import type { NonResourceRule, ResourceRule, UserInfo } from '../../core/types/index.js';
import type { AccessAttributes, AccessRules, Authorizer, Decision } from '../authorizer.js';
import { urlMatches } from '../rbac/rule-matching.js';
import { allAuthenticated } from '../system-users.js';

/** Parses a policy file. Throws SyntaxError that names the invalid line. */
export function abac(text: string): Authorizer {
  const policies = text.split('\n').flatMap((line, index) => policyAt(line.trim(), index + 1));
  const authorizer = (attributes: AccessAttributes): readonly Decision[] =>
    policies.some((policy) => allows(policy, attributes)) ? allowed : unmatched;
  authorizer.rules = (user: Frozen<UserInfo>, namespace: string): readonly AccessRules[] => [
    rulesOf(policies, user, namespace),
  ];
  return authorizer;
}

const allowed: readonly Decision[] = Object.freeze([Object.freeze({ decision: 'allow', reason: '' })]);
const unmatched: readonly Decision[] = Object.freeze([
  Object.freeze({ decision: 'noOpinion', reason: 'No policy matched.' }),
]);

/** A policy; `*` matches everything, the empty string matches nothing. */
interface Policy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

function allows(policy: Policy, attributes: AccessAttributes): boolean {
  return (
    isAbout(policy, attributes.user) &&
    (!policy.readonly || readVerbs.includes(attributes.verb)) &&
    covers(policy, attributes)
  );
}

/** Returns true if the policy's user and group, as far as they are given, both match. */
function isAbout({ user, group }: Policy, { username, groups = [] }: Frozen<UserInfo>): boolean {
  if (user === '' && group === '') return false;
  return (
    (user === '' || user === '*' || user === username) && (group === '' || group === '*' || groups.includes(group))
  );
}

/** Matches resources without regard to subresources. */
function covers(policy: Policy, { isResource, path, group, resource, namespace }: AccessAttributes): boolean {
  if (isResource)
    return (
      matches(policy.namespace, namespace) && matches(policy.resource, resource) && matches(policy.apiGroup, group)
    );
  return urlMatches(policy.nonResourcePath, path);
}

function matches(pattern: string, value: string): boolean {
  return pattern === '*' || pattern === value;
}

function rulesOf(policies: readonly Policy[], user: Frozen<UserInfo>, namespace: string): AccessRules {
  const applying = policies.filter((policy) => isAbout(policy, user) && matches(policy.namespace, namespace));
  const verbs = (policy: Policy): string[] => (policy.readonly ? [...readVerbs] : ['*']);
  return {
    resourceRules: applying
      .filter(({ resource }) => resource !== '')
      .map((policy): ResourceRule => ({
        verbs: verbs(policy),
        apiGroups: [policy.apiGroup],
        resources: [policy.resource],
      })),
    nonResourceRules: applying
      .filter(({ nonResourcePath }) => nonResourcePath !== '')
      .map((policy): NonResourceRule => ({ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
    incomplete: false,
  };
}

const readVerbs: readonly string[] = ['get', 'list', 'watch'];

function policyAt(line: string, number: number): readonly Policy[] {
  if (line === '' || line.startsWith('#')) return [];
  try {
    const document: unknown = JSON.parse(line);
    if (!isJsonObject(document)) throw new SyntaxError('a policy is an object');
    return [policyOf(document)];
  } catch (error) {
    throw new SyntaxError(
      `error reading policy file, line ${number}: ${line}: ${error instanceof Error ? error.message : ''}`,
      { cause: error },
    );
  }
}

function policyOf(document: JsonObject): Policy {
  const apiVersion = textOf(document, 'apiVersion');
  const kind = textOf(document, 'kind');
  if (apiVersion === `${policyGroup}/v1beta1` && kind === 'Policy') return currentPolicy(document);
  if ((apiVersion === '' || apiVersion === `${policyGroup}/v0`) && (kind === '' || kind === 'Policy'))
    return oldestPolicy(document);
  throw new SyntaxError(`no kind ${quote(kind)} is registered for version ${quote(apiVersion)}`);
}

const policyGroup = 'abac.authorization.kubernetes.io';

function currentPolicy(document: JsonObject): Policy {
  const spec = Object.hasOwn(document, 'spec') ? document.spec : {};
  if (!isJsonObject(spec)) throw new SyntaxError('spec is an object');
  return {
    user: textOf(spec, 'user'),
    group: textOf(spec, 'group'),
    readonly: flagOf(spec, 'readonly'),
    apiGroup: textOf(spec, 'apiGroup'),
    resource: textOf(spec, 'resource'),
    namespace: textOf(spec, 'namespace'),
    nonResourcePath: textOf(spec, 'nonResourcePath'),
  };
}

function oldestPolicy(document: JsonObject): Policy {
  const user = textOf(document, 'user');
  const group = textOf(document, 'group');
  const namespace = textOf(document, 'namespace');
  const resource = textOf(document, 'resource');
  const isAnybody = (user === '' && group === '') || user === '*' || group === '*';
  return {
    user: isAnybody ? '' : user,
    group: isAnybody ? allAuthenticated : group,
    readonly: flagOf(document, 'readonly'),
    apiGroup: '*',
    resource: resource === '' ? '*' : resource,
    namespace: namespace === '' ? '*' : namespace,
    nonResourcePath: namespace === '' && resource === '' ? '*' : '',
  };
}

function textOf(document: JsonObject, name: string): string {
  const value = Object.hasOwn(document, name) ? document[name] : undefined;
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new SyntaxError(`${name} is a text`);
}

function flagOf(document: JsonObject, name: string): boolean {
  const value = Object.hasOwn(document, name) ? document[name] : undefined;
  if (value === undefined || value === null || typeof value === 'boolean') return value === true;
  throw new SyntaxError(`${name} is true or false`);
}
