// Keeps the graph of nodes current with the server's objects: pods, persistent volumes, volume attachments and resource
// slices. Nothing is read before the first request, which waits until all of them are listed. As
// plugin/pkg/auth/authorizer/node/graph_populator.go.
import { combineLatest, concatMap, defer } from 'rxjs';
import type { Observable } from 'rxjs';
import { deepEqual, objectKey, onDemand } from '../../../core/index.js';
import type { ApiObject, Frozen, GroupResource, ObjectInformers } from '../../../core/index.js';
import type { PersistentVolume, Pod, ResourceSlice, VolumeAttachment } from '../../../core/types/index.js';
import { NodeGraph } from './node-graph.js';
import { podReferences, reference, volumeSecrets } from './object-references.js';

/** Sources of the graph. */
export interface GraphSources {
  readonly informers: ObjectInformers;
  /** Emits when the server is closed; ends the informers of the graph. */
  readonly closed$: Observable<void>;
}

/** Returns the graph, synchronously once everything is listed. If an informer fails, the next call starts again. */
export function followedGraph({ informers, closed$ }: GraphSources): () => NodeGraph | Promise<NodeGraph> {
  let graph = new NodeGraph();
  const followed$ = defer(() => {
    const fresh = (graph = new NodeGraph());
    return combineLatest(sources.map((source) => followSource(source, fresh, informers)));
  });
  const { whenReady } = onDemand(followed$, closed$);
  const current = (): NodeGraph => graph;
  return () => whenReady(current);
}

/** A resource whose objects relate nodes to other objects. */
interface Source<T extends ApiObject = ApiObject> {
  readonly resource: GroupResource;
  /** Returns true if an update does not affect the graph. Most do not: nodes report the status of their pods often. */
  isSame(before: Frozen<T>, now: Frozen<T>): boolean;
  put(graph: NodeGraph, key: string, object: Frozen<T>): void;
  remove(graph: NodeGraph, key: string): void;
}

/** Updates a source's part of the graph; emits whenever a list is complete. */
function followSource(source: Source, graph: NodeGraph, informers: ObjectInformers): Observable<Source> {
  return informers.of(source.resource).events$.pipe(
    concatMap((event) => {
      if (event.type === 'synced') return [source];
      if (event.type === 'deleted') source.remove(graph, objectKey(event.object));
      else if (event.type === 'listed' || event.type === 'applied') {
        const { object, old } = event;
        if (old === undefined || !source.isSame(old, object)) source.put(graph, objectKey(object), object);
      }
      return [];
    }),
  );
}

const pods: Source<Pod> = {
  resource: { group: '', resource: 'pods' },
  // The references in the spec of a bound pod are immutable, except for ephemeral containers.
  isSame: (before, now) =>
    before.metadata?.uid === now.metadata?.uid &&
    before.spec?.nodeName === now.spec?.nodeName &&
    before.spec?.ephemeralContainers?.length === now.spec?.ephemeralContainers?.length &&
    deepEqual(before.status?.resourceClaimStatuses, now.status?.resourceClaimStatuses) &&
    deepEqual(before.status?.extendedResourceClaimStatus, now.status?.extendedResourceClaimStatus),
  put(graph, key, pod) {
    const { namespace = '', name = '' } = pod.metadata ?? {};
    const node = pod.spec?.nodeName ?? '';
    if (node === '') graph.take(`pods ${key}`);
    else graph.give(`pods ${key}`, node, new Set(podReferences(pod)).add(reference('pod', namespace, name)));
  },
  remove: (graph, key) => graph.take(`pods ${key}`),
};

const volumes: Source<PersistentVolume> = {
  resource: { group: '', resource: 'persistentvolumes' },
  isSame: (before, now) => deepEqual(before.spec, now.spec),
  put(graph, key, volume) {
    const { claimRef } = volume.spec ?? {};
    if (claimRef === undefined) graph.unbind(key);
    else
      graph.bind(
        key,
        reference('claim', claimRef.namespace ?? '', claimRef.name ?? ''),
        new Set(volumeSecrets(volume)).add(reference('volume', '', key)),
      );
  },
  remove: (graph, key) => graph.unbind(key),
};

const attachments: Source<VolumeAttachment> = {
  resource: { group: 'storage.k8s.io', resource: 'volumeattachments' },
  isSame: (before, now) => before.spec.nodeName === now.spec.nodeName,
  put: (graph, key, { spec }) => giveItself(graph, reference('attachment', '', key), spec.nodeName),
  remove: (graph, key) => graph.take(reference('attachment', '', key)),
};

const slices: Source<ResourceSlice> = {
  resource: { group: 'resource.k8s.io', resource: 'resourceslices' },
  isSame: (before, now) => before.spec.nodeName === now.spec.nodeName,
  put: (graph, key, { spec }) => giveItself(graph, reference('slice', '', key), spec.nodeName),
  remove: (graph, key) => graph.take(reference('slice', '', key)),
};

function giveItself(graph: NodeGraph, object: string, node = ''): void {
  if (node === '') graph.take(object);
  else graph.give(object, node, new Set([object]));
}

/** Each source receives only objects of its own resource. */
const sources = [pods, volumes, attachments, slices] as readonly Source[];
