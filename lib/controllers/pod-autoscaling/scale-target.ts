// The target of an autoscaler: any object whose kind has the subresource scale. Its resource is found by discovery, in
// the version that the server prefers, whatever version the reference names.
import type { Client, Stored, SubresourceClient } from '../../client/index.js';
import { backoffLadders, isApiError, isNoMatchError, parseGroupVersion, pause } from '../../core/index.js';
import type { Clock, Frozen, RestMapping } from '../../core/index.js';
import type { CrossVersionObjectReference, Scale } from '../../core/types/index.js';
import type { CallContext } from '../workloads/pod-control.js';

/** The scale of a target, and where it is written. */
export interface ScaleTarget {
  readonly scale: Stored<Scale>;
  readonly scales: SubresourceClient<Scale>;
}

/** Reads the scale of a target. Rejects with ParseError, NoMatchError or ApiError. */
export async function findScale(
  { apiVersion = '', kind, name }: Frozen<CrossVersionObjectReference>,
  namespace: string,
  client: Client,
  { signal }: CallContext,
): Promise<ScaleTarget> {
  const { group } = parseGroupVersion(apiVersion);
  const find = async (fresh: boolean): Promise<RestMapping> =>
    (await client.discover({ fresh, signal })).mapper.kind({ group, kind });
  const entry = await find(false).catch((error: unknown) => {
    // The kind may be newer than the last discovery.
    if (isNoMatchError(error)) return find(true);
    throw error;
  });
  const scales = client.resource(entry).in(namespace).scale;
  return { scale: await scales.get(name, { signal }), scales };
}

/** Writes the number of replicas, again with the newest scale after a conflict, at most five times. */
export async function writeReplicas(
  { scale: found, scales }: ScaleTarget,
  replicas: number,
  clock: Clock,
  context: CallContext,
): Promise<void> {
  const { baseMs, attemptsMax } = backoffLadders.conflict;
  let scale = found;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await scales.update({ ...scale, spec: { ...scale.spec, replicas } }, context);
      return;
    } catch (error) {
      if (attempt >= attemptsMax || !isApiError(error, 'Conflict')) throw error;
    }
    await pause(clock, baseMs, context.signal);
    scale = await scales.get(scale.metadata.name, { signal: context.signal });
  }
}
