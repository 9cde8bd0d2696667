// Priority levels and flows as FlowSchemas and PriorityLevelConfigurations draw them. The mandatory ones are there even
// where their objects are not. Levels keep their seats and queues when the configuration changes; one that is gone
// serves whom it has and gets no more. As apiserver/pkg/util/flowcontrol/apf_controller.go.
import type { ApiRequest, RequestInfo } from '../../client/index.js';
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from '../../core/index.js';
import type { Clock, Frozen } from '../../core/index.js';
import type {
  FlowSchema,
  FlowSchemaSpec,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  UserInfo,
} from '../../core/types/index.js';
import type { FlowRule } from './flow-matching.js';
import { flowRules, isOfFlow } from './flow-matching.js';
import { dealHand } from './flow-hand.js';
import type { Patience, QueueTerms, RejectReason } from './fair-queues.js';
import { FairQueues } from './fair-queues.js';
import { RetryAfter } from './retry-after.js';
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

/** The requests of a FlowSchema: where they belong, and what became of them. */
export interface Flow {
  readonly schema: string;
  readonly level: Level;
  /** Of every answer: what a client may know of where it belongs. */
  readonly headers: readonly string[] | undefined;
  readonly counts: FlowCounts;
  readonly rules: readonly FlowRule[];
  /** The queues of a request. */
  handOf(info: RequestInfo, user: Frozen<UserInfo>): readonly number[];
}

/** What became of the requests of a flow, for metrics. */
export interface FlowCounts {
  dispatched: number;
  executing: number;
  executingSeats: number;
  waiting: number;
  readonly rejected: Map<RejectReason, number>;
}

/** How often levels lend each other anew. */
const lendingMs = 10_000;
/** Users and namespaces whose hands are remembered, of each schema. */
const handsMax = 1000;

/** Where requests belong. */
export class FlowControl {
  readonly #clock: Clock;
  readonly #total: number;
  readonly #patienceOf: (request: ApiRequest) => Patience;
  #levels = new Map<string, Level>();
  #flows: readonly Flow[] = [];
  #catchAll: Flow | undefined;
  #lentMs = 0;

  /**
   * `total` is how many requests are served at once; a request that has to wait waits for so long. To be configured
   * before it is asked.
   */
  constructor(clock: Clock, total: number, patienceOf: (request: ApiRequest) => Patience) {
    this.#clock = clock;
    this.#total = total;
    this.#patienceOf = patienceOf;
  }

  /** From now on. */
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

  /** The flow of a request; everything belongs somewhere. */
  flowOf(info: RequestInfo, user: Frozen<UserInfo>): Flow {
    for (const flow of this.#flows) if (isOfFlow(flow.rules, info, user)) return flow;
    // Only users without any group get here.
    if (this.#catchAll === undefined) throw new Error('there is always a flow for everything');
    return this.#catchAll;
  }

  /** Turns away who waits. */
  close(): void {
    for (const { queues } of this.#levels.values()) queues.close();
  }

  /** Lends anew if it is time. Called when requests come and go, since nothing else changes what is needed. */
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

  /** In order of precedence; those without a level are passed over. */
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

/** Whether its parts fit together; the server does as if others were not there. */
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
    // Uids, since names would tell clients how important they are.
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
