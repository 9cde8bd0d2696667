// The resource claim controller. For pods it creates claims from templates, records their names in the status of the
// pod, and reserves claims for pods that were bound without a scheduler. For claims it removes pods that are done from
// `reservedFor`, deallocates claims that no pod uses any more, removes the finalizer of their allocation, and deletes
// claims whose pod is done. Claims of deleted pods are the garbage collector's. As pkg/controller/resourceclaim.
import { awaitChange, controller, watching } from '../../client/index.js';
import type { ControllerActivity, EventFailed, EventRecorder, ObjectEvent, Stored } from '../../client/index.js';
import { controllerOf, namespacedName, objectKey, printNamespacedName } from '../../core/index.js';
import type { NamespacedName, Part } from '../../core/index.js';
import type { Pod, resourceV1 } from '../../core/types/index.js';
import { informersOf } from '../controller-environment.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { withEvents } from '../with-events.js';
import { releaseClaim } from './claim-release.js';
import { syncPodClaims } from './pod-claim-creation.js';
import { claimKeysOf, isPodDone, templateKeysOf } from './pod-resource-claims.js';

/** An item of the controller. */
export interface ResourceClaimItem extends NamespacedName {
  readonly kind: 'Pod' | 'ResourceClaim';
}

/** A claim was created, reserved, released, deallocated or deleted. */
export interface ResourceClaimChanged {
  readonly type: 'created' | 'reserved' | 'released' | 'deallocated' | 'deleted';
  readonly claim: NamespacedName;
}

/** The activities of the controller. */
export type ResourceClaimsActivity = ControllerActivity<ResourceClaimItem, ResourceClaimChanged> | EventFailed;

/** Creates the controller. */
export function resourceClaims(environment: ControllerEnvironment): Part<ResourceClaimsActivity> {
  const name = 'resourceclaim-controller';
  const { client, clock, concurrency = 50 } = environment;
  const shared = informersOf(environment);
  const pods = shared.kind('v1', 'Pod').indexedBy({ resourceClaim: claimKeysOf, claimTemplate: templateKeysOf });
  const claims = shared.kind('resource.k8s.io/v1', 'ResourceClaim').indexedBy({ owner: ownersOf });
  const templates = shared.kind('resource.k8s.io/v1', 'ResourceClaimTemplate');
  const create = (recorder: EventRecorder): Part<ResourceClaimsActivity> => {
    const created = new Map<string, Stored<resourceV1.ResourceClaim>>();
    return controller<ResourceClaimItem, ResourceClaimChanged>({
      name,
      clock,
      steps$: environment.steps$,
      concurrency,
      keyOf: ({ kind, ...item }) => `${kind} ${printNamespacedName(item)}`,
      watches: [
        watching(pods, itemsOfPod),
        watching(claims, ({ type, object }) => [
          ...(type === 'deleted' ? [] : [itemOf('ResourceClaim', object)]),
          ...pods.by('resourceClaim', objectKey(object)).map((pod) => itemOf('Pod', pod)),
        ]),
        watching(templates, ({ object }) =>
          pods.by('claimTemplate', objectKey(object)).map((pod) => itemOf('Pod', pod)),
        ),
      ],
      reconcile: async (item, { emit, signal, cause }) => {
        const key = printNamespacedName(item);
        const context = { client, signal, cause, pods, claims, templates, created, recorder, emit };
        if (item.kind === 'Pod') {
          const pod = pods.get(key);
          if (pod !== undefined && pod.metadata.deletionTimestamp === undefined) await syncPodClaims(pod, context);
        } else {
          const claim = claims.get(key);
          if (claim !== undefined) await releaseClaim(claim, context);
        }
        return awaitChange;
      },
    });
  };
  return withEvents({ ...environment, name, component: 'resource_claim', create });
}

/** The pod, if it may need claims, and its claims, if it needs them no longer. */
function itemsOfPod({ type, object: pod }: ObjectEvent<Stored<Pod>>): readonly ResourceClaimItem[] {
  const hasExtended = pod.status?.extendedResourceClaimStatus !== undefined;
  if ((pod.spec?.resourceClaims ?? []).length === 0 && !hasExtended) return [];
  const isGone = type === 'deleted';
  const unneeded = isGone || isPodDone(pod) ? claimKeysOf(pod).map(claimItem) : [];
  const needsWork = !isGone && pod.metadata.deletionTimestamp === undefined;
  return needsWork ? [...unneeded, itemOf('Pod', pod)] : unneeded;
}

function ownersOf(claim: Stored<resourceV1.ResourceClaim>): readonly string[] {
  const owner = controllerOf(claim);
  return owner?.apiVersion === 'v1' && owner.kind === 'Pod' ? [owner.uid] : [];
}

function claimItem(key: string): ResourceClaimItem {
  const [namespace = '', name = ''] = key.split('/');
  return { kind: 'ResourceClaim', namespace, name };
}

function itemOf(kind: ResourceClaimItem['kind'], object: Stored): ResourceClaimItem {
  return { kind, ...namespacedName(object) };
}
