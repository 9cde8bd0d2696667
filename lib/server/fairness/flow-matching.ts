// Which requests belong to a FlowSchema. Asked for every request from the wire, of one schema after the other, so the
// lists of a schema are made into sets once. As apiserver/pkg/util/flowcontrol/rule.go.
import type { RequestInfo } from '../../client/index.js';
import type { Frozen } from '../../core/index.js';
import type { FlowSchemaSpec, NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule, Subject, UserInfo } from '../../core/types/index.js';

/** Whether a request belongs to a schema. */
export type FlowMatcher = (info: RequestInfo, user: Frozen<UserInfo>) => boolean;

/** Makes the matcher of a schema. */
export function flowMatcher({ rules = [] }: Frozen<FlowSchemaSpec>): FlowMatcher {
  const matchers = rules.map(ruleMatcher);
  return (info, user) => {
    for (const matches of matchers) if (matches(info, user)) return true;
    return false;
  };
}

function ruleMatcher({ subjects, resourceRules = [], nonResourceRules = [] }: Frozen<PolicyRulesWithSubjects>): FlowMatcher {
  const isSubject = subjectMatcher(subjects);
  const resources = resourceRules.map(resourceMatcher);
  const paths = nonResourceRules.map(pathMatcher);
  return (info, user) => {
    if (!isSubject(user)) return false;
    for (const matches of info.isResource ? resources : paths) if (matches(info)) return true;
    return false;
  };
}

function subjectMatcher(subjects: readonly Frozen<Subject>[]): (user: Frozen<UserInfo>) => boolean {
  const users = new Set<string>();
  const groups = new Set<string>();
  const prefixes: string[] = [];
  for (const { kind, user, group, serviceAccount } of subjects) {
    if (kind === 'User' && user !== undefined) users.add(user.name);
    if (kind === 'Group' && group !== undefined) groups.add(group.name);
    if (kind !== 'ServiceAccount' || serviceAccount === undefined) continue;
    const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
    if (serviceAccount.name === '*') prefixes.push(prefix);
    else users.add(prefix + serviceAccount.name);
  }
  if (users.has('*') || groups.has('*')) return () => true;
  return ({ username = '', groups: memberships = [] }) => {
    if (users.size > 0 && users.has(username)) return true;
    if (groups.size > 0) for (const group of memberships) if (groups.has(group)) return true;
    for (const prefix of prefixes) if (username.startsWith(prefix)) return true;
    return false;
  };
}

function resourceMatcher(rule: Frozen<ResourcePolicyRule>): (info: RequestInfo) => boolean {
  const [isVerb, isResource, isGroup] = [oneOf(rule.verbs), oneOf(rule.resources), oneOf(rule.apiGroups)];
  const isNamespace = oneOf(rule.namespaces ?? []);
  const clusterScope = rule.clusterScope === true;
  return ({ verb, resource, subresource, group, namespace }) => {
    if (!isVerb(verb) || !isGroup(group) || !isResource(subresource === '' ? resource : `${resource}/${subresource}`)) return false;
    return namespace === '' ? clusterScope : isNamespace(namespace);
  };
}

function pathMatcher({ verbs, nonResourceURLs }: Frozen<NonResourcePolicyRule>): (info: RequestInfo) => boolean {
  const isVerb = oneOf(verbs);
  const patterns = nonResourceURLs.map((pattern) => ({ pattern, prefix: pattern.replace(/\*$/, '').replace(/([^/])$/, '$1/') }));
  return ({ verb, path }) => isVerb(verb) && patterns.some(({ pattern, prefix }) => pattern === '*' || pattern === path || path.startsWith(prefix));
}

/** A star stands for everything where it stands alone. */
function oneOf(values: readonly string[]): (value: string) => boolean {
  if (values.length === 1 && values[0] === '*') return () => true;
  const set = new Set(values);
  return (value) => set.has(value);
}
