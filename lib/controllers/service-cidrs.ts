// Keeps ServiceCIDRs: each has a finalizer and the condition Ready. A ServiceCIDR that is deleted stays while an
// address of a Service is in no other one, and for ten seconds after its deletion, so that no server allocates from it
// any more. As pkg/controller/servicecidrs.
import { awaitChange, controller, informers, requeueAfter, watching } from '../client/index.js';
import type { ControllerActivity, Stored } from '../client/index.js';
import { cidrContains, namespacedName, parseCidr, parseIp, parseTime, printTime } from '../core/index.js';
import type { Cidr, Frozen, NamespacedName, Part } from '../core/index.js';
import type { Condition, IPAddress, ServiceCIDR } from '../core/types/index.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { ignoreError } from './ignore-error.js';

/** A ServiceCIDR was written. */
export interface ServiceCidrWritten {
  readonly type: 'protected' | 'released' | 'condition-set';
  readonly serviceCidr: string;
}

/** Creates the controller. */
export function serviceCidrs({
  client,
  clock,
  random,
  informers: shared = informers(client, { clock, random }),
  steps$,
}: ControllerEnvironment): Part<ControllerActivity<NamespacedName, ServiceCidrWritten>> {
  const cidrs = shared.kind('networking.k8s.io/v1', 'ServiceCIDR');
  const addresses = shared.kind('networking.k8s.io/v1', 'IPAddress');
  const writable = client.kind('networking.k8s.io/v1', 'ServiceCIDR');
  return controller<NamespacedName, ServiceCidrWritten>({
    name: 'service-cidr-controller',
    clock,
    steps$,
    concurrency: 5,
    failuresMax: 15,
    watches: [
      watching(cidrs, ({ object }) => [
        namespacedName(object),
        ...cidrs
          .list()
          .filter((other) => other !== object && overlap(other, object))
          .map(namespacedName),
      ]),
      watching(addresses, ({ object }) =>
        isAllocated(object)
          ? cidrs
              .list()
              .filter((cidr) => contains(cidr, object))
              .map(namespacedName)
          : [],
      ),
    ],
    reconcile: async ({ name }, { emit, signal, cause }) => {
      const cidr = cidrs.get(name);
      if (cidr === undefined) return awaitChange;
      const options = { signal, cause };
      const { finalizers = [], resourceVersion, deletionTimestamp } = cidr.metadata;
      const setCondition = async (condition: Condition): Promise<void> => {
        if (hasCondition(cidr, condition)) return;
        const others = (cidr.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
        await ignoreError(
          'NotFound',
          writable.status.patch(name, { merge: { status: { conditions: [...others, condition] } } }, options),
        );
        emit({ type: 'condition-set', serviceCidr: name });
      };
      const now = printTime(clock.now());
      if (deletionTimestamp !== undefined) {
        if (!canDelete(cidr, cidrs.list(), addresses.list())) {
          await setCondition({ ...terminating, lastTransitionTime: now });
          return awaitChange;
        }
        const leftMs = graceMs - (clock.now() - parseTime(deletionTimestamp));
        if (leftMs > 0) return requeueAfter(leftMs);
        if (!finalizers.includes(finalizer)) return awaitChange;
        const rest = finalizers.filter((each) => each !== finalizer);
        const merge = { metadata: { resourceVersion, finalizers: rest } };
        await ignoreError('NotFound', writable.patch(name, { merge }, options));
        emit({ type: 'released', serviceCidr: name });
        return awaitChange;
      }
      if (!finalizers.includes(finalizer)) {
        const merge = { metadata: { resourceVersion, finalizers: [...finalizers, finalizer] } };
        await ignoreError('NotFound', writable.patch(name, { merge }, options));
        emit({ type: 'protected', serviceCidr: name });
      }
      await setCondition({ ...ready, lastTransitionTime: now });
      return awaitChange;
    },
  });
}

/** Returns whether a ServiceCIDR can go: others contain it, or every allocated address of it. */
export function canDelete(
  cidr: Frozen<ServiceCIDR>,
  all: readonly Frozen<ServiceCIDR>[],
  addresses: readonly Frozen<IPAddress>[],
): boolean {
  const others = all.filter(({ metadata }) => metadata?.name !== cidr.metadata?.name);
  const hasParents = rangesOf(cidr).every((range) =>
    others.some((other) => rangesOf(other).some((parent) => includes(parent, range))),
  );
  if (hasParents) return true;
  return !addresses.some(
    (address) => isAllocated(address) && contains(cidr, address) && !others.some((other) => contains(other, address)),
  );
}

const finalizer = 'networking.k8s.io/service-cidr-finalizer';
const graceMs = 10_000;
const ready = { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' } as const;
const terminating = {
  type: 'Ready',
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
} as const;

function hasCondition({ status }: Stored<ServiceCIDR>, { type, ...wanted }: Condition): boolean {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return found?.status === wanted.status && found.reason === wanted.reason && found.message === wanted.message;
}

/** Returns whether the API server allocated the address to a Service. */
function isAllocated({ metadata }: Frozen<IPAddress>): boolean {
  return metadata?.labels?.['ipaddress.kubernetes.io/managed-by'] === 'ipallocator.k8s.io';
}

function rangesOf({ spec }: Frozen<ServiceCIDR>): readonly Cidr[] {
  return (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
}

function contains(cidr: Frozen<ServiceCIDR>, { metadata }: Frozen<IPAddress>): boolean {
  const address = parseIp(metadata?.name ?? '');
  return address !== undefined && rangesOf(cidr).some((range) => cidrContains(range, address));
}

function includes(parent: Cidr, range: Cidr): boolean {
  return parent.prefixLength <= range.prefixLength && cidrContains(parent, range.network);
}

function overlap(one: Frozen<ServiceCIDR>, other: Frozen<ServiceCIDR>): boolean {
  return rangesOf(one).some((range) => rangesOf(other).some((each) => includes(range, each) || includes(each, range)));
}
