// The IP families of a Service: the requested ones, checked against those of the cluster, and defaults. Needs no pool,
// so that dry runs return the same. As initIPFamilyFields in pkg/registry/core/service/storage/alloc.go.
import {
  fieldInvalid,
  fieldPath,
  isExternalName,
  parseIp,
  sameTexts,
  validateClusterIpFields,
} from '../../core/index.js';
import type { FieldError, Frozen } from '../../core/index.js';
import type { Service, ServiceSpec } from '../../core/types/index.js';
import { familyOf } from './address-pool.js';
import type { Family } from './address-pool.js';
import { specOf } from './allocated-values.js';

/** The IP families of a cluster, the primary first. */
export type Families = readonly [Family] | readonly [Family, Family];

/** Sets ipFamilyPolicy and ipFamilies in place; returns errors. */
export function settleFamilies(
  service: Service,
  old: Frozen<Service> | undefined,
  families: Families,
): readonly FieldError[] {
  if (isExternalName(service) || keepsPreference(service, old)) return [];
  const spec = specOf(service);
  spec.ipFamilyPolicy ??= old?.spec?.ipFamilyPolicy ?? (isSelectorless(spec) ? 'RequireDualStack' : 'SingleStack');
  // A preliminary check, so that the code below need not handle inconsistent fields.
  const wrong = validateClusterIpFields(service, old);
  if (wrong.length > 0) return wrong;
  const conflicting = [
    ...releaseSecond(spec, old?.spec),
    ...validateSingleStack(spec),
    ...inferFamilies(spec, families),
  ];
  if (conflicting.length > 0) return conflicting;
  if (isSelectorless(spec)) {
    // The endpoints of headless Services without selector are unknown, so any family is accepted.
    completeFamilies(spec, families[0], true);
    return [];
  }
  const missing = validateConfigured(spec, families);
  if (missing.length === 0) completeFamilies(spec, families[0], families.length === 2);
  return missing;
}

/** Whether a PreferDualStack Service is unchanged: it then keeps its families even where the cluster changed. */
export function keepsPreference({ spec = {} }: Frozen<Service>, old: Frozen<Service> | undefined): boolean {
  if (old === undefined || spec.ipFamilyPolicy !== 'PreferDualStack') return false;
  const { spec: before = {} } = old;
  const typed = spec.type === 'ClusterIP' || spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  const preferred = before.ipFamilyPolicy === undefined || before.ipFamilyPolicy === 'PreferDualStack';
  return (
    typed &&
    spec.type === before.type &&
    preferred &&
    sameTexts(spec.clusterIPs, before.clusterIPs) &&
    sameTexts(spec.ipFamilies, before.ipFamilies)
  );
}

const policyPath = fieldPath('spec', 'ipFamilyPolicy');

function isSelectorless({ clusterIP, selector = {} }: Frozen<ServiceSpec>): boolean {
  return clusterIP === 'None' && Object.keys(selector).length === 0;
}

/**
 * Changing to SingleStack releases the second address and family; removing them without changing the policy is an
 * error.
 */
function releaseSecond(spec: ServiceSpec, before: Frozen<ServiceSpec> | undefined): readonly FieldError[] {
  if (before === undefined) return [];
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  if (ipFamilyPolicy === 'SingleStack') {
    if (clusterIPs.length > 1 && sameTexts(clusterIPs, before.clusterIPs)) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (ipFamilies.length > 1 && sameTexts(ipFamilies, before.ipFamilies)) spec.ipFamilies = ipFamilies.slice(0, 1);
    return [];
  }
  const refuse = (what: string): FieldError =>
    fieldInvalid(policyPath, ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`);
  return [
    ...(clusterIPs.length > 0 && clusterIPs.length < (before.clusterIPs ?? []).length ? [refuse('cluster IP')] : []),
    ...(ipFamilies.length > 0 && ipFamilies.length < (before.ipFamilies ?? []).length ? [refuse('IP family')] : []),
  ];
}

function validateSingleStack({ clusterIPs = [], ipFamilies = [], ipFamilyPolicy }: ServiceSpec): readonly FieldError[] {
  if (ipFamilyPolicy !== 'SingleStack') return [];
  const refuse = (what: string): FieldError =>
    fieldInvalid(
      policyPath,
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(clusterIPs.length === 2 ? [refuse('cluster IPs')] : []),
    ...(ipFamilies.length === 2 ? [refuse('IP families')] : []),
  ];
}

/** Infers families from the requested addresses. */
function inferFamilies(spec: ServiceSpec, families: Families): readonly FieldError[] {
  const { clusterIPs = [] } = spec;
  const errors: FieldError[] = [];
  for (const [index, text] of clusterIPs.entries()) {
    const address = parseIp(text);
    if (address === undefined || index < (spec.ipFamilies ?? []).length) continue;
    const family = familyOf(address);
    if (families.includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else
      errors.push(
        fieldInvalid(
          fieldPath('spec', 'clusterIPs').index(index),
          clusterIPs,
          `${family} is not configured on this cluster`,
        ),
      );
  }
  return errors;
}

function validateConfigured(
  { ipFamilies = [], ipFamilyPolicy }: ServiceSpec,
  families: Families,
): readonly FieldError[] {
  const dual = ipFamilyPolicy === 'RequireDualStack' && families.length < 2;
  return [
    ...(dual
      ? [fieldInvalid(policyPath, ipFamilyPolicy, 'this cluster is not configured for dual-stack services')]
      : []),
    ...ipFamilies.flatMap((family, index) =>
      families.includes(family)
        ? []
        : [fieldInvalid(fieldPath('spec', 'ipFamilies').index(index), family, 'not configured on this cluster')],
    ),
  ];
}

function completeFamilies(spec: ServiceSpec, primary: Family, addSecond: boolean): void {
  const { ipFamilies = [] } = spec;
  const [first = primary, second] = ipFamilies;
  const both = second === undefined && addSecond && spec.ipFamilyPolicy !== 'SingleStack';
  spec.ipFamilies = both ? [first, first === 'IPv4' ? 'IPv6' : 'IPv4'] : ipFamilies.length === 0 ? [first] : ipFamilies;
}
