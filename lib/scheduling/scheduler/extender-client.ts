// The client of an extender: a service that filters or scores nodes, selects victims or binds, over HTTP and JSON.
// Responses are untrusted: time and size are limited and only the known fields are read. As pkg/scheduler/extender.go;
// bodies are those of kube-scheduler/extender/v1.
import { lastValueFrom, merge, mergeMap, take, throwError } from 'rxjs';
import { chunksOf } from '../../client/index.js';
import type { ByteStream, Transport } from '../../client/index.js';
import { aborted, encodeJson, isJsonObject, quote, reasonOf } from '../../core/index.js';
import type { Clock, Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { NodeView } from '../cluster/node-view.js';
import type { Extender } from '../configuration/scheduler-configuration.js';
import type { ProposedVictims, PreemptionExtender } from '../framework/plugin-tools.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { abortable } from './abortable.js';

/** The dependencies of an extender client. */
export interface ExtenderClientOptions {
  readonly transport: Transport;
  readonly clock: Clock;
}

/** The result of an extender's filter. */
export interface ExtenderVerdict {
  readonly nodes: readonly NodeView[];
  /** Reasons of infeasible nodes, by node name. */
  readonly failed: ReadonlyMap<string, string>;
  /** Reasons of infeasible nodes where preemption cannot help, by node name. */
  readonly unresolvable: ReadonlyMap<string, string>;
}

/** An extender. Calls reject on failure; the caller ignores the failure if `ignorable`. */
export interface ExtenderClient extends PreemptionExtender {
  readonly url: string;
  readonly filters: boolean;
  readonly prioritizes: boolean;
  readonly preempts: boolean;
  readonly binds: boolean;
  /** Filters nodes. */
  filter(pod: Frozen<Pod>, nodes: readonly NodeView[], signal: AbortSignal): Promise<ExtenderVerdict>;
  /** Returns the weighted score of each node, by name. */
  prioritize(pod: Frozen<Pod>, nodes: readonly NodeView[], signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  /** Binds the pod to the node. */
  bind(pod: Frozen<Pod>, nodeName: string, signal: AbortSignal): Promise<void>;
}

/** Creates the client of an extender. It sends nothing by itself. */
export function extenderClient(extender: Extender, options: ExtenderClientOptions): ExtenderClient {
  const {
    urlPrefix,
    filterVerb = '',
    prioritizeVerb = '',
    preemptVerb = '',
    bindVerb = '',
    weight,
    nodeCacheCapable = false,
    ignorable = false,
  } = extender;
  const managed = new Set((extender.managedResources ?? []).map(({ name }) => name));
  const send = (verb: string, body: unknown, signal: AbortSignal): Promise<unknown> =>
    sendWithTimeout(extender, verb, body, signal, options);
  const nodesArgument = (nodes: readonly NodeView[]): JsonObjectLike =>
    nodeCacheCapable
      ? { Nodes: null, NodeNames: nodes.map(({ name }) => name) }
      : { Nodes: { metadata: {}, items: nodes.map(({ object }) => object) }, NodeNames: null };
  return {
    url: urlPrefix,
    ignorable,
    filters: filterVerb !== '',
    prioritizes: prioritizeVerb !== '',
    preempts: preemptVerb !== '',
    binds: bindVerb !== '',
    isInterested: (pod) => managed.size === 0 || requestsAny(pod, managed),
    filter: async (pod, nodes, signal) =>
      readVerdict(await send(filterVerb, { Pod: pod, ...nodesArgument(nodes) }, signal), nodes, extender),
    prioritize: async (pod, nodes, signal) =>
      readScores(await send(prioritizeVerb, { Pod: pod, ...nodesArgument(nodes) }, signal), weight),
    preempt: async (pod, candidates, signal) => {
      const victims = Object.fromEntries(
        Array.from(candidates, ([{ name }, each]) => [name, victimsArgument(each, nodeCacheCapable)]),
      );
      const argument = nodeCacheCapable
        ? { NodeNameToVictims: null, NodeNameToMetaVictims: victims }
        : { NodeNameToVictims: victims, NodeNameToMetaVictims: null };
      return readVictims(await send(preemptVerb, { Pod: pod, ...argument }, signal), candidates, urlPrefix);
    },
    bind: async (pod, nodeName, signal) => {
      const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
      const error = text(
        member(
          await send(bindVerb, { PodName: name, PodNamespace: namespace, PodUID: uid, Node: nodeName }, signal),
          'Error',
        ),
      );
      if (error !== '') throw new Error(error);
    },
  };
}

type JsonObjectLike = Readonly<Record<string, unknown>>;

/** Extenders score from 0 to 10, plugins from 0 to 100. */
const scoreScale = 10;
/** The largest response: more than all nodes of any cluster that such requests can carry. */
const responseBytesMax = 256 * 1024 * 1024;

async function sendWithTimeout(
  { urlPrefix, httpTimeoutMs }: Extender,
  verb: string,
  body: unknown,
  signal: AbortSignal,
  { transport, clock }: ExtenderClientOptions,
): Promise<unknown> {
  const url = `${urlPrefix.replace(/\/+$/, '')}/${verb}`;
  const call$ = abortable((ended) => sendRequest(transport, verb, url, body, ended));
  const late$ = clock
    .timer(httpTimeoutMs)
    .pipe(
      mergeMap(() =>
        throwError(
          () =>
            new Error(`Post ${quote(url)}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`),
        ),
      ),
    );
  const stopped$ = aborted(signal).pipe(mergeMap(() => throwError(() => reasonOf(signal))));
  return await lastValueFrom(merge(call$, late$, stopped$).pipe(take(1)), { defaultValue: undefined });
}

async function sendRequest(
  transport: Transport,
  verb: string,
  url: string,
  body: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const answer = await transport(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: encodeJson(body),
    signal,
    redirect: 'manual',
  });
  if (answer.status !== 200) throw new Error(`failed ${verb} with extender at URL ${url}, code ${answer.status}`);
  return JSON.parse(await textOf(answer.body)) as unknown;
}

async function textOf(body: ByteStream | null): Promise<string> {
  const decoder = new TextDecoder();
  let read = '';
  let bytes = 0;
  for await (const piece of chunksOf(body)) {
    bytes += piece.length;
    if (bytes > responseBytesMax) throw new Error(`the answer is longer than ${responseBytesMax} bytes`);
    read += decoder.decode(piece, { stream: true });
  }
  return read + decoder.decode();
}

function readVerdict(
  answer: unknown,
  asked: readonly NodeView[],
  { urlPrefix, nodeCacheCapable = false }: Extender,
): ExtenderVerdict {
  const error = text(member(answer, 'Error'));
  if (error !== '') throw new Error(error);
  const byName = new Map(asked.map((node) => [node.name, node]));
  const known = (name: string): NodeView => {
    const node = byName.get(name);
    if (node === undefined)
      throw new Error(
        `extender ${quote(urlPrefix)} claims a filtered node ${quote(name)} which is not found in the input node list`,
      );
    return node;
  };
  const names = member(answer, 'NodeNames');
  const nodes = member(member(answer, 'Nodes'), 'items');
  const left =
    nodeCacheCapable && Array.isArray(names)
      ? names.map(text)
      : Array.isArray(nodes)
        ? nodes.map((node) => text(member(member(node, 'metadata'), 'name')))
        : [];
  return {
    nodes: left.map(known),
    failed: texts(member(answer, 'FailedNodes')),
    unresolvable: texts(member(answer, 'FailedAndUnresolvableNodes')),
  };
}

function readScores(answer: unknown, weight: number): ReadonlyMap<string, number> {
  if (!Array.isArray(answer)) throw new Error('json: cannot unmarshal the answer into a list of host priorities');
  return new Map(
    answer.map((each: unknown) => [text(member(each, 'Host')), number(member(each, 'Score')) * weight * scoreScale]),
  );
}

function victimsArgument({ pods, violations }: ProposedVictims, byName: boolean): JsonObjectLike {
  return { Pods: pods.map(({ uid, object }) => (byName ? { UID: uid } : object)), NumPDBViolations: violations };
}

function readVictims(
  answer: unknown,
  candidates: ReadonlyMap<NodeView, ProposedVictims>,
  url: string,
): ReadonlyMap<NodeView, ProposedVictims> {
  const nodes = new Map(Array.from(candidates.keys(), (node) => [node.name, node]));
  const agreed = new Map<NodeView, ProposedVictims>();
  for (const [name, victims] of entries(member(answer, 'NodeNameToMetaVictims'))) {
    const node = nodes.get(name);
    if (node === undefined) throw new Error(`nodeinfo not found for node name ${quote(name)}`);
    const uids = member(victims, 'Pods');
    const pods = (Array.isArray(uids) ? uids : []).map((pod) => podOn(node, text(member(pod, 'UID')), url));
    agreed.set(node, { pods, violations: number(member(victims, 'NumPDBViolations')) });
  }
  return agreed;
}

function podOn(node: NodeView, uid: string, url: string): PodFacts {
  for (const pod of node.pods) if (pod.uid === uid) return pod;
  throw new Error(
    `extender: ${url} claims to preempt pod (UID: ${uid}) on node: ${node.name}, but the pod is not found on that node`,
  );
}

function requestsAny({ spec }: Frozen<Pod>, resources: ReadonlySet<string>): boolean {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return containers.some(({ resources: { requests = {}, limits = {} } = {} }) =>
    [...Object.keys(requests), ...Object.keys(limits)].some((name) => resources.has(name)),
  );
}

/** Returns a member by name, case-insensitively as Go decodes JSON. */
function member(value: unknown, name: string): unknown {
  if (!isJsonObject(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name];
  const wanted = name.toLowerCase();
  return entries(value).find(([each]) => each.toLowerCase() === wanted)?.[1];
}

function entries(value: unknown): readonly (readonly [string, unknown])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function texts(value: unknown): ReadonlyMap<string, string> {
  return new Map(entries(value).map(([name, each]) => [name, text(each)]));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}
