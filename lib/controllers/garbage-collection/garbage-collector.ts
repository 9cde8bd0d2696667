// The garbage collector: deletes objects whose owners are all gone, and does the work of the finalizers
// `foregroundDeletion` and `orphan`. Events of all resources change the dependency graph; what they call for goes
// through one work queue, in which a node is to be deleted or to be orphaned. As pkg/controller/garbagecollector.
import { defer, merge, mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { awaitChange, controller, eventRecorder, informers, requeueAfter } from '../../client/index.js';
import type {
  Action,
  ControllerActivity,
  EventFailed,
  EventRecorder,
  KindName,
  Stored,
  Watch,
  WatchSignal,
} from '../../client/index.js';
import { Outlet, backoffLadders, delayAfter, quote } from '../../core/index.js';
import type { Part, RestMapper, WatcherEvent } from '../../core/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { attemptToDelete, attemptToOrphan } from './collection.js';
import type { Collected } from './collection.js';
import { DependencyGraph } from './dependency-graph.js';
import type { GraphChange, GraphNode } from './dependency-graph.js';
import { followResources } from './followed-resources.js';
import type { FollowedEvent } from './followed-resources.js';
import { ownerIdentity, printIdentity } from './object-identity.js';
import { isUnknownOwnerError, ownerLookup } from './owner-lookup.js';

/** Work of the garbage collector: what to attempt for the object with a uid. */
export interface CollectionItem {
  readonly attempt: 'delete' | 'orphan';
  readonly uid: string;
}

/** The activities of the garbage collector. */
export type GarbageCollectorActivity = ControllerActivity<CollectionItem, Collected> | EventFailed;

/** Options of the garbage collector. */
export interface GarbageCollectorOptions extends ControllerEnvironment {
  /** Emits when the server may serve other resources. Default: every 30 s. */
  readonly resourceChanges$?: Observable<unknown>;
}

/** Creates the garbage collector. */
export function garbageCollector(options: GarbageCollectorOptions): Part<GarbageCollectorActivity> {
  const { client, clock, random, concurrency = 20 } = options;
  const shared = options.informers ?? informers(client, { clock, random });
  const component = 'garbage-collector-controller';
  const run = (): Observable<GarbageCollectorActivity> => {
    const recorder = eventRecorder({ client, clock, random: random.stream('events'), component });
    const graph = new DependencyGraph();
    const queued = new Outlet<CollectionItem>();
    const verifications = new Map<string, number>();
    let mapper: RestMapper | undefined;
    const lookup = ownerLookup(client, () => mapper);

    /** Does what a change calls for, and returns the work that it makes. */
    const absorb = (change: GraphChange): readonly CollectionItem[] => {
      for (const identity of change.absent) lookup.addAbsent(identity);
      for (const misplaced of change.misplaced) reportMisplaced(misplaced, recorder);
      return [...change.toOrphan.map(asItem('orphan')), ...change.toDelete.map(asItem('delete'))];
    };
    const signalsOf = (event: FollowedEvent): readonly WatchSignal<CollectionItem>[] => {
      switch (event.type) {
        case 'synced':
        case 'failed':
          return [event];
        case 'discovered':
          ({ mapper } = event.discovered);
          // Kinds of references that were unknown may be known now.
          return [{ type: 'items', items: Array.from(verifications.keys(), (uid) => ({ attempt: 'delete', uid })) }];
        case 'stopped':
          return [{ type: 'items', items: absorb(graph.unobserve(event.kind)) }];
        case 'objects':
          if (event.event.type === 'failed') return [event.event];
          return changesOf(graph, event.kind, event.event).map((change) => ({ type: 'items', items: absorb(change) }));
      }
    };
    const everything: Watch<CollectionItem> = {
      signals$: followResources({ ...options, informers: shared }).pipe(mergeMap(signalsOf)),
    };
    /** Looks at a node again later: its owner's kind is unknown, or it has not been observed yet. */
    const verifyLater = (uid: string): Action => {
      const attempts = (verifications.get(uid) ?? 0) + 1;
      verifications.set(uid, attempts);
      return requeueAfter(delayAfter(backoffLadders.workQueueItem, attempts));
    };
    const collector = controller<CollectionItem, Collected>({
      name: component,
      clock,
      steps$: options.steps$,
      concurrency,
      keyOf: ({ attempt, uid }) => `${attempt} ${uid}`,
      watches: [everything],
      triggers$: queued.values$,
      reconcile: async ({ attempt, uid }, { emit, signal, cause }) => {
        const node = graph.node(uid);
        if (node === undefined) {
          verifications.delete(uid);
          return awaitChange;
        }
        const tools = { client, graph, lookup, emit, signal, cause, absorb: enqueue };
        try {
          if (attempt === 'orphan') await attemptToOrphan(node, tools);
          else await attemptToDelete(node, tools);
        } catch (error) {
          if (!isUnknownOwnerError(error)) throw error;
          return error.reason === 'scope' ? awaitChange : verifyLater(uid);
        }
        const after = graph.node(uid);
        if (after !== undefined && after.object === undefined) return verifyLater(uid);
        verifications.delete(uid);
        return awaitChange;
      },
    });
    const enqueue = (change: GraphChange): void => {
      for (const item of absorb(change)) queued.emit(item);
    };
    return merge(recorder.run(), collector.run());
  };
  return { name: component, run: () => defer(run) };
}

function asItem(attempt: CollectionItem['attempt']): (node: GraphNode) => CollectionItem {
  return ({ identity }) => ({ attempt, uid: identity.uid });
}

/** Brings the graph up to date with an event of objects. */
function changesOf(graph: DependencyGraph, kind: KindName, event: WatcherEvent<Stored>): readonly GraphChange[] {
  if (event.type === 'deleted') return [graph.forget(event.object.metadata.uid)];
  if (event.type !== 'listed' && event.type !== 'applied') return [];
  const { object, old } = event;
  const observed = (): GraphChange => graph.observe(kind, object);
  // Another uid: the watch has missed that the name was deleted and created again.
  const isReplaced = old !== undefined && old.metadata.uid !== object.metadata.uid;
  return isReplaced ? [graph.forget(old.metadata.uid), observed()] : [observed()];
}

/** Records that a dependent refers to an owner of another namespace. As reportInvalidNamespaceOwnerRef. */
function reportMisplaced({ dependent, ownerUid }: GraphChange['misplaced'][number], recorder: EventRecorder): void {
  const { apiVersion, kind, namespace, name, uid } = dependent.identity;
  const reference = dependent.references.find((each) => each.uid === ownerUid);
  if (reference === undefined) return;
  const owner = printIdentity(ownerIdentity(reference, namespace));
  recorder.record({
    regarding: { apiVersion, kind, name, uid, ...(namespace !== '' && { namespace }) },
    type: 'Warning',
    reason: 'OwnerRefInvalidNamespace',
    message: `ownerRef ${owner} does not exist in namespace ${quote(namespace)}`,
  });
}
