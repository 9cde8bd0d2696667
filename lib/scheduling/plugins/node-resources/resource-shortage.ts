// What a node is short of for a pod: a number of bits, computed from plain numbers, and for each such number the one
// answer that plugins give. All that is missing is told at once. Where the pod asks for more than the node has in all,
// nobody's leaving helps; a node with too many pods alone can always be helped.
import { unresolvable, unschedulable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';

/** What can be missing, as bits; `more` says that something is asked for beyond what the node has in all. */
export const short = { pods: 1, milliCpu: 2, memory: 4, ephemeralStorage: 8, more: 16 } as const;

/** The bit if there is too little of one resource, and with it `more` if there never can be enough. */
export function shortOf(bit: number, request: number, total: number, used: number): number {
  if (request <= 0 || request <= total - used) return 0;
  return request > total ? bit | short.more : bit;
}

/** The bit if the node takes no more pods. */
export function shortOfPods(total: number, podCount: number): number {
  return podCount + 1 > total ? short.pods : 0;
}

/**
 * The answer for what is missing, scalar resources by their names; undefined where nothing is. The same one every time.
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

/** By bits and names. Users choose the names, so it is emptied when it has grown large. */
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
