// The resources that a node lacks for a pod: a bit set computed from plain numbers, and one constant rejection per bit
// set. All missing resources are reported at once. A request beyond the node's total is unresolvable; too many pods
// never is.
import { unresolvable, unschedulable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';

/** The bits of missing resources. `more` marks a request beyond the node's total. */
export const short = { pods: 1, milliCpu: 2, memory: 4, ephemeralStorage: 8, more: 16 } as const;

/** Returns the bit if a resource is short, with `more` if the request exceeds the total. */
export function shortOf(bit: number, request: number, total: number, used: number): number {
  if (request <= 0 || request <= total - used) return 0;
  return request > total ? bit | short.more : bit;
}

/** Returns the bit if the node has its maximum of pods. */
export function shortOfPods(total: number, podCount: number): number {
  return podCount + 1 > total ? short.pods : 0;
}

/**
 * Returns the rejection for a bit set and the names of missing scalar resources; undefined if nothing is missing. The
 * same object for the same arguments.
 */
export function shortageRejection(bits: number, scalars: readonly string[] = []): Rejection | undefined {
  if (scalars.length > 0) return scalarRejection(bits, scalars);
  return plainRejections[bits];
}

const texts: ReadonlyMap<number, string> = new Map([
  [short.pods, 'Too many pods'],
  [short.milliCpu, 'Insufficient cpu'],
  [short.memory, 'Insufficient memory'],
  [short.ephemeralStorage, 'Insufficient ephemeral-storage'],
]);

const plainRejections: readonly (Rejection | undefined)[] = Array.from({ length: 2 * short.more }, (_, bits) => {
  const reasons = plainReasons(bits);
  return reasons.length === 0 ? undefined : rejectionFor(bits, reasons);
});

/** Rejections by bits and names. Users choose the names, so the map is cleared when it is full. */
const scalarRejections = new Map<string, Rejection>();
const scalarRejectionsMax = 4096;

function scalarRejection(bits: number, scalars: readonly string[]): Rejection {
  const key = `${bits} ${scalars.join(' ')}`;
  const known = scalarRejections.get(key);
  if (known !== undefined) return known;
  if (scalarRejections.size >= scalarRejectionsMax) scalarRejections.clear();
  const rejection = rejectionFor(bits, [...plainReasons(bits), ...scalars.map((name) => `Insufficient ${name}`)]);
  scalarRejections.set(key, rejection);
  return rejection;
}

function plainReasons(bits: number): readonly string[] {
  return Array.from(texts).flatMap(([bit, text]) => ((bits & bit) === 0 ? [] : [text]));
}

function rejectionFor(bits: number, reasons: readonly string[]): Rejection {
  return (bits & short.more) === 0 ? unschedulable(...reasons) : unresolvable(...reasons);
}
