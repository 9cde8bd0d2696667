// Amounts of resources as the scheduler counts them: cpu in thousandths, everything else in whole units, rounded up
// once, after the sum. The three that most pods name are plain numbers; the rest, called scalar resources, is a small
// map. Numbers are exact up to 2^53, which is nine petabytes.
import { integerValue, isExtendedResource, isHugePages, milliValue } from '../../core/index.js';

/** Amounts by resource. */
export interface ResourceAmounts {
  /** Thousandths of a cpu. */
  readonly milliCpu: number;
  /** Bytes. */
  readonly memory: number;
  /** Bytes. */
  readonly ephemeralStorage: number;
  /** Vendors' resources, huge pages, prefixed native ones and attachable volumes, by name. Zero amounts stay. */
  readonly scalars: ReadonlyMap<string, number>;
}

/** Amounts by name while they are summed. Of resources other than cpu they may have a fraction of thousandths. */
export type Tally = Map<string, number>;

/** Amounts as objects hold them: texts by resource name. */
export type ResourceTexts = Readonly<Record<string, string>>;

/** Whether a node keeps count of the resource beside cpu, memory, ephemeral storage and pods. */
export function isScalarResource(name: string): boolean {
  return (
    isHugePages(name) ||
    name.startsWith('attachable-volumes-') ||
    name.includes('kubernetes.io/') ||
    isExtendedResource(name)
  );
}

/** The amount of a text in the unit of its resource: thousandths of a cpu, or units with at most thousandths. */
export function amountOf(name: string, text: string): number {
  if (name === 'cpu') return milliValue(text);
  const units = integerValue(text);
  if (Math.abs(units) > fractionalMax) return units;
  const milli = milliValue(text);
  return milli === units * 1000 ? units : milli / 1000;
}

/** What a tally comes to, for the resources that are counted. */
export function resourceAmounts(tally: Tally): ResourceAmounts {
  let scalars: Map<string, number> | undefined;
  for (const [name, amount] of tally) {
    if (!plainNames.has(name) && isScalarResource(name)) (scalars ??= new Map()).set(name, wholeUnits(amount));
  }
  return {
    milliCpu: tally.get('cpu') ?? 0,
    memory: wholeUnits(tally.get('memory') ?? 0),
    ephemeralStorage: wholeUnits(tally.get('ephemeral-storage') ?? 0),
    scalars: scalars ?? noScalars,
  };
}

/** Whole units, rounded up. The inner rounding takes away what sums of binary fractions add. */
export function wholeUnits(amount: number): number {
  return Number.isInteger(amount) ? amount : Math.ceil(Math.round(amount * 1000) / 1000);
}

const noScalars: ReadonlyMap<string, number> = new Map();
const plainNames: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Thousandths of more units than this are no exact numbers. */
const fractionalMax = 2 ** 43;
