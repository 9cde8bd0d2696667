// What the resource claim controller does for a pod: claims from templates, their names in the status of the pod, and
// reservations of allocated claims for a pod that has a node. A claim is created before its name is written: after a
// crash in between it is found by its owner and its annotation.
import type { Client, EventRecorder, Stored } from '../../client/index.js';
import { errorText, objectKey, objectReference, ownerReference } from '../../core/index.js';
import type { RequestCause, Snapshot } from '../../core/index.js';
import type { Pod, resourceV1, ResourceClaimTemplate } from '../../core/types/index.js';
import { isClaimOf, isReservedForPod, podClaimsOf } from './pod-resource-claims.js';
import type { ClaimEntry } from './pod-resource-claims.js';
import type { ResourceClaimChanged } from './resource-claims.js';

/** What a reconcile reads, and how it writes. */
export interface ClaimContext {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly cause: RequestCause;
  readonly pods: Snapshot<Stored<Pod>>;
  readonly claims: Snapshot<Stored<resourceV1.ResourceClaim>, 'owner'>;
  readonly templates: Snapshot<Stored<ResourceClaimTemplate>>;
  /** Claims that were created and that the informer may not show yet, by pod and entry. */
  readonly created: Map<string, Stored<resourceV1.ResourceClaim>>;
  readonly recorder: EventRecorder;
  readonly emit: (change: ResourceClaimChanged) => void;
}

/** Creates and reserves the claims of a pod. Throws if one cannot be created, after an Event that says why. */
export async function syncPodClaims(pod: Stored<Pod>, context: ClaimContext): Promise<void> {
  const { client, signal, cause, recorder } = context;
  const { namespace = '', name, uid } = pod.metadata;
  const statuses: { readonly name: string; readonly resourceClaimName: string }[] = [];
  for (const entry of podClaimsOf(pod)) {
    try {
      const claim = await ensureClaim(pod, entry, context);
      if (claim !== undefined && claim !== entry.claim) statuses.push({ name: entry.name, resourceClaimName: claim });
    } catch (error) {
      const regarding = objectReference({ apiVersion: 'v1', kind: 'Pod' }, pod);
      const message = `PodResourceClaim ${entry.name}: ${errorText(error)}`;
      recorder.record({ regarding, type: 'Warning', reason: 'FailedResourceClaimCreation', message });
      throw new Error(`pod ${namespace}/${name}, ${message}`, { cause: error });
    }
  }
  if (statuses.length > 0) {
    const strategic = { metadata: { uid }, status: { resourceClaimStatuses: statuses } };
    await client.kind('v1', 'Pod').in(namespace).status.patch(name, { strategic }, { signal, cause });
  }
  if ((pod.spec?.nodeName ?? '') !== '') await reserveClaims(pod, context);
}

/** Returns the name of the claim of an entry from a template; undefined if the entry names one, or needs none. */
async function ensureClaim(pod: Stored<Pod>, entry: ClaimEntry, context: ClaimContext): Promise<string | undefined> {
  const { template, claim } = entry;
  if (template === undefined || claim === null) return undefined;
  const { namespace = '', uid } = pod.metadata;
  const key = `${uid}/${entry.name}`;
  const known = claim === undefined ? undefined : context.claims.get(`${namespace}/${claim}`);
  if (known !== undefined && isClaimOf(pod, known)) {
    context.created.delete(key);
    return claim;
  }
  const owned = context.claims.by('owner', uid).find((each) => each.metadata.annotations?.[annotation] === entry.name);
  const found = owned ?? context.created.get(key) ?? (await createClaim(pod, entry.name, template, context));
  if (owned === undefined) context.created.set(key, found);
  return found.metadata.name;
}

async function createClaim(
  pod: Stored<Pod>,
  entry: string,
  templateName: string,
  { client, signal, cause, templates, emit }: ClaimContext,
): Promise<Stored<resourceV1.ResourceClaim>> {
  const { namespace = '', name } = pod.metadata;
  const template = templates.get(`${namespace}/${templateName}`);
  if (template === undefined)
    throw new Error(
      `resource claim template ${JSON.stringify(templateName)}: resourceclaimtemplate.resource.k8s.io ${JSON.stringify(templateName)} not found`,
    );
  const { metadata: { labels, annotations } = {}, spec } = template.spec;
  const gvk = { group: '', version: 'v1', kind: 'Pod' };
  const metadata = {
    generateName: generateName(name, entry),
    ownerReferences: [ownerReference(pod, { gvk, controller: true })],
    annotations: { ...annotations, [annotation]: entry },
    ...(labels && { labels }),
  };
  try {
    const claims = client.kind('resource.k8s.io/v1', 'ResourceClaim').in(namespace);
    const created = await claims.create({ metadata, spec }, { signal, cause });
    emit({ type: 'created', claim: { namespace, name: created.metadata.name } });
    return created;
  } catch (error) {
    throw new Error(`create ResourceClaim : ${errorText(error)}`, { cause: error });
  }
}

/** The prefix of the name of a claim: both names, each cut in proportion if they are too long for a label. */
function generateName(pod: string, entry: string): string {
  const full = `${pod}-${entry}-`;
  if (full.length <= baseLengthMax) return full;
  const cut = (name: string): string => name.slice(0, Math.floor((name.length * baseLengthMax) / full.length));
  return `${cut(pod)}-${cut(entry)}`;
}

/** Reserves allocated claims for a pod that was bound without the scheduler, which reserves them itself. */
async function reserveClaims(pod: Stored<Pod>, { client, signal, cause, claims, emit }: ClaimContext): Promise<void> {
  const { namespace = '', name, uid } = pod.metadata;
  for (const { claim: claimName, template } of podClaimsOf(pod)) {
    const claim = typeof claimName === 'string' ? claims.get(`${namespace}/${claimName}`) : undefined;
    if (claim?.status?.allocation === undefined) continue;
    if (template !== undefined && !isClaimOf(pod, claim))
      throw new Error(
        `ResourceClaim ${objectKey(claim)} was not created for pod ${namespace}/${name} (pod is not owner)`,
      );
    const { reservedFor = [] } = claim.status;
    if (isReservedForPod(pod, claim) || reservedFor.length >= consumersMax) continue;
    const status = { ...claim.status, reservedFor: [...reservedFor, { resource: 'pods', name, uid }] };
    const writable = client.kind('resource.k8s.io/v1', 'ResourceClaim').in(namespace);
    await writable.status.update({ ...claim, status }, { signal, cause });
    emit({ type: 'reserved', claim: { namespace, name: claim.metadata.name } });
  }
}

/** Names the entry of the pod that a claim was created for. */
const annotation = 'resource.kubernetes.io/pod-claim-name';
/** Leaves room for a hyphen and five random characters. */
const baseLengthMax = 57;
/** As ResourceClaimReservedForMaxSize. */
const consumersMax = 256;
