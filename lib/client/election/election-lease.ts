// Reads and writes the Lease of an election. Any client may write a Lease, so invalid fields count as absent. As
// client-go/tools/leaderelection/resourcelock/leaselock.go.
import { printMicroTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Lease, LeaseSpec } from '../../core/types/index.js';
import type { Stored } from '../resources/resource-client.js';

/** The Lease, the identity of the candidate and the duration of the lease. */
export interface Candidacy {
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** Returns the identity of the holder; empty if there is none. */
export function holderOf({ spec }: Frozen<Lease>): string {
  const holder: unknown = spec?.holderIdentity;
  return typeof holder === 'string' ? holder : '';
}

/** Returns the duration of the lease in milliseconds; 0 if it is absent. */
export function leaseDurationOf({ spec }: Frozen<Lease>): number {
  return wholeOr0(spec?.leaseDurationSeconds) * 1000;
}

/** Returns whether the holder has not renewed the lease between two reads. Labels and other metadata do not count. */
export function isUnrenewed(one: Frozen<Lease>, other: Frozen<Lease>): boolean {
  return renewalFields.every((field) => Object.is(one.spec?.[field], other.spec?.[field]));
}

const renewalFields = [
  'holderIdentity',
  'leaseDurationSeconds',
  'acquireTime',
  'renewTime',
  'leaseTransitions',
] as const satisfies readonly (keyof LeaseSpec)[];

/** Returns a new Lease held by the candidate. */
export function newLease({ lease: { namespace, name }, ...candidacy }: Candidacy, nowMs: number): Lease {
  return {
    metadata: { namespace, name },
    spec: holderSpec(candidacy, nowMs, { acquireTime: printMicroTime(nowMs), leaseTransitions: 0 }),
  };
}

/** Returns the lease held by the candidate: renewed if it already holds it, otherwise acquired. */
export function acquiredLease(lease: Stored<Lease>, candidacy: Candidacy, nowMs: number): Frozen<Lease> {
  const now = printMicroTime(nowMs);
  const transitions = wholeOr0(lease.spec?.leaseTransitions);
  const isTheirs = holderOf(lease) === candidacy.identity;
  const since = isTheirs
    ? { acquireTime: lease.spec?.acquireTime ?? now, leaseTransitions: transitions }
    : { acquireTime: now, leaseTransitions: wholeOr0(transitions + 1) };
  return { ...lease, spec: holderSpec(candidacy, nowMs, since) };
}

/** Returns the lease without a holder. Its times record when it was released. */
export function releasedLease(lease: Stored<Lease>, nowMs: number): Frozen<Lease> {
  const now = printMicroTime(nowMs);
  return {
    ...lease,
    spec: {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: wholeOr0(lease.spec?.leaseTransitions),
    },
  };
}

/** Seconds are rounded up: other candidates must not consider the lease expired while its holder relies on it. */
function holderSpec(
  { identity, leaseDurationMs }: Omit<Candidacy, 'lease'>,
  nowMs: number,
  since: Pick<LeaseSpec, 'acquireTime' | 'leaseTransitions'>,
): LeaseSpec {
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
    ...since,
    renewTime: printMicroTime(nowMs),
  };
}

/** The maximum of an int32 field. */
const int32Max = 2 ** 31 - 1;

function wholeOr0(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= int32Max ? value : 0;
}
