// Resource amounts as the scheduler counts them: cpu in thousandths, everything else in whole units, rounded up once
// after summing. The three resources that most pods name are plain numbers; the others, called scalar resources, are in
// a small map. Numbers are exact up to 2^53, which is nine petabytes.
import { integerValue, isExtendedResource, isHugePages, milliValue } from '../../core/index.js';

/** Amounts by resource. */
export interface ResourceAmounts {
  /** Thousandths of a cpu. */
  readonly milliCpu: number;
  /** Bytes. */
  readonly memory: number;
  /** Bytes. */
  readonly ephemeralStorage: number;
  /**
   * Extended resources, huge pages, prefixed native resources and attachable volumes, by name. Zero amounts are kept.
   */
  readonly scalars: ReadonlyMap<string, number>;
}

/** Amounts by name during summing. Resources other than cpu may have fractions down to a thousandth. */
export type Tally = Map<string, number>;

/** Quantities as strings, by resource name. */
export type ResourceTexts = Readonly<Record<string, string>>;

/** Returns whether a resource is counted beside cpu, memory, ephemeral storage and pods. */
export function isScalarResource(name: string): boolean {
  return (
    isHugePages(name) ||
    name.startsWith('attachable-volumes-') ||
    name.includes('kubernetes.io/') ||
    isExtendedResource(name)
  );
}

/** Returns a quantity in the unit of its resource: thousandths for cpu, units with at most three decimals otherwise. */
export function amountOf(name: string, text: string): number {
  if (name === 'cpu') return milliValue(text);
  const units = integerValue(text);
  if (Math.abs(units) > fractionalMax) return units;
  const milli = milliValue(text);
  return milli === units * 1000 ? units : milli / 1000;
}

/** Returns the counted resources of a tally. */
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

/** Rounds up to whole units. The inner rounding removes the error of summing binary fractions. */
export function wholeUnits(amount: number): number {
  return Number.isInteger(amount) ? amount : Math.ceil(Math.round(amount * 1000) / 1000);
}

const noScalars: ReadonlyMap<string, number> = new Map();
const plainNames: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Thousandths of more units than this are not exact as numbers. */
const fractionalMax = 2 ** 43;
