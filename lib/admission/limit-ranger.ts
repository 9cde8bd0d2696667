// The plugin LimitRanger: fills in the requests and limits that containers lack, as the LimitRanges of the namespace
// say, and refuses pods and claims that are outside of their bounds. LimitRanges apply in the order of their names; a
// later one fills only what earlier ones left. The first that refuses is the one that is reported, with all that it
// refuses. As plugin/pkg/admission/limitranger.
import { filter } from 'rxjs';
import {
  aggregateContainers,
  aggregateText,
  isTerminating,
  onDemand,
  parseQuantity,
  printQuantity,
  quantityToInteger,
  quantityToMilli,
} from '../core/index.js';
import type { Frozen, Quantity } from '../core/index.js';
import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import type { AdmissionAnswer, AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';

/** Creates the plugin. LimitRanges are read from the first pod or claim on. */
export function limitRangerAdmission({
  informers,
  closed$,
}: Pick<ServerTools, 'informers' | 'closed$'>): AdmissionPlugin {
  const ranges = informers.of<LimitRange>({ group: '', resource: 'limitranges' }).indexedBy({ namespace: namespaceOf });
  const { whenReady } = onDemand(ranges.events$.pipe(filter(({ type }) => type === 'synced')), closed$);
  const withRanges = <T>(
    review: AdmissionReview,
    use: (ranges: readonly Frozen<LimitRange>[]) => T | undefined,
  ): AdmissionAnswer<T | undefined> => {
    if (!isHandled(review)) return undefined;
    return whenReady(() => {
      const found = ranges.by('namespace', review.namespace);
      return found.length === 0 ? undefined : use(found.sort(byName));
    });
  };
  return {
    name: 'LimitRanger',
    // What a pod uses changes by a resize only.
    handles: [
      { operations: ['CREATE'], resources: ['pods'] },
      { operations: ['UPDATE'], resources: ['pods'], subresources: ['resize'] },
      { operations: ['CREATE', 'UPDATE'], resources: ['persistentvolumeclaims'] },
    ],
    // The resource says what the objects are.
    mutate: (review) =>
      review.resource.resource === 'pods'
        ? withRanges(review, (found) => found.reduce(withDefaults, review.object as Frozen<Pod>))
        : undefined,
    validate: (review) =>
      withRanges(review, (found) => {
        for (const { spec } of found) {
          const problems =
            review.resource.resource === 'pods'
              ? podProblems(review.object as Frozen<Pod>, spec?.limits ?? [])
              : claimProblems(review.object as Frozen<PersistentVolumeClaim>, spec?.limits ?? []);
          if (problems.length > 0) throw refusal(review, aggregateText(problems));
        }
      }),
  };
}

/** What is being deleted needs no bounds. */
function isHandled({ object, oldObject }: AdmissionReview): boolean {
  return object !== undefined && (oldObject === undefined || !isTerminating(oldObject));
}

type Resources = Readonly<Record<string, string>>;
type Amounts = ReadonlyMap<string, Quantity>;

/** Returns the pod with the requests and limits that a LimitRange gives its containers, noted in an annotation. */
export function withDefaults(
  pod: Frozen<Pod>,
  { spec: { limits = [] } = { limits: [] } }: Frozen<LimitRange>,
): Frozen<Pod> {
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  const merged = (lists: readonly (Resources | undefined)[]): Resources =>
    lists.reduce<Resources>((all, list) => ({ ...all, ...list }), {});
  const requests = merged(ofContainers.map(({ defaultRequest }) => defaultRequest));
  const defaultLimits = merged(ofContainers.map((item) => item.default));
  const notes: string[] = [];
  const filled = (containers: readonly Frozen<Container>[], noun: string): readonly Frozen<Container>[] =>
    containers.map((container) => {
      const { resources = {}, name } = container;
      const missingRequests = missingOf(resources.requests, requests);
      const missingLimits = missingOf(resources.limits, defaultLimits);
      if (missingRequests.length > 0) notes.push(`${missingRequests.join(', ')} request for ${noun} ${name}`);
      if (missingLimits.length > 0) notes.push(`${missingLimits.join(', ')} limit for ${noun} ${name}`);
      if (missingRequests.length + missingLimits.length === 0) return container;
      return {
        ...container,
        resources: {
          ...resources,
          ...(missingRequests.length > 0 && { requests: { ...requests, ...resources.requests } }),
          ...(missingLimits.length > 0 && { limits: { ...defaultLimits, ...resources.limits } }),
        },
      };
    });
  const { spec } = pod;
  if (spec === undefined) return pod;
  // A pod that is not validated yet may have none.
  const containers = filled((spec as Partial<typeof spec>).containers ?? [], 'container');
  const initContainers = filled(spec.initContainers ?? [], 'init container');
  if (notes.length === 0) return pod;
  const annotations = {
    ...pod.metadata?.annotations,
    [limitRangerAnnotation]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...spec, containers, ...(spec.initContainers !== undefined && { initContainers }) },
  };
}

const limitRangerAnnotation = 'kubernetes.io/limit-ranger';

function missingOf(given: Resources | undefined, defaults: Resources): readonly string[] {
  return Object.keys(defaults)
    .filter((name) => given === undefined || !Object.hasOwn(given, name))
    .sort();
}

