// How many seats each priority level has: its share of the server's, and what levels lend each other as long as they do
// not need it. Pure. As apiserver/pkg/util/flowcontrol/apf_controller.go (finishQueueSetReconfigsLocked,
// updateBorrowingLocked) and conc_alloc.go; but what is exempt neither lends nor is counted.
import type { Frozen } from '../../core/index.js';
import type { PriorityLevelConfigurationSpec } from '../../core/types/index.js';
import type { DemandFigures } from './seat-demand.js';

/** The seats of a level. */
export interface SeatLimits {
  /** Its share. */
  readonly nominal: number;
  /** What it keeps when it lends all it may. */
  readonly lower: number;
  /** What it has when it borrows all it may. */
  readonly upper: number;
  /** The most that one request may take. */
  readonly perRequest: number;
}

/** Seats by share; rounded up, so that together they may be a few more than the server's. */
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
 * The seats of each level for the next period, in the order given: what it needed lately up to its share, or what it
 * keeps in any case, and of the rest as much more as the others get, measured by what each could use.
 */
export function lendSeats(lenders: readonly Lender[]): readonly number[] {
  const total = lenders.reduce((sum, { limits }) => sum + limits.nominal, 0);
  const claims = lenders.map(({ limits, demand }): Claim => {
    // A level that has a share is never without a seat: who comes first would wait for the next period.
    const lower = Math.max(limits.lower, Math.min(limits.nominal, Math.max(1, demand.highest)));
    return { lower, upper: limits.upper, target: Math.max(lower, demand.smoothed, targetMin) };
  });
  const fair = fairProportion(claims, total);
  return claims.map(({ lower, upper, target }) => Math.round(clamp(fair * target, lower, upper)));
}

/** What would otherwise be divided by zero. */
const targetMin = 0.001;

interface Claim {
  readonly lower: number;
  readonly upper: number;
  readonly target: number;
}

/** The least proportion of their targets at which all claims together are the total, within their bounds. */
function fairProportion(claims: readonly Claim[], total: number): number {
  const given = (proportion: number): number =>
    claims.reduce((sum, { lower, upper, target }) => sum + clamp(proportion * target, lower, upper), 0);
  let low = 0;
  let high = Math.max(0, ...claims.map(({ upper, target }) => upper / target));
  // The sum only grows with the proportion: 100 halvings leave less than a seat could tell.
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
