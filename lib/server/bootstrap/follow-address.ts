// Keeps the endpoints of the `kubernetes` Service at the server's address: one that comes back at another address
// replaces what it finds. Of several servers with one store that is the last that started. As
// pkg/controlplane/reconcilers.
import { deepEqual, parseIp } from '../../core/index.js';
import type { ApiObject } from '../../core/index.js';
import type { Stored } from '../registry/stored-kind.js';
import type { BootstrapTools, Found } from './write-bootstrap.js';
import { writeBootstrap } from './write-bootstrap.js';

/**
 * An address and port such as `10.0.0.5:6443` or `[fd00::5]:6443`, read. No address where it is a name or stands for
 * all addresses.
 */
export function readServerAddress(text: string): { readonly address?: string; readonly port: number } {
  const [, host = '', port = '6443'] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const isPlace = parseIp(address) !== undefined && !/^[0:.]+$/.test(address);
  return { port: Number(port), ...(isPlace && { address }) };
}

/** Resolves when the endpoints among what was found say what they should. */
export async function followAddress(found: readonly Found[], tools: BootstrapTools): Promise<void> {
  for (const each of found)
    if (each.object.kind === 'Endpoints' || each.object.kind === 'EndpointSlice') await replace(each, tools);
}

async function replace({ object, stored, entry: first }: Found, tools: BootstrapTools): Promise<void> {
  for (let entry: Found['entry'] | undefined = first; entry !== undefined;) {
    const existing = stored.read(entry);
    const next = replaced(existing, object);
    if (next === undefined) return;
    const { key, value, done } = stored.write(
      stored.keyOf(existing.metadata?.namespace ?? '', existing.metadata?.name ?? ''),
      next,
    );
    done();
    const outcome = await tools.store.commit({
      compare: [{ key, modRevision: entry.modRevision }],
      put: [{ key, value }],
    });
    if (outcome.committed) return;
    entry = outcome.found[0] ?? (await writeBootstrap([object], tools))[0]?.entry;
  }
}

/** The object with the wanted content, under the identity it has; undefined where it says just that. */
function replaced(
  { metadata = {}, ...content }: Stored,
  { metadata: { labels } = {}, ...wanted }: Stored,
): ApiObject | undefined {
  if (deepEqual(content, wanted) && deepEqual({ ...metadata.labels, ...labels }, metadata.labels)) return undefined;
  const { generation } = metadata;
  // Nobody changes what is written: it is frozen.
  return {
    ...wanted,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      ...(generation !== undefined && { generation: generation + 1 }),
    },
  } as ApiObject;
}
