// Which requests are recorded and how detailed: a policy as `--audit-policy-file` takes it, validated once and compiled
// into a function. The first rule that matches decides; without one nothing is recorded. As
// apiserver/pkg/audit/policy/checker.go and pkg/apis/audit/validation/validation.go.
import type { AccessAttributes } from '../../auth/index.js';
import {
  fieldErrorsText,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  nameIsDnsSubdomain,
} from '../../core/index.js';
import type { FieldError, FieldPath, ObjectMeta } from '../../core/index.js';

/** The level of detail: nothing, metadata, also the request body, also the response. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** The stage of an event: on arrival, when a long-running response starts, at the end, or on failure of the server. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** Policy of audit.k8s.io/v1. */
export interface AuditPolicy {
  readonly kind?: 'Policy';
  readonly apiVersion?: 'audit.k8s.io/v1';
  readonly metadata?: ObjectMeta;
  /** Rules; the first that matches decides. */
  readonly rules: readonly AuditRule[];
  /** Stages without events, for all rules. */
  readonly omitStages?: readonly AuditStage[];
  /** Omits managedFields; a rule may override it. */
  readonly omitManagedFields?: boolean;
}

/** A rule. All of its conditions must match; an absent condition matches everything. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly AuditResources[];
  /** Namespaces; the empty string matches requests without one. */
  readonly namespaces?: readonly string[];
  /** Paths; a trailing `*` matches any suffix. */
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/**
 * Resources of a group: `pods`, `pods/log`, all subresources with a star after the slash, one subresource of all
 * resources with a star before it, everything with `*`.
 */
export interface AuditResources {
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What is recorded of one request. */
export interface AuditTerms {
  readonly level: AuditLevel;
  readonly omits: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** The attributes of a request; without a user where its credentials were refused. */
export type AuditedRequest = Omit<AccessAttributes, 'user'> & Partial<Pick<AccessAttributes, 'user'>>;

/**
 * Compiles a policy into a function that returns what to record of a request; undefined for nothing. Throws RangeError
 * where the policy is invalid.
 */
export function auditTerms(policy: AuditPolicy): (request: AuditedRequest) => AuditTerms | undefined {
  const errors = policyErrors(policy);
  if (errors.length > 0) throw new RangeError(`audit policy: ${fieldErrorsText(errors)}`);
  const rules = policy.rules.map((rule) => ({ rule, terms: termsOf(policy, rule) }));
  return (request) => rules.find(({ rule }) => matches(rule, request))?.terms;
}

/** Returns what a rule records; undefined for level None. */
function termsOf(
  policy: AuditPolicy,
  { level, omitStages = [], omitManagedFields }: AuditRule,
): AuditTerms | undefined {
  if (level === 'None') return undefined;
  return {
    level,
    omits: new Set([...(policy.omitStages ?? []), ...omitStages]),
    omitManagedFields: omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

function matches(rule: AuditRule, request: AuditedRequest): boolean {
  const { users = [], userGroups = [], verbs = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  const { user, verb } = request;
  if (users.length > 0 && (user === undefined || !users.includes(user.username ?? ''))) return false;
  if (userGroups.length > 0 && user?.groups?.some((group) => userGroups.includes(group)) !== true) return false;
  if (verbs.length > 0 && !verbs.includes(verb)) return false;
  if (namespaces.length > 0 || resources.length > 0) return matchesResource(rule, request);
  return (
    nonResourceURLs.length === 0 ||
    (!request.isResource && nonResourceURLs.some((pattern) => matchesPath(pattern, request.path)))
  );
}

function matchesResource({ namespaces = [], resources = [] }: AuditRule, request: AuditedRequest): boolean {
  if (!request.isResource) return false;
  if (namespaces.length > 0 && !namespaces.includes(request.namespace)) return false;
  return resources.length === 0 || resources.some((each) => isAmong(each, request));
}

function isAmong({ group = '', resources = [], resourceNames = [] }: AuditResources, request: AuditedRequest): boolean {
  if (group !== request.group && group !== '*') return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(request.name)) return false;
  const { resource, subresource } = request;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (each) =>
      each === whole || each === '*' || (subresource !== '' && each === `*/${subresource}`) || each === `${resource}/*`,
  );
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
}

const levels: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];
const stages: readonly AuditStage[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];

function policyErrors({ rules, omitStages = [] }: AuditPolicy): readonly FieldError[] {
  const path = fieldPath('rules');
  return [
    ...stageErrors(omitStages, fieldPath('omitStages')),
    ...rules.flatMap((rule, index) => ruleErrors(rule, path.index(index))),
  ];
}

function ruleErrors(rule: AuditRule, path: FieldPath): readonly FieldError[] {
  const { level, nonResourceURLs = [], resources = [], namespaces = [], omitStages = [] } = rule;
  const urlsPath = path.child('nonResourceURLs');
  const errors = [
    ...levelErrors(level, path.child('level')),
    ...nonResourceURLs.flatMap((url, index) => urlErrors(url, urlsPath.index(index))),
    ...resources.flatMap((each) => resourceErrors(each, path.child('resources'))),
    ...stageErrors(omitStages, path.child('omitStages')),
  ];
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    errors.push(
      fieldInvalid(urlsPath, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'),
    );
  }
  return errors;
}

function levelErrors(level: string | undefined, path: FieldPath): readonly FieldError[] {
  if (level === undefined || level === '') return [fieldRequired(path, '')];
  return levels.some((each) => each === level) ? [] : [fieldNotSupported(path, level, levels)];
}

function urlErrors(url: string, path: FieldPath): readonly FieldError[] {
  if (url === '*') return [];
  const errors: FieldError[] = [];
  if (!url.startsWith('/'))
    errors.push(fieldInvalid(path, url, "non-resource URL rules must begin with a '/' character"));
  if (url.slice(0, -1).includes('*'))
    errors.push(fieldInvalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule"));
  return errors;
}

function resourceErrors(
  { group = '', resources = [], resourceNames = [] }: AuditResources,
  path: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const problems = group === '' || group === '*' ? [] : nameIsDnsSubdomain(group, false);
  if (problems.length > 0) errors.push(fieldInvalid(path.child('group'), group, problems.join(',')));
  if (resourceNames.length > 0 && resources.length === 0) {
    errors.push(
      fieldInvalid(path.child('resourceNames'), resourceNames, 'using resourceNames requires at least one resource'),
    );
  }
  return errors;
}

function stageErrors(omitted: readonly string[], path: FieldPath): readonly FieldError[] {
  return omitted.flatMap((stage, index) =>
    stages.some((each) => each === stage)
      ? []
      : [fieldInvalid(path.index(index), stage, `allowed stages are ${stages.join(',')}`)],
  );
}
