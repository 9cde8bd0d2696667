// The number of seats of each priority level: its share of the server's, and the seats that levels lend each other
// while they do not need them. Pure. As apiserver/pkg/util/flowcontrol/apf_controller.go
// (finishQueueSetReconfigsLocked, updateBorrowingLocked) and conc_alloc.go; but exempt levels neither lend nor count.
import type { Frozen } from '../../core/index.js';
import type { PriorityLevelConfigurationSpec } from '../../core/types/index.js';
import type { DemandFigures } from './seat-demand.js';

/** The seats of a level. */
export interface SeatLimits {
  /** Its nominal share. */
  readonly nominal: number;
  /** The minimum: after lending all it may. */
  readonly lower: number;
  /** The maximum: after borrowing all it may. */
  readonly upper: number;
  /** The maximum for one request. */
  readonly perRequest: number;
}

/** Computes the seats of each level by share; rounded up, so that their sum may exceed the total slightly. */
export function seatLimits(
  specs: ReadonlyMap<string, Frozen<PriorityLevelConfigurationSpec>>,
  total: number,
): ReadonlyMap<string, SeatLimits> {
  const shares = [...specs.values()].reduce((sum, spec) => sum + sharesOf(spec), 0);
  return new Map(
    Array.from(specs, ([name, spec]) => [
      name,
      limitsOf(spec, shares === 0 ? 0 : Math.ceil((total * sharesOf(spec)) / shares), total),
    ]),
  );
}

function sharesOf({ limited, exempt }: Frozen<PriorityLevelConfigurationSpec>): number {
  return limited === undefined ? (exempt?.nominalConcurrencyShares ?? 0) : (limited.nominalConcurrencyShares ?? 30);
}

function limitsOf(
  { limited, exempt }: Frozen<PriorityLevelConfigurationSpec>,
  nominal: number,
  total: number,
): SeatLimits {
  const lendable = Math.round((nominal * (limited?.lendablePercent ?? exempt?.lendablePercent ?? 0)) / 100);
  const borrowable =
    limited?.borrowingLimitPercent === undefined ? total : Math.round((nominal * limited.borrowingLimitPercent) / 100);
  const hand = limited?.limitResponse?.queuing?.handSize;
  const perRequest =
    hand === undefined
      ? Infinity
      : Math.max(1, Math.min(Math.ceil(nominal * perRequestShare), Math.floor(nominal / hand)));
  return { nominal, lower: nominal - lendable, upper: nominal + borrowable, perRequest };
}

const perRequestShare = 0.15;

/** A level that lends and borrows. */
export interface Lender {
  readonly limits: SeatLimits;
  readonly demand: DemandFigures;
}

/**
 * Returns the seats of each level for the next period, in the given order: its recent demand up to its share, at least
 * its minimum, and the rest in proportion to demand.
 */
export function lendSeats(lenders: readonly Lender[]): readonly number[] {
  const total = lenders.reduce((sum, { limits }) => sum + limits.nominal, 0);
  const claims = lenders.map(({ limits, demand }): Claim => {
    // A level with a share keeps at least one seat: its first request would otherwise wait for the next period.
    const lower = Math.max(limits.lower, Math.min(limits.nominal, Math.max(1, demand.highest)));
    return { lower, upper: limits.upper, target: Math.max(lower, demand.smoothed, targetMin) };
  });
  const fair = fairProportion(claims, total);
  return claims.map(({ lower, upper, target }) => Math.round(clamp(fair * target, lower, upper)));
}

/** A positive minimum that avoids division by zero. */
const targetMin = 0.001;

interface Claim {
  readonly lower: number;
  readonly upper: number;
  readonly target: number;
}

/** The smallest factor of the targets at which the bounded claims sum up to the total. */
function fairProportion(claims: readonly Claim[], total: number): number {
  const given = (proportion: number): number =>
    claims.reduce((sum, { lower, upper, target }) => sum + clamp(proportion * target, lower, upper), 0);
  let low = 0;
  let high = Math.max(0, ...claims.map(({ upper, target }) => upper / target));
  // The sum is monotonic in the factor: after 100 bisections the error is far below one seat.
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (given(middle) < total) low = middle;
    else high = middle;
  }
  return high;
}

function clamp(value: number, lower: number, upper: number): number {
  return Math.min(upper, Math.max(lower, value));
}
