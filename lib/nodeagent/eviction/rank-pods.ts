// The order in which pods of a node under pressure are evicted, and what they are evicted with. Pure functions on data.
// As rankMemoryPressure, rankDiskPressureFunc, rankPIDPressure and evictionMessage of pkg/kubelet/eviction/helpers.go.
import { integerValue, printQuantity, quantityFromInteger } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { requestAmounts } from '../node/node-admission.js';
import { starvedResource } from './thresholds.js';
import type { EvictionSignal } from './thresholds.js';

/** What a container of a pod uses. */
export interface ContainerFigures {
  readonly name: string;
  readonly memoryBytes: number;
  readonly storageBytes: number;
}

/** A running pod with what it uses. */
export interface PodFigures {
  readonly pod: Frozen<Pod>;
  readonly containers: readonly ContainerFigures[];
  /** Bytes in its emptyDir volumes on disk, by volume; empty where the runtime does not measure them. */
  readonly volumes: ReadonlyMap<string, number>;
  readonly processes: number;
}

/** Returns the pods in the order of their eviction for a signal. */
export function rankPods(pods: readonly PodFigures[], signal: EvictionSignal): readonly PodFigures[] {
  const resource = starvedResource(signal);
  const usageOf = (each: PodFigures): number => (resource === 'memory' ? memoryOf(each) : storageOf(each));
  const byPriority = (one: PodFigures, other: PodFigures): number =>
    (one.pod.spec?.priority ?? 0) - (other.pod.spec?.priority ?? 0);
  if (resource === 'pids')
    return [...pods].sort((one, other) => byPriority(one, other) || other.processes - one.processes);
  const name = resource === 'memory' ? 'memory' : 'ephemeral-storage';
  const figures = new Map(
    pods.map((each) => {
      const request = requestAmounts(each.pod).get(name) ?? 0;
      return [each, { excess: usageOf(each) - request }] as const;
    }),
  );
  const excessOf = (each: PodFigures): number => figures.get(each)?.excess ?? 0;
  return [...pods].sort(
    (one, other) =>
      Number(excessOf(other) > 0) - Number(excessOf(one) > 0) ||
      byPriority(one, other) ||
      excessOf(other) - excessOf(one),
  );
}

function memoryOf({ containers }: PodFigures): number {
  return containers.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
}

/** Returns the bytes that a pod has written: layers and logs of its containers and emptyDir volumes. */
export function storageOf({ containers, volumes }: PodFigures): number {
  let sum = containers.reduce((all, { storageBytes }) => all + storageBytes, 0);
  for (const bytes of volumes.values()) sum += bytes;
  return sum;
}

/** Returns the message of an evicted pod. `threshold`: the amounts that were compared. */
export function evictionMessage(
  { pod, containers }: PodFigures,
  signal: EvictionSignal,
  threshold: { readonly amount: number; readonly available: number },
): string {
  const resource = starvedResource(signal);
  const amountText = signal.endsWith('inodesFree') || resource === 'pids' ? plainText : bytesText;
  const head = `The node was low on resource: ${resource}. Threshold quantity: ${amountText(threshold.amount)}, available: ${amountText(threshold.available)}. `;
  if (resource !== 'memory' && resource !== 'ephemeral-storage') return head;
  const larger = containers.flatMap(({ name, memoryBytes, storageBytes }) => {
    const used = resource === 'memory' ? memoryBytes : storageBytes;
    const spec = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find(
      (each) => each.name === name,
    );
    const request = integerValue(spec?.resources?.requests?.[resource] ?? '0');
    if (used <= request) return [];
    return [
      `Container ${name} was using ${bytesText(used)}, request is ${request === 0 ? '0' : bytesText(request)}, has larger consumption of ${resource}. `,
    ];
  });
  return head + larger.join('');
}

/** Returns why a pod exceeds a limit of its own on local storage; undefined if it does not. */
export function localLimitMessage(figures: PodFigures): string | undefined {
  const { pod, containers, volumes } = figures;
  for (const { name, emptyDir } of pod.spec?.volumes ?? []) {
    if (emptyDir?.sizeLimit === undefined || emptyDir.medium === 'Memory') continue;
    const limit = integerValue(emptyDir.sizeLimit);
    if (limit > 0 && (volumes.get(name) ?? 0) > limit)
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${emptyDir.sizeLimit}". `;
  }
  const limits = (pod.spec?.containers ?? []).map(({ resources }) => resources?.limits?.['ephemeral-storage']);
  if (limits.length > 0 && limits.every((limit) => limit !== undefined)) {
    const total = limits.reduce((sum, limit) => sum + integerValue(limit), 0);
    if (storageOf(figures) > total)
      return `Pod ephemeral local storage usage exceeds the total limit of containers ${bytesText(total)}. `;
  }
  for (const { name, storageBytes } of containers) {
    const limit = pod.spec?.containers.find((each) => each.name === name)?.resources?.limits?.['ephemeral-storage'];
    if (limit !== undefined && storageBytes > integerValue(limit))
      return `Container ${name} exceeded its local ephemeral storage limit "${limit}". `;
  }
  return undefined;
}

function bytesText(bytes: number): string {
  return printQuantity(quantityFromInteger(Math.max(0, Math.round(bytes)), 'BinarySI'));
}

function plainText(amount: number): string {
  return printQuantity(quantityFromInteger(Math.round(amount)));
}
