// Which requests a FlowSchema matches. Called for every request from the wire, schema by schema until one matches, so
// lists are compiled to sets once and matching allocates nothing. As apiserver/pkg/util/flowcontrol/rule.go.
import type { Frozen, RequestInfo } from '../../core/index.js';
import type {
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  UserInfo,
} from '../../core/types/index.js';

/** A rule of a schema: users and requests. */
export interface FlowRule {
  /** Matches every user. */
  readonly anyUser: boolean;
  readonly users: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  /** Prefixes of user names: all ServiceAccounts of a namespace. */
  readonly prefixes: readonly string[];
  readonly resources: readonly ResourceRule[];
  readonly paths: readonly PathRule[];
}

interface ResourceRule {
  readonly verbs: Choice;
  readonly groups: Choice;
  readonly resources: Choice;
  readonly namespaces: Choice;
  readonly clusterScope: boolean;
}

interface PathRule {
  readonly verbs: Choice;
  readonly patterns: readonly { readonly pattern: string; readonly prefix: string }[];
}

/** The accepted values; undefined for all. */
type Choice = ReadonlySet<string> | undefined;

/** Compiles the rules of a schema. */
export function flowRules({ rules = [] }: Frozen<FlowSchemaSpec>): readonly FlowRule[] {
  return rules.map(flowRule);
}

/** Whether the rules of a schema match a request. */
export function isOfFlow(rules: readonly FlowRule[], info: RequestInfo, user: Frozen<UserInfo>): boolean {
  for (const rule of rules)
    if (isSubject(rule, user) && (info.isResource ? isResource(rule, info) : isPath(rule, info))) return true;
  return false;
}

function isSubject({ anyUser, users, groups, prefixes }: FlowRule, user: Frozen<UserInfo>): boolean {
  if (anyUser) return true;
  const name = user.username ?? '';
  if (users.size > 0 && users.has(name)) return true;
  if (groups.size > 0 && user.groups !== undefined) for (const group of user.groups) if (groups.has(group)) return true;
  for (const prefix of prefixes) if (name.startsWith(prefix)) return true;
  return false;
}

function isResource({ resources }: FlowRule, info: RequestInfo): boolean {
  for (const rule of resources) {
    if (!allows(rule.verbs, info.verb) || !allows(rule.groups, info.group)) continue;
    if (
      rule.resources !== undefined &&
      !rule.resources.has(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`)
    )
      continue;
    if (info.namespace === '' ? rule.clusterScope : allows(rule.namespaces, info.namespace)) return true;
  }
  return false;
}

function isPath({ paths }: FlowRule, { verb, path }: RequestInfo): boolean {
  for (const { verbs, patterns } of paths) {
    if (!allows(verbs, verb)) continue;
    for (const { pattern, prefix } of patterns)
      if (pattern === '*' || pattern === path || path.startsWith(prefix)) return true;
  }
  return false;
}

function allows(choice: Choice, value: string): boolean {
  return choice === undefined || choice.has(value);
}

function flowRule({ subjects, resourceRules = [], nonResourceRules = [] }: Frozen<PolicyRulesWithSubjects>): FlowRule {
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
  return {
    anyUser: users.has('*') || groups.has('*'),
    users,
    groups,
    prefixes,
    resources: resourceRules.map(resourceRule),
    paths: nonResourceRules.map(pathRule),
  };
}

function resourceRule({
  verbs,
  apiGroups,
  resources,
  namespaces = [],
  clusterScope = false,
}: Frozen<ResourcePolicyRule>): ResourceRule {
  return {
    verbs: choice(verbs),
    groups: choice(apiGroups),
    resources: choice(resources),
    namespaces: choice(namespaces),
    clusterScope,
  };
}

function pathRule({ verbs, nonResourceURLs }: Frozen<NonResourcePolicyRule>): PathRule {
  return {
    verbs: choice(verbs),
    patterns: nonResourceURLs.map((pattern) => ({
      pattern,
      prefix: pattern.replace(/\*$/, '').replace(/([^/])$/, '$1/'),
    })),
  };
}

/** Compiles a list of values; a single `*` matches all. */
function choice(values: readonly string[]): Choice {
  return values.length === 1 && values[0] === '*' ? undefined : new Set(values);
}