/** Returns what a LimitRange refuses of a pod: of each container, and of all containers together. */
export function podProblems(pod: Frozen<Pod>, limits: readonly Frozen<LimitRangeItem>[]): readonly string[] {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  return limits.flatMap((limit) => {
    if (limit.type === 'Container')
      return [...containers, ...initContainers].flatMap(({ resources }) =>
        boundProblems(limit, amountsOf(resources?.requests), amountsOf(resources?.limits)),
      );
    return limit.type === 'Pod' ? boundProblems(limit, podAmounts(pod, 'requests'), podAmounts(pod, 'limits')) : [];
  });
}

/** Returns what a LimitRange refuses of a claim: only the storage that it requests counts. */
export function claimProblems(
  { spec }: Frozen<PersistentVolumeClaim>,
  limits: readonly Frozen<LimitRangeItem>[],
): readonly string[] {
  const requests = amountsOf(spec?.resources?.requests);
  return limits
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap(({ type, min, max }) => [
      ...eachOf(min, (name, bound) => minProblem(bound, boundText('minimum', name, type, bound), requests.get(name))),
      ...eachOf(max, (name, bound) =>
        maxProblem(bound, boundText('maximum', name, type, bound), 'request', requests.get(name)),
      ),
    ]);
}

/** What containers need together; cpu and memory of the pod as a whole replace that. Without overhead. */
function podAmounts({ spec = { containers: [] } }: Frozen<Pod>, part: 'requests' | 'limits'): Amounts {
  const total = aggregateContainers(spec, part);
  for (const name of ['cpu', 'memory']) {
    const text = spec.resources?.[part]?.[name];
    if (text !== undefined) total.set(name, parseQuantity(text));
  }
  return total;
}

function boundProblems(
  { type, min, max, maxLimitRequestRatio }: Frozen<LimitRangeItem>,
  requests: Amounts,
  limits: Amounts,
): readonly string[] {
  return [
    ...eachOf(min, (name, bound) =>
      minProblem(bound, boundText('minimum', name, type, bound), requests.get(name), limits.get(name)),
    ),
    ...eachOf(max, (name, bound) => {
      const text = boundText('maximum', name, type, bound);
      return (
        maxProblem(bound, text, 'limit', limits.get(name)) ??
        (requests.has(name) ? maxProblem(bound, text, 'request', requests.get(name)) : undefined)
      );
    }),
    ...eachOf(maxLimitRequestRatio, (name, ratio) =>
      ratioProblem(
        ratio,
        `${name} max limit to request ratio per ${type} is ${ratio}`,
        requests.get(name),
        limits.get(name),
      ),
    ),
  ];
}

/** Kubernetes goes through maps, whose order is random; here names are in their order. */
function eachOf(
  bounds: Resources | undefined,
  check: (name: string, bound: string) => string | undefined,
): readonly string[] {
  return Object.keys(bounds ?? {})
    .sort()
    .flatMap((name) => check(name, bounds?.[name] ?? '0') ?? []);
}

function boundText(which: 'minimum' | 'maximum', name: string, type: string, bound: string): string {
  return `${which} ${name} usage per ${type} is ${bound}`;
}

function minProblem(bound: string, text: string, request?: Quantity, limit?: Quantity): string | undefined {
  if (request === undefined) return `${text}.  No request is specified`;
  const [least, requested, limited] = comparable(parseQuantity(bound), request, limit);
  if (requested < least) return `${text}, but request is ${printQuantity(request)}`;
  return limit !== undefined && limited < least ? `${text}, but limit is ${printQuantity(limit)}` : undefined;
}

function maxProblem(bound: string, text: string, what: 'request' | 'limit', amount?: Quantity): string | undefined {
  if (amount === undefined) return `${text}.  No ${what} is specified`;
  const [most, used] = comparable(parseQuantity(bound), amount);
  return used > most ? `${text}, but ${what} is ${printQuantity(amount)}` : undefined;
}

function ratioProblem(bound: string, text: string, request?: Quantity, limit?: Quantity): string | undefined {
  const ratio = parseQuantity(bound);
  const [, requested, limited] = comparable(ratio, request, limit);
  if (requested === 0n) return `${text}, but no request is specified or request is 0`;
  if (limited === 0n) return `${text}, but no limit is specified or limit is 0`;
  const observed = Number(limited) / Number(requested);
  const isFine = quantityToInteger(ratio) <= milliMax;
  const isAbove = isFine
    ? observed * 1000 > Number(quantityToMilli(ratio))
    : observed > Number(quantityToInteger(ratio));
  return isAbove ? `${text}, but provided ratio is ${observed.toFixed(6)}` : undefined;
}

/** Thousandths, or whole units where thousandths of one of them do not fit an int64. Nothing counts as 0. */
function comparable(bound: Quantity, one?: Quantity, other?: Quantity): readonly [bigint, bigint, bigint] {
  const all = [bound, one, other] as const;
  const isFine = all.every((each) => each === undefined || quantityToInteger(each) <= milliMax);
  const whole = (each: Quantity | undefined): bigint => {
    if (each === undefined) return 0n;
    return isFine ? quantityToMilli(each) : quantityToInteger(each);
  };
  return [whole(bound), whole(one), whole(other)];
}

const milliMax = (2n ** 63n - 1n) / 1000n;

function amountsOf(texts: Resources | undefined): Amounts {
  return new Map(Object.entries(texts ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

function namespaceOf({ metadata }: Frozen<LimitRange>): readonly string[] {
  return [metadata?.namespace ?? ''];
}

function byName({ metadata: one }: Frozen<LimitRange>, { metadata: other }: Frozen<LimitRange>): number {
  return (one?.name ?? '') < (other?.name ?? '') ? -1 : 1;
}
