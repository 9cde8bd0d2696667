// The graph kept in step with the server's objects: pods, persistent volumes, volume attachments and resource slices.
// Nothing is read before the first question; that one waits until all of them are known. As
// plugin/pkg/auth/authorizer/node/graph_populator.go.
import { concatMap, defer, merge } from 'rxjs';
import type { Observable } from 'rxjs';
import { deepEqual, objectKey } from '../../../core/index.js';
import type { ApiObject, Frozen, GroupResource, ObjectReader, WatchEvent } from '../../../core/index.js';
import type { PersistentVolume, Pod, ResourceSlice, VolumeAttachment } from '../../../core/types/index.js';
import { NodeGraph } from './node-graph.js';
import { podReferences, reference, volumeSecrets } from './object-references.js';

/** Answers the graph, at once when everything is known. */
export function followedGraph(reader: ObjectReader): () => NodeGraph | Promise<NodeGraph> {
  let known: NodeGraph | undefined;
  let coming: Promise<NodeGraph> | undefined;
  const follow = (): Promise<NodeGraph> =>
    new Promise((resolve, reject) => {
      const graph = new NodeGraph();
      const unknown = new Set(sources);
      const followed$ = merge(...sources.map((source) => followedSource(source, graph, reader)));
      const following = followed$.forEach((source) => {
        unknown.delete(source);
        if (unknown.size > 0) return;
        known = graph;
        resolve(graph);
      });
      following.then(
        () => resolve(graph),
        (error: unknown) => {
          // The next question begins anew: what the graph says is not true any more.
          known = undefined;
          coming = undefined;
          reject(
            error instanceof Error ? error : new Error('the objects of nodes cannot be followed', { cause: error }),
          );
        },
      );
    });
  return () => known ?? (coming ??= follow());
}

/** Objects that relate nodes to objects. */
interface Source<T extends ApiObject = ApiObject> {
  readonly resource: GroupResource;
  /** Whether a change is none for the graph. Most are not: nodes report on their pods all the time. */
  isSame(before: Frozen<T>, now: Frozen<T>): boolean;
  put(graph: NodeGraph, key: string, object: Frozen<T>): void;
  remove(graph: NodeGraph, key: string): void;
}

/** Keeps a source's part of the graph; emits itself whenever a list is complete. */
function followedSource(source: Source, graph: NodeGraph, reader: ObjectReader): Observable<Source> {
  return defer(() => {
    const known = new Map<string, Frozen<ApiObject>>();
    let listed = new Set<string>();
    const put = (object: Frozen<ApiObject>): void => {
      const key = objectKey(object);
      const before = known.get(key);
      known.set(key, object);
      if (before === undefined || !source.isSame(before, object)) source.put(graph, key, object);
    };
    const remove = (key: string): void => {
      known.delete(key);
      source.remove(graph, key);
    };
    const take = (event: WatchEvent<Frozen<ApiObject>>): readonly Source[] => {
      if (event.type === 'init') listed = new Set();
      else if (event.type === 'applied') put(event.object);
      else if (event.type === 'deleted') remove(objectKey(event.object));
      else if (event.type === 'listed') {
        listed.add(objectKey(event.object));
        put(event.object);
      } else if (event.type === 'synced') {
        for (const key of [...known.keys()]) if (!listed.has(key)) remove(key);
        listed = new Set();
        return [source];
      }
      return [];
    };
    return reader.changes<ApiObject>(source.resource).pipe(concatMap(take));
  });
}

const pods: Source<Pod> = {
  resource: { group: '', resource: 'pods' },
  // What a bound pod names in its spec stays, but for ephemeral containers.
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

/** Each hears only of objects of its own resource. */
const sources = [pods, volumes, attachments, slices] as readonly Source[];
