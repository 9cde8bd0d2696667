// Priority levels and flows as FlowSchemas and PriorityLevelConfigurations define them. The mandatory ones exist even
// without their objects. Levels keep their seats and queues when the configuration changes; a removed level serves its
// pending requests and receives no more. As apiserver/pkg/util/flowcontrol/apf_controller.go.
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from '../../core/index.js';
import type { Clock, Frozen, ApiRequest, RequestInfo } from '../../core/index.js';
import type {
  FlowSchema,
  FlowSchemaSpec,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  UserInfo,
} from '../../core/types/index.js';
import type { FlowRule } from './flow-matching.js';
import { flowRules, isOfFlow } from './flow-matching.js';
import { dealHand, FairQueues } from './fair-queues.js';
import type { WaitLimit, QueueTerms, RejectReason } from './fair-queues.js';
import type { SeatLimits } from './seat-limits.js';
import { lendSeats, seatLimits } from './seat-limits.js';

/** A priority level. */
export interface Level {
  readonly name: string;
  readonly uid: string;
  readonly isExempt: boolean;
  readonly limits: SeatLimits;
  readonly terms: QueueTerms & { readonly handSize: number };
  readonly queues: FairQueues<ApiRequest>;
  readonly retryAfter: RetryAfter;
}

/** The requests of a FlowSchema: their level and counts. */
export interface Flow {
  readonly schema: string;
  readonly level: Level;
  /** Headers of every response that identify schema and level. */
  readonly headers: readonly string[] | undefined;
  readonly counts: FlowCounts;
  readonly rules: readonly FlowRule[];
  /** Returns the queues of a request. */
  handOf(info: RequestInfo, user: Frozen<UserInfo>): readonly number[];
}

/** Counts of the requests of a flow, for metrics. */
export interface FlowCounts {
  dispatched: number;
  executing: number;
  executingSeats: number;
  waiting: number;
  readonly rejected: Map<RejectReason, number>;
}

/** How often the borrowing of seats is recomputed. */
const lendingMs = 10_000;
/** The maximum number of cached hands per schema. */
const handsMax = 1000;

/** Assigns requests to flows and levels. */
export class FlowControl {
  readonly #clock: Clock;
  readonly #total: number;
  readonly #patienceOf: (request: ApiRequest) => WaitLimit;
  #levels = new Map<string, Level>();
  #flows: readonly Flow[] = [];
  #catchAll: Flow | undefined;
  #lentMs = 0;

  /** `total` is the number of seats of the server. `configure` must be called before the first request. */
  constructor(clock: Clock, total: number, waitLimitOf: (request: ApiRequest) => WaitLimit) {
    this.#clock = clock;
    this.#total = total;
    this.#patienceOf = waitLimitOf;
  }

  /** Replaces the configuration. */
  configure(levels: readonly Frozen<PriorityLevelConfiguration>[], schemas: readonly Frozen<FlowSchema>[]): void {
    const given = new Map(
      levels.flatMap(({ metadata, spec }) =>
        spec === undefined || !isWhole(metadata?.name ?? '', spec)
          ? []
          : [[metadata?.name ?? '', { spec, uid: metadata?.uid ?? '' }] as const],
      ),
    );
    for (const [name, spec] of mandatoryPriorityLevels()) if (!given.has(name)) given.set(name, { spec, uid: '' });
    const limits = seatLimits(new Map(Array.from(given, ([name, { spec }]) => [name, spec])), this.#total);
    const old = this.#levels;
    this.#levels = new Map(
      Array.from(given, ([name, { spec, uid }]) => [
        name,
        this.#level(name, uid, spec, limits.get(name), old.get(name)),
      ]),
    );
    this.#flows = this.#flowsOf(schemas);
    this.#catchAll = this.#flows.find(({ schema }) => schema === 'catch-all');
    this.#lend();
  }

