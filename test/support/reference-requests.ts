// A reference implementation of pod requests: resource by resource, with exact amounts and no shortcuts. The
// scheduler's own computation must give the same results.
import { parseQuantity, quantityToInteger, quantityToMilli } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Container, Pod } from '../../lib/core/types/index.js';
import type { PodFacts } from '../../lib/scheduling/public.js';

type List = Readonly<Record<string, string>> | undefined;

/** All four readings of a pod's requests. */
export function referenceRequests(
  pod: Frozen<Pod>,
): Pick<PodFacts, 'requests' | 'requestsOnNode' | 'nonZeroRequests' | 'nonZeroRequestsOnNode'> {
  const podLevel = ['cpu', 'memory', 'hugepages-2Mi'].some(
    (name) => pod.spec?.resources?.requests?.[name] !== undefined,
  );
  const assumedOnNode = (name: string): boolean => !podLevel || !isNamed(pod, name);
  return {
    requests: amounts((name) => total(pod, name, { onNode: false, podLevel: true, assume: false })),
    requestsOnNode: amounts((name) => total(pod, name, { onNode: true, podLevel: true, assume: false })),
    nonZeroRequests: nonZero((name) => total(pod, name, { onNode: false, podLevel: false, assume: true })),
    nonZeroRequestsOnNode: nonZero((name) =>
      total(pod, name, { onNode: true, podLevel: true, assume: assumedOnNode(name) }),
    ),
  };
}

interface Rules {
  readonly onNode: boolean;
  readonly podLevel: boolean;
  readonly assume: boolean;
}

/** Billionths of a resource; undefined where no container names it. */
function total(pod: Frozen<Pod>, name: string, rules: Rules): bigint | undefined {
  const { containers = [], initContainers = [], resources, overhead } = pod.spec ?? {};
  const own = (container: Frozen<Container>, isInit: boolean): bigint | undefined => {
    const list =
      rules.onNode && (!isInit || container.restartPolicy === 'Always')
        ? onNode(pod, container)
        : container.resources?.requests;
    const text = list?.[name];
    if (text !== undefined) return parseQuantity(text).nanos;
    if (!rules.assume) return undefined;
    return name === 'cpu' ? 100_000_000n : 209_715_200n * 1_000_000_000n;
  };
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const together = [...containers.map((each) => own(each, false)), ...sidecars.map((each) => own(each, true))];
  const uses = initContainers.map((each, index) => {
    const before = initContainers
      .slice(0, index)
      .filter(({ restartPolicy }) => restartPolicy === 'Always')
      .map((sidecar) => own(sidecar, true));
    return sum([...before, own(each, true)]);
  });
  let result = [sum(together), ...uses].reduce(
    (most, each) => (most === undefined || (each !== undefined && each > most) ? each : most),
    undefined,
  );
  const wish = resources?.requests?.[name];
  if (rules.podLevel && wish !== undefined && ['cpu', 'memory', 'hugepages-2Mi'].includes(name)) {
    const { status } = pod;
    const list: List =
      rules.onNode && status?.resources !== undefined
        ? largest(pod, [resources?.requests, status.resources.requests, status.allocatedResources])
        : resources?.requests;
    result = parseQuantity(list?.[name] ?? '0').nanos;
  }
  return sum([result, overhead?.[name] === undefined ? undefined : parseQuantity(overhead[name]).nanos]);
}

function onNode(pod: Frozen<Pod>, container: Frozen<Container>): List {
  const status = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].find(
    ({ name }) => name === container.name,
  );
  if (status?.resources === undefined) return container.resources?.requests;
  return largest(pod, [container.resources?.requests, status.resources.requests, status.allocatedResources]);
}

/** The first list is the wish, which does not count once it is refused for good. */
function largest(pod: Frozen<Pod>, lists: readonly List[]): List {
  const infeasible =
    pod.status?.conditions?.some(({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible') ?? false;
  const counted = infeasible ? lists.slice(1) : lists;
  const names = new Set(counted.flatMap((list) => Object.keys(list ?? {})));
  return Object.fromEntries(
    [...names].map((name) => {
      const texts = counted.flatMap((list) => (list?.[name] === undefined ? [] : [list[name]]));
      return [name, texts.reduce((a, b) => (parseQuantity(b).nanos > parseQuantity(a).nanos ? b : a))];
    }),
  );
}

function isNamed(pod: Frozen<Pod>, name: string): boolean {
  return total(pod, name, { onNode: true, podLevel: true, assume: false }) !== undefined;
}

function amounts(of: (name: string) => bigint | undefined): PodFacts['requests'] {
  const scalars = new Map(
    ['hugepages-2Mi', 'example.com/gpu']
      .filter((name) => of(name) !== undefined)
      .map((name) => [name, units(of(name) ?? 0n)]),
  );
  return {
    milliCpu: milli(of('cpu') ?? 0n),
    memory: units(of('memory') ?? 0n),
    ephemeralStorage: units(of('ephemeral-storage') ?? 0n),
    scalars,
  };
}

function nonZero(of: (name: string) => bigint | undefined): PodFacts['nonZeroRequestsOnNode'] {
  return { milliCpu: milli(of('cpu') ?? 0n), memory: units(of('memory') ?? 0n) };
}

function sum(parts: readonly (bigint | undefined)[]): bigint | undefined {
  const named = parts.filter((part) => part !== undefined);
  return named.length === 0 ? undefined : named.reduce((a, b) => a + b);
}

function milli(nanos: bigint): number {
  return Number(quantityToMilli({ nanos, format: 'DecimalSI', spelling: undefined }));
}

function units(nanos: bigint): number {
  return Number(quantityToInteger({ nanos, format: 'DecimalSI', spelling: undefined }));
}
