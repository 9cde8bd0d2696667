// NetworkPolicies: who may talk to the pods of a namespace, and to whom these may talk.
// As pkg/registry/networking/networkpolicy/strategy.go and pkg/apis/networking/v1/defaults.go.
import { collect } from '../../errors/collect.js';
import { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { warningsForCidr } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { NetworkPolicy } from '../../types/networking-v1.generated.js';
import { selectorCell } from '../apps/template-cells.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { ipBlocks, validateNetworkPolicySpec } from './network-policy-validation.js';

const table: KindTable<NetworkPolicy> = {
  columns: [nameColumn, textColumn('Pod-Selector', 'The pods it applies to.'), ageColumn],
  row: (object, now) => ({
    cells: [object.metadata?.name ?? '', selectorCell(object.spec?.podSelector ?? {}), age(object, now)],
  }),
};

/** The strategy of NetworkPolicies. */
export const networkPolicy: KindStrategy<NetworkPolicy> = {
  nameRule: nameIsDnsSubdomain,
  changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
  validate: ({ spec = {} }) => validateNetworkPolicySpec(spec),
  warningsOnCreate: warnings,
  validateUpdate: ({ spec = {} }, old) =>
    validateNetworkPolicySpec(spec, {
      invalidLabelValues: validateLabelSelector(old.spec?.podSelector, FieldPath.nil).length > 0,
      cidrs: new Set(ipBlocks(old.spec ?? {}).flatMap(({ block: { cidr, except = [] } }) => [cidr, ...except])),
    }),
  warningsOnUpdate: warnings,
  table,
};

/** A policy that does not say so is one for incoming traffic, and for outgoing traffic if it has rules for that. */
export function networkPolicyDefaults(object: NetworkPolicy): void {
  object.spec ??= {};
  const { policyTypes = [], egress = [] } = object.spec;
  if (policyTypes.length === 0) object.spec.policyTypes = egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

function warnings({ spec = {} }: Frozen<NetworkPolicy>): readonly string[] {
  return collect(ipBlocks(spec), ({ block: { cidr, except = [] }, path }) => [
    ...warningsForCidr(cidr, path.child('cidr')),
    ...collect(except, (each, index) => warningsForCidr(each, path.child('except').index(index))),
  ]);
}
