// The quotas of a server as admission reads and writes them: from an informer, which may lag behind what was just
// written, with the last written ones beside it. Usage is written with the resourceVersion that it was computed from,
// so that of two writers one fails and computes anew. As
// apiserver/pkg/admission/plugin/resourcequota/resource_access.go.
import { LRUCache } from 'lru-cache';
import { filter } from 'rxjs';
import { isOlderVersion, objectKey, onDemand, printAmounts } from '../../core/index.js';
import type { Frozen, OnDemand } from '../../core/index.js';
import type { ResourceQuota } from '../../core/types/index.js';
import type { ServerTools } from '../../auth/index.js';
import { quotaAccount } from './charge.js';
import type { QuotaAccount } from './charge.js';

/** Reads and writes quotas. */
export interface QuotaLedger {
  /** Quotas are read from the first demand on. */
  readonly whenReady: OnDemand['whenReady'];
  /** Whether a namespace has quotas. */
  has(namespace: string): boolean;
  /** The accounts of a namespace in the order of their names. */
  accountsIn(namespace: string): readonly QuotaAccount[];
  /** The account as it is stored; undefined if it is gone. */
  reread(account: QuotaAccount): Promise<QuotaAccount | undefined>;
  /** Writes what is used. Rejects with Conflict if the quota has changed since it was read. */
  write(account: QuotaAccount): Promise<void>;
}

/** Creates the ledger. */
export function quotaLedger({
  informers,
  client,
  closed$,
}: Pick<ServerTools, 'informers' | 'client' | 'closed$'>): QuotaLedger {
  const quotas = informers
    .of<ResourceQuota>({ group: '', resource: 'resourcequotas' })
    .indexedBy({ namespace: namespaceOf });
  const { whenReady } = onDemand(quotas.events$.pipe(filter(({ type }) => type === 'synced')), closed$);
  const stored = client.kind('v1', 'ResourceQuota');
  // One that was evicted too early costs a conflict and a read.
  const written = new LRUCache<string, Frozen<ResourceQuota>>({ max: writtenMax });

  const newest = (quota: Frozen<ResourceQuota>): Frozen<ResourceQuota> => {
    const key = objectKey(quota);
    const last = written.get(key);
    if (last === undefined) return quota;
    if (last.metadata?.uid === quota.metadata?.uid && isOlderVersion(quota, last)) return last;
    written.delete(key);
    return quota;
  };

  return {
    whenReady,
    has: (namespace) => quotas.by('namespace', namespace).length > 0,
    accountsIn: (namespace) =>
      quotas
        .by('namespace', namespace)
        .sort((one, other) => (objectKey(one) < objectKey(other) ? -1 : 1))
        .map((quota) => quotaAccount(newest(quota))),
    reread: async ({ quota }) => {
      const { name = '', namespace = '', uid } = quota.metadata ?? {};
      const found = await stored.find({ name, namespace });
      return found === undefined || found.metadata.uid !== uid ? undefined : quotaAccount(found);
    },
    write: async ({ quota, used }) => {
      const updated = await stored.status.update({ ...quota, status: { ...quota.status, used: printAmounts(used) } });
      written.set(objectKey(updated), updated);
    },
  };
}

const writtenMax = 1000;

function namespaceOf({ metadata }: Frozen<ResourceQuota>): readonly string[] {
  return [metadata?.namespace ?? ''];
}
