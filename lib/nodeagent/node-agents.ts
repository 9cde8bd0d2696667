// The agents of one or thousands of nodes as one Part: pods come from one shared watch and are passed to their nodes by
// name, so a change of a pod costs the same on any number of nodes. All waiting is in one set of alarms.
import { EMPTY, concat, defer, finalize, from, ignoreElements, merge, mergeMap, tap } from 'rxjs';
import type { Observable, ObservableInput } from 'rxjs';
import { eventRecorder } from '../client/index.js';
import type { Client, Informers } from '../client/index.js';
import { Outlet, objectReference, withMembers } from '../core/index.js';
import type { Activity, Clock, Frozen, Part, Random, WatcherEvent } from '../core/index.js';
import type { Pod, UserInfo } from '../core/types/index.js';
import { AgentNode } from './agent-node.js';
import { Alarms } from './alarms.js';
import { defaultHeartbeat } from './node/heartbeat.js';
import type { HeartbeatTimes } from './node/heartbeat.js';
import { completeKubelet } from './node/kubelet-settings.js';
import type { KubeletOptions } from './node/kubelet-settings.js';
import { completeNode } from './node/node-settings.js';
import type { NodeOptions } from './node/node-settings.js';
import type { NodeActivity, NodePodEvent } from './node-tools.js';
import { relistEvents } from './relist.js';
import type { ContainerRuntime } from './runtime/container-runtime.js';
import type { VolumeDriver } from './volumes/volume-driver.js';

/** Options of agents. */
export interface NodeAgentsOptions {
  /** Default `node-agents`. */
  readonly name?: string;
  /** Returns the client of a node, which acts as `user`. */
  clientOf(user: UserInfo): Client;
  /** Where pods and nodes are watched. With the client of one node: the pods of that node only, see `podSelector`. */
  readonly informers: Informers;
  /** The field selector of the watch of pods. Default: all pods that the informers' client may see. */
  readonly podSelector?: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly nodes: readonly NodeOptions[];
  /** Creates the runtime of a node when its agent starts; undefined for nodes that run nothing. */
  readonly runtime: ((node: NodeOptions, index: number) => ContainerRuntime) | undefined;
  /** Default: as kubelet's. False: the node is registered, without a Lease and without further reports. */
  readonly heartbeat?: Partial<HeartbeatTimes> | false;
  /**
   * Returns the static pods of a node: each value is the whole set, which the node runs without the API. Mirror pods
   * show them in the API. Default: none.
   */
  readonly staticPods?: (node: NodeOptions) => ObservableInput<readonly Frozen<Pod>[]>;
  /** Storage drivers of each node, for volumes of claims and inline CSI volumes. Default: none. */
  readonly volumeDrivers?: (node: NodeOptions) => readonly VolumeDriver[];
  /** Eviction, garbage collection and shutdown. Default: none of them, so that a fleet has no timers for them. */
  readonly kubelet?: KubeletOptions;
  /** False: no Events about pods are recorded. Default true. */
  readonly recordsEvents?: boolean;
}

/** Switches nodes off. Unknown names have no effect. */
export interface NodeControl {
  /**
   * Shuts a node down in order, within `shutdownGracePeriod` of its kubelet: it is not ready, refuses new pods and
   * stops the others, those of lower priority first. Resolves when it is off.
   */
  shutDown(node: string): Promise<void>;
  /** Switches a node off at once, as a crash: heartbeat and pods stop, and the API keeps what it shows of them. */
  powerOff(node: string): void;
}

/** Agents of nodes. */
export interface NodeAgents extends Part<NodeActivity | Activity>, NodeControl {
  /** Returns a node while the part runs. */
  node(name: string): AgentNode | undefined;
}

