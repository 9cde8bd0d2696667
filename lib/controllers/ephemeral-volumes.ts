// Creates the claims of generic ephemeral volumes: one for each such volume of a pod, named after both and owned by the
// pod, so that it is deleted with it. A claim of that name that the pod does not own is left alone, and the pod waits.
// As pkg/controller/volume/ephemeral.
import { awaitChange, controller, informers, watching } from '../client/index.js';
import type { Client, ControllerActivity, EventFailed, EventRecorder, Stored } from '../client/index.js';
import {
  ephemeralClaimName,
  errorText,
  isApiError,
  namespacedName,
  notMadeFor,
  objectKey,
  objectReference,
  ownerReference,
  printNamespacedName,
  volumeClaims,
} from '../core/index.js';
import type { Frozen, NamespacedName, Part, Snapshot, RequestCause } from '../core/index.js';
import type { PersistentVolumeClaim, Pod, Volume } from '../core/types/index.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { withEvents } from './with-events.js';

/** Claims were created for a pod. */
export interface ClaimsCreated {
  readonly type: 'claimed';
  readonly pod: NamespacedName;
  readonly claims: readonly string[];
}

/** The activities of the controller. */
export type EphemeralVolumesActivity = ControllerActivity<NamespacedName, ClaimsCreated> | EventFailed;

/** Creates the ephemeral volume controller. */
export function ephemeralVolumes({
  client,
  clock,
  random,
  informers: shared = informers(client, { clock, random }),
  steps$,
  concurrency = 5,
}: ControllerEnvironment): Part<EphemeralVolumesActivity> {
  const name = 'ephemeral-volume-controller';
  const pods = shared.kind('v1', 'Pod').indexedBy({ claim: claimsMadeFor });
  const claims = shared.kind('v1', 'PersistentVolumeClaim');
  const create = (recorder: EventRecorder): Part<EphemeralVolumesActivity> =>
    controller<NamespacedName, ClaimsCreated>({
      name,
      clock,
      steps$,
      concurrency,
      watches: [
        watching(pods, ({ object }) => (claimsMadeFor(object).length === 0 ? [] : [namespacedName(object)])),
        watching(claims, ({ type, object }) =>
          type === 'deleted' ? pods.by('claim', objectKey(object)).map(namespacedName) : [],
        ),
      ],
      reconcile: async (pod, { emit, signal, cause }) => {
        const created = await createClaims(pod, { client, signal, cause, pods, claims, recorder });
        if (created.length > 0) emit({ type: 'claimed', pod, claims: created });
        return awaitChange;
      },
    });
  return withEvents({ name, component: 'ephemeral_volume', client, clock, random, create });
}

interface Known {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly cause: RequestCause;
  readonly pods: Snapshot<Stored<Pod>, 'claim'>;
  readonly claims: Snapshot<Stored<PersistentVolumeClaim>>;
  readonly recorder: EventRecorder;
}

/** Returns `namespace/name` of the claims that are created for a pod. */
function claimsMadeFor(pod: Stored<Pod>): readonly string[] {
  return volumeClaims(pod).flatMap(({ claim, ephemeral }) =>
    ephemeral ? [`${pod.metadata.namespace ?? ''}/${claim}`] : [],
  );
}

/** Creates the claims of a pod that are missing, and returns their names. */
async function createClaims(name: NamespacedName, known: Known): Promise<readonly string[]> {
  const key = printNamespacedName(name);
  const pod = known.pods.get(key);
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return [];
  const created: string[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.ephemeral === undefined) continue;
    try {
      if (await createClaim(pod, volume, known)) created.push(ephemeralClaimName(pod, volume.name));
    } catch (error) {
      const message = `ephemeral volume ${volume.name}: ${errorText(error)}`;
      known.recorder.record({
        regarding: objectReference({ apiVersion: 'v1', kind: 'Pod' }, pod),
        type: 'Warning',
        reason: 'FailedBinding',
        message,
      });
      throw new Error(`pod ${key}, ${message}`, { cause: error });
    }
  }
  return created;
}

/** Returns whether the claim had to be created. Throws if it cannot be, or if another owner has that name. */
async function createClaim(
  pod: Stored<Pod>,
  volume: Frozen<Volume>,
  { client, signal, cause, claims }: Known,
): Promise<boolean> {
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
    await inNamespace.create({ metadata, ...(spec && { spec }) }, { signal, cause });
    return true;
  } catch (error) {
    // The informer may not have received a claim that was just created.
    if (isApiError(error, 'AlreadyExists')) return refuse(await inNamespace.get(name, { signal }));
    throw new Error(`create PVC ${name}: ${errorText(error)}`, { cause: error });
  }
}
