// Sees to it that the roles and bindings of Kubernetes are there, and complete, before the first request is served.
// Where none of them is yet this is two transactions; where all are as they should be nothing is written.
// As pkg/registry/rbac/rest/storage_rbac.go, ensureRBACPolicy.
import type { ApiObject, Frozen } from '../../../core/index.js';
import type { ClusterRole } from '../../../core/types/index.js';
import type { Transaction } from '../../../storage/index.js';
import type { Stored, StoredKind } from '../../registry/stored-kind.js';
import { writeBootstrap } from '../write-bootstrap.js';
import type { BootstrapTools, Found } from '../write-bootstrap.js';
import { policyObjects } from './policy-objects.js';
import type { PolicyObject } from './policy-objects.js';
import { reconciledBinding, reconciledRole } from './reconciled-policy.js';

/** Resolves when the policy is in place. */
export async function ensurePolicy(tools: BootstrapTools): Promise<void> {
  for (const found of await writeBootstrap(policyObjects(), tools)) await reconcile(found, tools);
}

async function reconcile(found: Found<PolicyObject>, tools: BootstrapTools): Promise<void> {
  const { object, stored } = found;
  for (let { entry } = found; ;) {
    const existing = stored.read(entry);
    const next = reconciled(existing, object);
    if (next === existing) return;
    const outcome = await tools.store.commit({
      compare: [{ key: entry.key, modRevision: entry.modRevision }],
      ...changeOf(stored, existing, next),
    });
    if (outcome.committed && next !== undefined) return;
    const beaten = outcome.committed ? undefined : outcome.found[0];
    if (beaten !== undefined) {
      entry = beaten;
      continue;
    }
    // Gone, by our hand or another's.
    const [again] = await writeBootstrap([object], tools);
    if (again === undefined) return;
    ({ entry } = again);
  }
}

/**
 * What was stored under the key of a role is one, and likewise for bindings. A Role is a ClusterRole that gathers
 * nothing.
 */
function reconciled(existing: Stored, expected: PolicyObject): Frozen<ApiObject> | undefined {
  if ('roleRef' in expected) return reconciledBinding(existing as typeof expected, expected);
  return reconciledRole(existing as Frozen<ClusterRole>, expected as Frozen<ClusterRole>);
}

function changeOf(
  stored: StoredKind,
  { metadata: { namespace = '', name = '' } = {} }: Stored,
  next: Frozen<ApiObject> | undefined,
): Pick<Transaction, 'put' | 'delete'> {
  const key = stored.keyOf(namespace, name);
  if (next === undefined) return { delete: [stored.prefix + key] };
  const pending = stored.write(key, next as ApiObject);
  pending.done();
  return { put: [{ key: pending.key, value: pending.value }] };
}
