// What candidates write into a Lease and read out of one. Anybody may write a Lease, so nothing in it is taken for
// granted: a field that makes no sense counts as one that is absent. As
// client-go/tools/leaderelection/resourcelock/leaselock.go.
import { printMicroTime } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { Lease, LeaseSpec } from '../core/types/index.js';
import type { Stored } from './resource-client.js';

/** Which Lease is led by, as whom, and for how long at a time. */
export interface Candidacy {
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** Who holds a lease; empty where nobody does. */
export function holderOf({ spec }: Frozen<Lease>): string {
  const holder: unknown = spec?.holderIdentity;
  return typeof holder === 'string' ? holder : '';
}

/** For how long it is held from when it was seen to change; 0 where that is not said. */
export function heldForMs({ spec }: Frozen<Lease>): number {
  return wholeOr0(spec?.leaseDurationSeconds) * 1000;
}

/** Whether the holder has said nothing new. Labels and the like are no sign of life, whoever changes them. */
export function saysTheSame(one: Frozen<Lease>, other: Frozen<Lease>): boolean {
  return signsOfLife.every((field) => Object.is(one.spec?.[field], other.spec?.[field]));
}

const signsOfLife = [
  'holderIdentity',
  'leaseDurationSeconds',
  'acquireTime',
  'renewTime',
  'leaseTransitions',
] as const satisfies readonly (keyof LeaseSpec)[];

/** A lease that was not there before. */
export function newLease({ lease: { namespace, name }, ...candidacy }: Candidacy, nowMs: number): Lease {
  return {
    metadata: { namespace, name },
    spec: heldSpec(candidacy, nowMs, { acquireTime: printMicroTime(nowMs), leaseTransitions: 0 }),
  };
}

/** The lease in the hands of the candidate: renewed where it is theirs already, else taken over. */
export function heldLease(lease: Stored<Lease>, candidacy: Candidacy, nowMs: number): Frozen<Lease> {
  const now = printMicroTime(nowMs);
  const transitions = wholeOr0(lease.spec?.leaseTransitions);
  const isTheirs = holderOf(lease) === candidacy.identity;
  const since = isTheirs
    ? { acquireTime: lease.spec?.acquireTime ?? now, leaseTransitions: transitions }
    : { acquireTime: now, leaseTransitions: wholeOr0(transitions + 1) };
  return { ...lease, spec: heldSpec(candidacy, nowMs, since) };
}

/** The lease in nobody's hands. Its times say when it was given back. */
export function freeLease(lease: Stored<Lease>, nowMs: number): Frozen<Lease> {
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

/** Seconds are rounded up: others must not think that it is over while its holder still relies on it. */
function heldSpec(
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

/** Servers take no number beyond this one. */
const int32Max = 2 ** 31 - 1;

function wholeOr0(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= int32Max ? value : 0;
}
