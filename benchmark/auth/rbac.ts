// How many decisions RBAC makes a second, and what they cost as roles and bindings become many. Every namespace has a
// role and a binding of its own, half of them for ServiceAccounts; the cluster's own policy is there too. Time of the
// process, not of the clock on the wall, since others use the machine too.
import { NEVER } from 'rxjs';
import { rbacAuthorizer, rbacIndex, uncoveredRules } from '../../lib/auth/index.js';
import type { AccessAttributes, RbacRules } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import { objectInformers } from '../../lib/core/index.js';
import type { ApiObject } from '../../lib/core/index.js';
import type { PolicyRule, Role, RoleBinding } from '../../lib/core/types/index.js';
import { policyObjects } from '../../lib/server/bootstrap/policy/policy-objects.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { FakeObjectReader } from '../../test/support/fake-object-reader.js';
import { perSecond } from '../measure.js';
import type { Row } from '../measure.js';

/** Decisions of an index, and the start of a server with RBAC. */
export async function measureRbac(): Promise<Row[]> {
  const first = await startMs();
  const later = Math.min(await startMs(), await startMs(), await startMs());
  const sizes = [1000, 10_000];
  const indexes = await Promise.all(sizes.map(indexOf));
  const [small, large] = indexes.map(({ index, size }) => ({
    again: perSecond((at) => index.decide(requests(size, 64)[at % 64] ?? anybody)),
    fresh: perSecond(spread(index, size)),
    refused: perSecond((at) => index.decide(refusals[at % refusals.length] ?? anybody)),
  }));
  if (small === undefined || large === undefined) throw new Error('nothing was measured');
  const huge = await hugeRole();
  const rules = Array.from({ length: 1000 }, (_, at) => ruleOf(`resource-${at}`));
  return [
    { name: 'createServer to the first answer with RBAC, first in the process', value: first, unit: 'ms' },
    { name: 'createServer to the first answer with RBAC, later ones', value: later, unit: 'ms' },
    { name: '10,000 roles and bindings: the same 64 requests', value: large.again, unit: '/s', goal: '≥ 200000' },
    {
      name: '10,000 roles and bindings: requests of all users and namespaces',
      value: large.fresh,
      unit: '/s',
      goal: '≥ 20000',
    },
    {
      name: '10,000 roles and bindings: requests that nothing allows',
      value: large.refused,
      unit: '/s',
      goal: '≥ 20000',
    },
    { name: 'cost of a decision, 10,000 over 1,000', value: small.fresh / large.fresh, unit: '×', goal: '≤ 3' },
    { name: 'a role of 10,000 rules', value: huge, unit: '/s', goal: '≥ 20000' },
    { name: 'whether 1,000 rules cover 1,000', value: 1e6 / perSecond(() => uncoveredRules(rules, rules)), unit: 'µs' },
  ];
}

const nobody = { username: 'nobody', groups: ['system:authenticated'] };
const asking = (
  verb: string,
  resource: string,
  namespace: string,
  user: AccessAttributes['user'] = nobody,
): AccessAttributes => ({
  user,
  verb,
  isResource: true,
  path: '',
  group: '',
  version: 'v1',
  resource,
  subresource: '',
  namespace,
  name: '',
});
const anybody = asking('get', 'pods', 'default');
const refusals: readonly AccessAttributes[] = Array.from({ length: 64 }, (_, at) =>
  asking('get', `resource-${at}`, `ns-${at}`),
);

async function startMs(): Promise<number> {
  const start = performance.now();
  const server = createServer({ store: memoryStore(), authorizers: ({ rbac }) => [rbacAuthorizer(rbac())] });
  await inProcessClient(server.handler, { user: nobody }).read('/version');
  const took = performance.now() - start;
  await server.close();
  return took;
}

const ruleOf = (...resources: string[]): PolicyRule => ({
  verbs: ['get', 'list', 'watch'],
  apiGroups: [''],
  resources,
});

function policyOf(size: number): FakeObjectReader {
  const objects = new FakeObjectReader();
  for (const object of policyObjects()) objects.set(`${object.kind?.toLowerCase() ?? ''}s`, object as ApiObject);
  for (let at = 0; at < size; at += 1) {
    const namespace = `ns-${at}`;
    const role: Role = {
      metadata: { name: 'reader', namespace },
      rules: [
        ruleOf('pods', 'pods/log'),
        ruleOf('services', 'endpoints'),
        { ...ruleOf('secrets'), resourceNames: ['own'] },
      ],
    };
    const subject = at % 2 === 0 ? { kind: 'User', name: `user-${at}` } : { kind: 'ServiceAccount', name: 'default' };
    const binding: RoleBinding = {
      metadata: { name: 'readers', namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [subject],
    };
    objects.set('roles', role);
    objects.set('rolebindings', binding);
  }
  return objects;
}

const indexed = (reader: FakeObjectReader): RbacRules =>
  rbacIndex({ reader, informers: objectInformers(reader), closed$: NEVER });

async function indexOf(size: number): Promise<{ readonly index: RbacRules; readonly size: number }> {
  const index = indexed(policyOf(size));
  await index.decide(anybody);
  return { index, size };
}

const made = new Map<string, readonly AccessAttributes[]>();

/** Allowed requests of as many users, spread over all namespaces. */
function requests(size: number, count: number): readonly AccessAttributes[] {
  const key = `${size}/${count}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const all = Array.from({ length: count }, (_, index) => {
    const at = Math.floor((index * size) / count);
    const [username, groups] =
      at % 2 === 0
        ? [`user-${at}`, []]
        : [`system:serviceaccount:ns-${at}:default`, ['system:serviceaccounts', `system:serviceaccounts:ns-${at}`]];
    return asking('list', 'services', `ns-${at}`, { username, groups: [...groups, 'system:authenticated'] });
  });
  made.set(key, all);
  return all;
}

/** A large number that shares no factor with the sizes: no two neighbours in time are neighbours in place. */
function spread(index: RbacRules, size: number): (at: number) => unknown {
  const all = requests(size, size);
  return (at) => index.decide(all[(at * 7919) % size] ?? anybody);
}

async function hugeRole(): Promise<number> {
  const objects = new FakeObjectReader();
  objects.set('clusterroles', {
    metadata: { name: 'huge' },
    rules: Array.from({ length: 10_000 }, (_, at) => ruleOf(`resource-${at}`)),
  } as ApiObject);
  objects.set('clusterrolebindings', {
    metadata: { name: 'huge' },
    roleRef: { kind: 'ClusterRole', name: 'huge' },
    subjects: [{ kind: 'User', name: 'nobody' }],
  } as ApiObject);
  const index = indexed(objects);
  await index.decide(anybody);
  return perSecond((at) => index.decide(refusals[at % refusals.length] ?? anybody));
}