  /** Returns the flow of a request; every request has one. */
  flowOf(info: RequestInfo, user: Frozen<UserInfo>): Flow {
    for (const flow of this.#flows) if (isOfFlow(flow.rules, info, user)) return flow;
    // Reached only by users without any group.
    if (this.#catchAll === undefined) throw new Error('there is always a flow for everything');
    return this.#catchAll;
  }

  /** Rejects all waiting requests. */
  close(): void {
    for (const { queues } of this.#levels.values()) queues.close();
  }

  /** Recomputes the borrowing of seats when it is due. Called when requests arrive, since demand changes only then. */
  tick(nowMs: number): void {
    if (nowMs - this.#lentMs >= lendingMs) this.#lend();
  }

  /** All flows, for metrics. */
  get flows(): readonly Flow[] {
    return this.#flows;
  }

  /** All levels, for metrics. */
  get levels(): Iterable<Level> {
    return this.#levels.values();
  }

  #level(
    name: string,
    uid: string,
    spec: Frozen<PriorityLevelConfigurationSpec>,
    limits: SeatLimits | undefined,
    old: Level | undefined,
  ): Level {
    const { queues = 0, queueLengthLimit = 0, handSize = 1 } = spec.limited?.limitResponse?.queuing ?? {};
    return {
      name,
      uid,
      isExempt: spec.type === 'Exempt',
      limits: limits ?? { nominal: 0, lower: 0, upper: 0, perRequest: 1 },
      terms: { queues, queueLengthMax: queueLengthLimit, handSize },
      queues: old?.queues ?? new FairQueues(this.#clock, this.#patienceOf),
      retryAfter: old?.retryAfter ?? new RetryAfter(),
    };
  }

  /** Returns the flows in order of precedence, without schemas whose level does not exist. */
  #flowsOf(schemas: readonly Frozen<FlowSchema>[]): readonly Flow[] {
    const counts = new Map(this.#flows.map((flow) => [flow.schema, flow]));
    const named = schemas.flatMap(({ metadata, spec }) =>
      spec === undefined ? [] : [{ name: metadata?.name ?? '', uid: metadata?.uid ?? '', spec }],
    );
    const usable = named
      .filter(({ spec }) => this.#levels.has(spec.priorityLevelConfiguration.name))
      .sort(byPrecedence);
    const mandatory = (name: string): typeof usable => {
      const spec = usable.some((each) => each.name === name) ? undefined : mandatoryFlowSchemas().get(name);
      return spec === undefined ? [] : [{ name, uid: '', spec }];
    };
    return [...mandatory('exempt'), ...usable, ...mandatory('catch-all')].flatMap(({ name, uid, spec }) => {
      const level = this.#levels.get(spec.priorityLevelConfiguration.name);
      const known = counts.get(name);
      return level === undefined
        ? []
        : [flowTo(level, name, { uid, spec, counts: known?.level.name === level.name ? known.counts : newCounts() })];
    });
  }

  #lend(): void {
    const now = this.#clock.now();
    this.#lentMs = now;
    const levels = [...this.#levels.values()].filter(({ isExempt }) => !isExempt);
    const seats = lendSeats(levels.map(({ limits, queues }) => ({ limits, demand: queues.demand.endPeriod(now) })));
    levels.forEach(({ queues, terms }, index) => queues.configure(terms, seats[index] ?? 0));
  }
}

/** Whether a level is consistent; others are ignored. */
function isWhole(name: string, { type, limited, exempt }: Frozen<PriorityLevelConfigurationSpec>): boolean {
  if (
    (type === 'Limited') !== (limited !== undefined) ||
    (type === 'Exempt') !== (exempt !== undefined) ||
    (type === 'Exempt') !== (name === 'exempt')
  )
    return false;
  const response = limited?.limitResponse;
  return (
    limited === undefined ||
    (response !== undefined && (response.type === 'Reject') === (response.queuing === undefined))
  );
}

interface Named {
  readonly name: string;
  readonly spec: Frozen<FlowSchemaSpec>;
}

/** As apihelpers.FlowSchemaSequence. */
function byPrecedence(a: Named, b: Named): number {
  const difference = (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0);
  return difference === 0 ? (a.name < b.name ? -1 : 1) : difference;
}

function newCounts(): FlowCounts {
  return { dispatched: 0, executing: 0, executingSeats: 0, waiting: 0, rejected: new Map() };
}

function flowTo(
  level: Level,
  schema: string,
  { uid, spec, counts }: { readonly uid: string; readonly spec: Frozen<FlowSchemaSpec>; readonly counts: FlowCounts },
): Flow {
  const hands = new Map<string, readonly number[]>();
  const { queues, handSize } = level.terms;
  const method = queues > 1 ? spec.distinguisherMethod?.type : undefined;
  return {
    schema,
    level,
    counts,
    rules: flowRules(spec),
    // Uids rather than names, which would reveal the priority to clients.
    headers:
      uid === '' ? undefined : ['X-Kubernetes-Pf-Flowschema-Uid', uid, 'X-Kubernetes-Pf-Prioritylevel-Uid', level.uid],
    handOf({ namespace }, { username = '' }) {
      const distinguisher = method === 'ByUser' ? username : method === 'ByNamespace' ? namespace : '';
      const known = hands.get(distinguisher);
      if (known !== undefined) return known;
      if (hands.size >= handsMax) hands.clear();
      const hand = queues === 0 ? [] : dealHand(`${schema}\0${distinguisher}`, queues, handSize);
      hands.set(distinguisher, hand);
      return hand;
    },
  };
}

const secondsMax = 32;

/**
 * The Retry-After of one priority level: starts at one second, doubles while many requests are rejected and shrinks
 * while few are. As apiserver/pkg/util/flowcontrol/dropped_requests_tracker.go.
 */
export class RetryAfter {
  #seconds = 1;
  #raisedAt = 0;
  #second = 0;
  #count = 0;
  /** Rejected requests per past second. */
  #history: { readonly second: number; readonly count: number }[] = [];

  /** The value of the header in seconds. */
  get seconds(): number {
    return this.#seconds;
  }

  /** Records a rejected request. */
  note(nowMs: number): void {
    const now = Math.floor(nowMs / 1000);
    if (now === this.#second) {
      this.#count += 1;
      return;
    }
    this.#history.push({ second: this.#second, count: this.#count });
    const kept = Math.min(2 * this.#seconds, secondsMax);
    this.#history = this.#history.filter(({ second }) => this.#second - second <= kept);
    this.#second = now;
    this.#count = 1;
    this.#adjust(now);
  }

  #adjust(now: number): void {
    const recent = this.#history
      .filter(({ second }) => now - second <= this.#seconds)
      .reduce((sum, { count }) => sum + count, 0);
    if (now - this.#raisedAt >= this.#seconds && recent >= 3 * this.#seconds) {
      this.#seconds = Math.min(2 * this.#seconds, secondsMax);
      this.#raisedAt = now;
    } else if (recent < this.#seconds && this.#seconds > 1) this.#seconds -= 1;
  }
}
