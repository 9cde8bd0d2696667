// A short notation for roles and bindings, and its reader. A role is a line with its name and an indented line for each
// rule:
//
//   system:kube-scheduler
//     records events
//     core: pods = read delete
//     coordination.k8s.io: leases named kube-scheduler = read update
//     urls: /healthz /livez = get
//
// Groups, resources, names, paths and verbs are lists of words; `core` is the group without a name. The verbs `read`
// and `write` stand for several, `records events` for the rule that nearly every system component has. A binding is a
// line:
//
//   its name [of ROLE] = user U, group G, account NAMESPACE/NAME
import type { PolicyRule, rbacV1 } from '../../../core/types/index.js';

/** A role by name. */
export interface NotedRole {
  readonly name: string;
  readonly rules: PolicyRule[];
}

/** A binding by name. */
export interface NotedBinding {
  readonly name: string;
  /** The name of the role. */
  readonly role: string;
  readonly subjects: rbacV1.Subject[];
}

/** Reads roles. Throws SyntaxError. */
export function readRoles(text: string): readonly NotedRole[] {
  const roles: NotedRole[] = [];
  // Verb lists are shared: few distinct ones occur in most rules.
  const known = new Map<string, string[]>();
  for (const line of linesOf(text)) {
    if (line.startsWith(' ')) roles.at(-1)?.rules.push(readRule(line.trim(), known));
    else roles.push({ name: line, rules: [] });
  }
  return roles;
}

/** Reads bindings. Throws SyntaxError. */
export function readBindings(text: string): readonly NotedBinding[] {
  return linesOf(text).map((line) => {
    const [title, subjects] = parts(line, ' =', line);
    const [name, role] = title.includes(' of ') ? parts(title, ' of ', line) : [title, title];
    return { name, role, subjects: subjects === '' ? [] : subjects.split(', ').map(readSubject) };
  });
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

function readRule(line: string, knownVerbs: Map<string, string[]>): PolicyRule {
  const text = line === 'records events' ? 'core events.k8s.io: events = create patch update' : line;
  const [what, verbText] = parts(text, ' = ', line);
  const [groups, objects] = parts(what, ': ', line);
  const verbs = knownVerbs.get(verbText) ?? readVerbs(verbText);
  knownVerbs.set(verbText, verbs);
  if (groups === 'urls') return { verbs, nonResourceURLs: sorted(objects) };
  const apiGroups = sorted(groups, (group) => (group === 'core' ? '' : group));
  if (!objects.includes(' named ')) return { verbs, apiGroups, resources: sorted(objects) };
  const [resources, names] = parts(objects, ' named ', line);
  return { verbs, apiGroups, resources: sorted(resources), resourceNames: sorted(names) };
}

const verbSets: ReadonlyMap<string, readonly string[]> = new Map([
  ['read', ['get', 'list', 'watch']],
  ['write', ['create', 'delete', 'deletecollection', 'patch', 'update']],
]);

function readVerbs(text: string): string[] {
  return text
    .split(' ')
    .flatMap((verb) => verbSets.get(verb) ?? [verb])
    .sort();
}

function readSubject(text: string): rbacV1.Subject {
  const [kind, name] = parts(text, ' ', text);
  switch (kind) {
    case 'user':
      return { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name };
    case 'group':
      return { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name };
    case 'account': {
      const [namespace, account] = parts(name, '/', text);
      return { kind: 'ServiceAccount', name: account, namespace };
    }
    default:
      throw new SyntaxError(`neither user, group nor account: ${text}`);
  }
}

/** Splits a text at a mark. Throws SyntaxError where it is missing. */
function parts(text: string, mark: string, line: string): readonly [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new SyntaxError(`no "${mark.trim()}" in: ${line}`);
  return [text.slice(0, at), text.slice(at + mark.length).trim()];
}

function sorted(text: string, meaning?: (word: string) => string): string[] {
  const words = text.split(' ');
  const meant = meaning === undefined ? words : words.map(meaning);
  return meant.length === 1 ? meant : meant.sort();
}