/** Creates the agents of nodes. */
export function nodeAgents(options: NodeAgentsOptions): NodeAgents {
  const { clock, random, informers, name = 'node-agents', recordsEvents = true } = options;
  const nodes = new Map<string, AgentNode>();

  const run = (): Observable<NodeActivity | Activity> =>
    defer(() => {
      const stop = new AbortController();
      const activities = new Outlet<NodeActivity>();
      const alarms = new Alarms(clock);
      const clients = new Map<string, Client>();
      const clientOfNode = (node: string): Client => {
        const known = clients.get(node);
        if (known !== undefined) return known;
        const made = options.clientOf(nodeUser(node));
        clients.set(node, made);
        return made;
      };
      const recorder = eventRecorder({
        client: clientOfNode(options.nodes[0]?.name ?? ''),
        clientOf: ({ host = '' }) => clientOfNode(host),
        clock,
        random: random.stream('events'),
        component: 'kubelet',
      });
      const recordNothing = (): void => undefined;
      const nodeObjects = informers.kind('v1', 'Node');
      const pods = informers.kind(
        'v1',
        'Pod',
        options.podSelector === undefined ? {} : { fieldSelector: options.podSelector },
      );
      const heartbeats = random.stream('heartbeat');
      const kubelet = options.kubelet && completeKubelet(options.kubelet);
      for (const [index, each] of options.nodes.entries()) {
        const settings = completeNode(each);
        const node = new AgentNode({
          settings,
          runtime: options.runtime?.(each, index),
          kubelet,
          volumeDrivers: options.volumeDrivers?.(each) ?? [],
          times: options.heartbeat === false ? undefined : { ...defaultHeartbeat, ...options.heartbeat },
          client: clientOfNode(each.name),
          clock,
          random: heartbeats,
          alarms,
          signal: stop.signal,
          record: recordsEvents ? (event) => recorder.record(eventOf(event, each.name)) : recordNothing,
          recordNode: (type, reason, message) => {
            if (!recordsEvents) return;
            const regarding = { apiVersion: 'v1', kind: 'Node', name: each.name, uid: each.name };
            recorder.record({ regarding, type, reason, message, host: each.name });
          },
          emit: (activity) => activities.emit(activity),
          nodeObject: () => nodeObjects.get(each.name),
        });
        nodes.set(each.name, node);
      }
      const running = [...nodes.values()];
      const isRunningPods = options.runtime !== undefined;
      const registered$ = from(running).pipe(
        mergeMap((node) => from(node.heartbeat.start().then(() => node.registered())), registrationsMax),
        ignoreElements(),
      );
      const events$ = from(running).pipe(
        mergeMap((node) => (node.runtime === undefined ? EMPTY : runtimeEvents(node, node.runtime, clock))),
      );
      const listing = new Map<string, Set<string>>();
      const pods$ = pods.events$.pipe(
        tap((event) => dispatch(event, nodes, listing)),
        ignoreElements(),
      );
      const { staticPods } = options;
      const statics$ =
        staticPods === undefined || !isRunningPods
          ? EMPTY
          : from(options.nodes).pipe(
              mergeMap((each) =>
                from(staticPods(each)).pipe(tap((manifests) => nodes.get(each.name)?.setStaticPods(manifests))),
              ),
              ignoreElements(),
            );
      // The activities first, since everything else emits them.
      return merge(
        activities.values$,
        recorder.run(),
        alarms.run(),
        // The objects of nodes are read at admission.
        isRunningPods ? nodeObjects.events$.pipe(ignoreElements()) : EMPTY,
        events$,
        registered$,
        statics$,
        isRunningPods ? pods$ : EMPTY,
      ).pipe(
        finalize(() => {
          stop.abort();
          for (const { runtime } of running) void runtime?.close?.();
          nodes.clear();
        }),
      );
    });
  return {
    name,
    run,
    node: (node) => nodes.get(node),
    shutDown: async (node) => nodes.get(node)?.shutDown(),
    powerOff: (node) => nodes.get(node)?.powerOff(),
  };
}

/** How many nodes are registered at a time. */
const registrationsMax = 64;

/** Returns the user that a node acts as. */
export function nodeUser(node: string): UserInfo {
  return { username: `system:node:${node}`, groups: ['system:nodes', 'system:authenticated'] };
}

/** Passes changes of containers to their node. */
function runtimeEvents(node: AgentNode, runtime: ContainerRuntime, clock: Clock): Observable<never> {
  const relist$ = relistEvents(runtime, { clock, setProblems: (problems) => node.setProblems(problems) });
  return concat(runtime.events$ ?? EMPTY, relist$).pipe(
    tap((event) => node.handle(event)),
    ignoreElements(),
  );
}

/** Passes a change of a pod to its node. `listing`: the pods of a list that is under way, by node. */
function dispatch(
  event: WatcherEvent<Frozen<Pod>>,
  nodes: ReadonlyMap<string, AgentNode>,
  listing: Map<string, Set<string>>,
): void {
  switch (event.type) {
    case 'init':
      listing.clear();
      return;
    case 'listed':
    case 'applied': {
      const { metadata, spec } = event.object;
      const node = nodes.get(spec?.nodeName ?? '');
      if (node === undefined) return;
      if (event.type === 'listed') addTo(listing, node.name, metadata?.uid ?? '');
      node.apply(event.object);
      return;
    }
    case 'deleted':
      nodes.get(event.object.spec?.nodeName ?? '')?.remove(event.object.metadata?.uid ?? '');
      return;
    case 'synced':
      for (const node of nodes.values()) node.retain(listing.get(node.name) ?? none);
      listing.clear();
      return;
    case 'bookmark':
    case 'failed':
      return;
  }
}

const none: ReadonlySet<string> = new Set();

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}

/** Returns what is recorded about a pod of a node. */
function eventOf(
  { pod, container, type, reason, message }: NodePodEvent,
  host: string,
): Parameters<ReturnType<typeof eventRecorder>['record']>[0] {
  const reference = objectReference({ apiVersion: 'v1', kind: 'Pod' }, pod);
  if (container === undefined) return { regarding: reference, type, reason, message, host };
  const fieldPath = `spec.${containerLists[container.sort]}{${container.name}}`;
  return { regarding: withMembers(reference, { fieldPath }), type, reason, message, host };
}

const containerLists = { init: 'initContainers', regular: 'containers', ephemeral: 'ephemeralContainers' } as const;
