// Deletes the objects of a namespace, one resource after the other. Pods go first: nothing else is deleted while one is
// left, so that they can use the rest until they end. As pkg/controller/namespace/deletion, deleteAllContent.
import type { Client, Discovered, DiscoveredResource, Stored } from '../../client/index.js';
import {
  errorText,
  isApiError,
  parseTime,
  printGroupResource,
  printGroupVersion,
  printGroupVersionResource,
} from '../../core/index.js';
import type { RequestCause } from '../../core/index.js';
import type { Namespace } from '../../core/types/index.js';
import type { DeletionRound } from './deletion-conditions.js';

/** What a round of deletion uses. */
export interface ContentDeletion {
  readonly client: Client;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  readonly cause: RequestCause;
}

/** The outcome of a round. */
export interface ContentOutcome extends DeletionRound {
  /** When the rest is expected to be gone, in seconds; 0 if nothing is left or no estimate is possible. */
  readonly estimateSeconds: number;
  /** The messages of everything that failed. */
  readonly failures: readonly string[];
}

/** Deletes what can be deleted now. Failures of one resource do not stop the others. */
export async function deleteContent(namespace: Stored<Namespace>, tools: ContentDeletion): Promise<ContentOutcome> {
  const { client, signal } = tools;
  const failures: string[] = [];
  const contentFailures: string[] = [];
  const resources = new Map<string, number>();
  const finalizers = new Map<string, number>();
  let estimateSeconds = 0;
  const discovered = await client.discover({ fresh: true, signal });
  const discoveryFailure = discoveryFailureOf(discovered);
  if (discoveryFailure !== undefined) failures.push(discoveryFailure);

  const empty = async (resource: DiscoveredResource): Promise<void> => {
    const left = await emptyResource(resource, namespace, tools);
    if (left.failure !== undefined) {
      contentFailures.push(left.failure);
      failures.push(
        isPods(resource)
          ? `failed to delete pods for namespace: ${namespace.metadata.name}, err: ${left.failure}`
          : left.failure,
      );
    }
    estimateSeconds = Math.max(estimateSeconds, left.estimateSeconds);
    if (left.remaining.length === 0) return;
    resources.set(`${resource.resource}.${resource.group}`, left.remaining.length);
    for (const [finalizer, count] of countFinalizers(left.remaining))
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + count);
  };
  const outcome = (): ContentOutcome => ({
    estimateSeconds,
    failures,
    contentFailures,
    ...(discoveryFailure !== undefined && { discoveryFailure }),
  });

  const deletable = deletableResources(discovered);
  const pods = deletable.find(isPods);
  if (pods !== undefined) {
    await empty(pods);
    // The conditions do not count them, as in Kubernetes.
    if (resources.size > 0) return outcome();
  }
  for (const resource of deletable) if (!isPods(resource)) await empty(resource);
  return { ...outcome(), remaining: { resources, finalizers } };
}

/** Returns the namespaced resources with `delete`, each in its preferred version. */
function deletableResources({ resources }: Discovered): readonly DiscoveredResource[] {
  const preferred = new Map<string, DiscoveredResource>();
  for (const resource of resources) {
    const key = printGroupResource(resource);
    if (resource.namespaced && !preferred.has(key)) preferred.set(key, resource);
  }
  return [...preferred.values()].filter(({ verbs }) => verbs.includes('delete'));
}

/** As client-go/discovery, ErrGroupDiscoveryFailed. */
function discoveryFailureOf({ failed }: Discovered): string | undefined {
  if (failed.length === 0) return undefined;
  const groups = failed.map(printGroupVersion).toSorted();
  const texts = groups.map((group) => `${group}: stale GroupVersion discovery: ${group}`);
  return `Discovery failed for some groups, ${failed.length} failing: unable to retrieve the complete list of server APIs: ${texts.join(', ')}`;
}

function isPods({ group, version, resource }: DiscoveredResource): boolean {
  return group === '' && version === 'v1' && resource === 'pods';
}

/** What a resource has left. */
interface Left {
  readonly estimateSeconds: number;
  readonly remaining: readonly Stored[];
  readonly failure?: string;
}

async function emptyResource(
  resource: DiscoveredResource,
  namespace: Stored<Namespace>,
  tools: ContentDeletion,
): Promise<Left> {
  const { name } = namespace.metadata;
  let estimateSeconds = 0;
  try {
    if (isPods(resource)) estimateSeconds = await graceOfPods(namespace, tools);
    const list = async (): Promise<readonly Stored[]> => {
      if (!resource.verbs.includes('list')) return [];
      const { signal } = tools;
      return (await tools.client.resource(resource).in(name).list({ signal })).items;
    };
    await deleteObjects(resource, name, list, tools);
    const remaining = await list();
    if (remaining.length === 0) return { estimateSeconds: 0, remaining };
    if (estimateSeconds > 0) return { estimateSeconds, remaining };
    if (countFinalizers(remaining).size > 0) return { estimateSeconds: finalizerEstimateSeconds, remaining };
    const failure = `unexpected items still remain in namespace: ${name} for gvr: ${printGroupVersionResource(resource)}`;
    return { estimateSeconds, remaining, failure };
  } catch (error) {
    if (tools.signal.aborted) throw error;
    return { estimateSeconds, remaining: [], failure: errorText(error) };
  }
}

const finalizerEstimateSeconds = 15;

/** Deletes the collection, or each object where the resource has no collection deletion. */
async function deleteObjects(
  resource: DiscoveredResource,
  namespace: string,
  list: () => Promise<readonly Stored[]>,
  { client, signal, cause }: ContentDeletion,
): Promise<void> {
  const objects = client.resource(resource).in(namespace);
  // Everything in the namespace is deleted anyway: nothing is to be orphaned or waited for.
  const options = { propagationPolicy: 'Background', signal, cause } as const;
  if (resource.verbs.includes('deletecollection')) {
    await objects.deleteCollection(options);
    return;
  }
  for (const { metadata } of await list()) {
    try {
      await objects.delete(metadata.name, options);
    } catch (error) {
      if (!isApiError(error, 'NotFound') && !isApiError(error, 'MethodNotAllowed')) throw error;
    }
  }
}

/** Returns the longest grace period of running pods in seconds; 0 once that has passed since the deletion. */
async function graceOfPods(
  { metadata }: Stored<Namespace>,
  { client, nowMs, signal }: ContentDeletion,
): Promise<number> {
  const { items } = await client.kind('v1', 'Pod').in(metadata.name).list({ signal });
  const graces = items
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    .map(({ spec }) => spec?.terminationGracePeriodSeconds ?? 0);
  const longest = graces.reduce((one, other) => Math.max(one, other), 0);
  const passedMs = nowMs - parseTime(metadata.deletionTimestamp ?? '');
  return passedMs >= longest * 1000 ? 0 : longest;
}

function countFinalizers(objects: readonly Stored[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { metadata } of objects)
    for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  return counts;
}
