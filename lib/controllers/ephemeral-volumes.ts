// Makes the claims of generic ephemeral volumes: one for each such volume of a pod, named after both and owned by the
// pod, so that it goes with it. A claim of that name that is not the pod's own is left alone, and the pod waits.
// As pkg/controller/volume/ephemeral.
import { defer, finalize, map, merge, mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { eventRecorder } from '../client/index.js';
import type { Client, EventRecorder, Stored } from '../client/index.js';
import {
  ephemeralClaimName,
  errorText,
  isApiError,
  namespacedName,
  notMadeFor,
  objectKey,
  objectReference,
  ownerReference,
  reflect,
  snapshotWriter,
  volumeClaims,
  watcher,
} from '../core/index.js';
import type { Clock, Frozen, NamespacedName, Random, Snapshot } from '../core/index.js';
import type { PersistentVolumeClaim, Pod, Volume } from '../core/types/index.js';
import { keyedWork } from './keyed-work.js';
import { failureOf, workOnNews } from './news.js';

/** What the controller works with. */
export interface EphemeralVolumesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
}

/** What the controller did. */
export type EphemeralVolumesOutcome =
  /** A pod has the claims that it needs. */
  | { readonly type: 'claimed'; readonly pod: NamespacedName; readonly claims: readonly string[] }
  /** Without a pod it was a watch or an Event that failed. Without a time it is not tried again until there is news. */
  | { readonly type: 'failed'; readonly pod?: NamespacedName; readonly error: unknown; readonly retryInMs?: number };

/** Runs for as long as somebody subscribes. Cold; never errors. */
export function ephemeralVolumes({
  client,
  clock,
  random,
}: EphemeralVolumesOptions): Observable<EphemeralVolumesOutcome> {
  return defer(() => {
    const stopping = new AbortController();
    const pods = snapshotWriter<Stored<Pod>, 'claim'>({ claim: claimsMadeFor });
    const claims = snapshotWriter<Stored<PersistentVolumeClaim>>({});
    const recorder = eventRecorder({ client, clock, random: random.stream('events'), component: 'ephemeral_volume' });
    const pods$ = watcher(client.kind('v1', 'Pod'), { clock, random: random.stream('pods') }).pipe(
      reflect(pods),
      mergeMap((event) =>
        'object' in event && claimsMadeFor(event.object).length > 0 ? [event.object] : failureOf(event),
      ),
    );
    const claims$ = watcher(client.kind('v1', 'PersistentVolumeClaim'), {
      clock,
      random: random.stream('claims'),
    }).pipe(
      reflect(claims),
      mergeMap((event) =>
        event.type === 'deleted' ? pods.snapshot.by('claim', objectKey(event.object)) : failureOf(event),
      ),
    );
    const known: Known = { client, signal: stopping.signal, pods: pods.snapshot, claims: claims.snapshot, recorder };
    const ready = Promise.all([pods.snapshot.ready, claims.snapshot.ready]);
    const work = keyedWork<Stored<Pod>, EphemeralVolumesOutcome>({
      clock,
      keyOf: objectKey,
      work: (pod) => ready.then(() => serve(objectKey(pod), known)),
      failed: (pod, error, retryInMs) => ({
        type: 'failed',
        pod: namespacedName(pod),
        error,
        ...(retryInMs !== undefined && { retryInMs }),
      }),
    });
    return merge(
      recorder.run().pipe(map(({ error }): EphemeralVolumesOutcome => ({ type: 'failed', error }))),
      merge(pods$, claims$).pipe(workOnNews(work)),
    ).pipe(finalize(() => stopping.abort()));
  });
}

interface Known {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly pods: Snapshot<Stored<Pod>, 'claim'>;
  readonly claims: Snapshot<Stored<PersistentVolumeClaim>>;
  readonly recorder: EventRecorder;
}

/** `namespace/name` of the claims that are made for a pod. */
function claimsMadeFor(pod: Stored<Pod>): readonly string[] {
  return volumeClaims(pod).flatMap(({ claim, ephemeral }) =>
    ephemeral ? [`${pod.metadata.namespace ?? ''}/${claim}`] : [],
  );
}

/** Makes the claims of a pod that are missing. */
async function serve(key: string, known: Known): Promise<EphemeralVolumesOutcome | undefined> {
  const pod = known.pods.get(key);
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const made: string[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.ephemeral === undefined) continue;
    try {
      if (await provide(pod, volume, known)) made.push(ephemeralClaimName(pod, volume.name));
    } catch (error) {
      const message = `ephemeral volume ${volume.name}: ${errorText(error)}`;
      known.recorder.record({
        about: objectReference({ apiVersion: 'v1', kind: 'Pod' }, pod),
        type: 'Warning',
        reason: 'FailedBinding',
        message,
      });
      throw new Error(`pod ${key}, ${message}`, { cause: error });
    }
  }
  return made.length === 0 ? undefined : { type: 'claimed', pod: namespacedName(pod), claims: made };
}

/** Whether a claim had to be made. Throws where it cannot be, or is another's. */
async function provide(pod: Stored<Pod>, volume: Frozen<Volume>, { client, signal, claims }: Known): Promise<boolean> {
  const { namespace = '' } = pod.metadata;
  const name = ephemeralClaimName(pod, volume.name);
  const inNamespace = client.kind('v1', 'PersistentVolumeClaim').in(namespace);
  const refuse = (claim: Stored<PersistentVolumeClaim>): false => {
    const problem = notMadeFor(pod, claim);
    if (problem !== undefined) throw new Error(problem);
    return false;
  };
  const claim = claims.get(`${namespace}/${name}`);
  if (claim !== undefined) return refuse(claim);
  const { metadata: { labels, annotations } = {}, spec } = volume.ephemeral?.volumeClaimTemplate ?? {};
  const owner = ownerReference(pod, {
    gvk: { group: '', version: 'v1', kind: 'Pod' },
    controller: true,
    blockOwnerDeletion: true,
  });
  const metadata = { name, ownerReferences: [owner], ...(labels && { labels }), ...(annotations && { annotations }) };
  try {
    await inNamespace.create({ metadata, ...(spec && { spec }) }, { signal });
    return true;
  } catch (error) {
    // It may be the one that was made a moment ago.
    if (isApiError(error, 'AlreadyExists')) return refuse(await inNamespace.get(name, { signal }));
    throw new Error(`create PVC ${name}: ${errorText(error)}`, { cause: error });
  }
}
