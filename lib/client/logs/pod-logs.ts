// The logs of many pods as one stream: every line with the pod and container that wrote it. Containers that start later
// are added as a watch of pods shows them, and each restart of a container is read from its beginning.
//
// Lines of one container are in order; those of different containers are in the order in which they arrive. At most
// `streamsMax` logs are read at a time; further containers wait for one to end.
import { EMPTY, catchError, concatMap, defer, filter, from, map, mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { isApiError, watcher } from '../../core/index.js';
import type { Clock, Frozen, Random } from '../../core/index.js';
import type { ContainerStatus, Pod } from '../../core/types/index.js';
import type { Client } from '../client.js';
import type { ReadLogOptions } from '../resources/kind-subresources.js';

/** Selects logs. */
export interface PodLogsOptions extends Pick<
  ReadLogOptions,
  'tailLines' | 'sinceSeconds' | 'sinceTime' | 'timestamps' | 'container'
> {
  /** Default: all namespaces. */
  readonly namespace?: string;
  /** A label selector, such as `app=web,tier!=cache`. Default: all pods. */
  readonly selector?: string;
  /** A field selector, such as `spec.nodeName=node-1`. Default: all pods. */
  readonly fieldSelector?: string;
  /** False: only what has been written so far; then the stream completes. Default true. */
  readonly follow?: boolean;
  /** Default 1,000. */
  readonly streamsMax?: number;
}

/** A line of a log, and what wrote it. */
export interface PodLogLine {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The node that the pod runs on. */
  readonly node: string;
  /** The labels of the pod when the container started. */
  readonly labels: Readonly<Record<string, string>>;
  /** How often the container had been restarted. */
  readonly restartCount: number;
  /** The line without its end. */
  readonly text: string;
}

/**
 * Emits the lines of the selected logs. Cold. A log that cannot be read, such as that of a pod which is deleted
 * meanwhile, is left out; a list of pods that is refused is an error without `follow`, and tried again with it.
 */
export function podLogs(
  client: Client,
  { clock, random, ...options }: PodLogsOptions & { readonly clock: Clock; readonly random: Random },
): Observable<PodLogLine> {
  const { follow = true, namespace, selector, fieldSelector, streamsMax = 1000 } = options;
  const all = client.kind('v1', 'Pod');
  const pods = namespace === undefined ? all : all.in(namespace);
  const selection = { ...(selector && { labelSelector: selector }), ...(fieldSelector && { fieldSelector }) };
  const linesOf = (instance: LoggedInstance): Observable<PodLogLine> => {
    const { pod, container, restartCount } = instance;
    const { name = '', namespace: of = '', labels = {} } = pod.metadata ?? {};
    const node = pod.spec?.nodeName ?? '';
    return all.log({ namespace: of, name }, { ...readOptions(options), container, follow }).pipe(
      map((text): PodLogLine => ({ namespace: of, pod: name, container, node, labels, restartCount, text })),
      catchError((error: unknown) => {
        if (isApiError(error)) return EMPTY;
        throw error;
      }),
    );
  };
  if (!follow)
    return defer(() => pods.list(selection)).pipe(
      mergeMap(({ items }) => items.flatMap((pod) => instancesOf(pod, options.container))),
      mergeMap(linesOf, streamsMax),
    );
  return defer(() => {
    const read = new Map<string, Map<string, string>>();
    /** The instances that are new since the previous version of the pod. */
    const unread = (pod: Frozen<Pod>): readonly LoggedInstance[] => {
      const { uid = '' } = pod.metadata ?? {};
      const known = read.get(uid) ?? new Map<string, string>();
      read.set(uid, known);
      return instancesOf(pod, options.container).filter(({ container, id }) => {
        if (known.get(container) === id) return false;
        known.set(container, id);
        return true;
      });
    };
    return watcher(pods, { ...selection, clock, random }).pipe(
      concatMap((event) => {
        if (event.type === 'deleted') read.delete(event.object.metadata.uid);
        return event.type === 'listed' || event.type === 'applied' ? from(unread(event.object)) : EMPTY;
      }),
      filter(({ id }) => id !== ''),
      mergeMap(linesOf, streamsMax),
    );
  });
}

/** An instance of a container that has a log. */
interface LoggedInstance {
  readonly pod: Frozen<Pod>;
  readonly container: string;
  readonly id: string;
  readonly restartCount: number;
}

/** The instances of a pod that run or ran, in the order of the pod. */
function instancesOf(pod: Frozen<Pod>, only: string | undefined): readonly LoggedInstance[] {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses]
    .filter(({ name }) => only === undefined || name === only)
    .filter(hasLog)
    .map(({ name, containerID = '', restartCount }) => ({ pod, container: name, id: containerID, restartCount }));
}

function hasLog({ state, containerID }: Frozen<ContainerStatus>): boolean {
  return containerID !== undefined && (state?.running !== undefined || state?.terminated !== undefined);
}

function readOptions({ tailLines, sinceSeconds, sinceTime, timestamps }: PodLogsOptions): ReadLogOptions {
  return {
    ...(tailLines !== undefined && { tailLines }),
    ...(sinceSeconds !== undefined && { sinceSeconds }),
    ...(sinceTime !== undefined && { sinceTime }),
    ...(timestamps !== undefined && { timestamps }),
  };
}
