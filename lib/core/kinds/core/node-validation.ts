// What is wrong with a node, on its own and after an update. Paths are as Kubernetes prints them, even where they name
// no field (metadata.taints). As ValidateNode and ValidateNodeUpdate in pkg/apis/core/validation/validation.go.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldForbidden, fieldInternal, fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import { utf8Length } from '../../objects/names.js';
import { parseCidr } from '../../objects/ip-address.js';
import { validateLegacyCidr } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import type { Node, NodeAddress } from '../../types/core-v1.generated.js';
import { validateResourceQuantity } from '../quantity-validation.js';
import { validateConfigSource, validateConfigStatus } from './node-config-validation.js';
import { validateNodeAnnotations, validateTaints } from './taint-validation.js';

type FieldErrors = readonly FieldError[];

/** Validates a node. */
export function validateNode({ metadata, spec = {}, status = {} }: Frozen<Node>): FieldErrors {
  return [
    ...validateNodeAnnotations(metadata?.annotations ?? {}, annotationsPath),
    ...validateTaints(spec.taints ?? [], taintsPath),
    ...validateAmounts(status),
    ...validateSwap(status.nodeInfo?.swap?.capacity),
    ...validateDeclaredFeatures(status.declaredFeatures ?? []),
    ...validatePodCidrs(spec.podCIDRs ?? []),
  ];
}

/** Validates the change of a node, through either endpoint. */
export function validateNodeUpdate({ metadata, spec = {}, status = {} }: Frozen<Node>, old: Frozen<Node>): FieldErrors {
  const before = old.spec ?? {};
  return [
    ...validateNodeAnnotations(metadata?.annotations ?? {}, annotationsPath),
    ...validateAmounts(status),
    ...validateDeclaredFeatures(status.declaredFeatures ?? []),
    ...validateAddresses(status.addresses ?? []),
    ...validateSameCidrs(spec.podCIDRs ?? [], before.podCIDRs ?? []),
    ...((before.providerID ?? '') === '' || before.providerID === spec.providerID
      ? []
      : [fieldForbidden(fieldPath('spec', 'providerID'), setOnce('providerID'))]),
    ...(spec.configSource === undefined
      ? []
      : validateConfigSource(spec.configSource, 'spec', fieldPath('spec', 'configSource'))),
    ...(status.config === undefined ? [] : validateConfigStatus(status.config, fieldPath('status', 'config'))),
    ...validateTaints(spec.taints ?? [], taintsPath),
    ...((before.externalID ?? '') === (spec.externalID ?? '')
      ? []
      : [fieldForbidden(fieldPath('spec', 'externalID'), 'may not be updated')]),
  ];
}

const annotationsPath = fieldPath('metadata', 'annotations');
const taintsPath = fieldPath('metadata', 'taints');

function validateAmounts(status: NonNullable<Frozen<Node>['status']>): FieldErrors {
  return collect(['capacity', 'allocatable'] as const, (part) =>
    collect(Object.entries(status[part] ?? {}), ([name, amount]) =>
      validateResourceQuantity(name, amount, fieldPath('status', part, name)),
    ),
  );
}

function validateSwap(capacity: number | undefined): FieldErrors {
  if (capacity === undefined || capacity > 0) return [];
  return [fieldInvalid(fieldPath('metadata', 'nodeSwapStatus', 'capacity'), capacity, 'must be greater than zero')];
}

/** Names in UpperCamelCase with parts after slashes, in order, none twice. */
function validateDeclaredFeatures(features: readonly string[]): FieldErrors {
  const path = fieldPath('status', 'declaredFeatures');
  return collect(features, (feature, index) => {
    const wrong = featureProblem(feature);
    const next = features[index + 1];
    const errors = wrong === undefined ? [] : [fieldInvalid(path.index(index), feature, wrong)];
    if (feature === next) errors.push(fieldDuplicate(path.index(index + 1), next));
    else if (next !== undefined && feature > next)
      errors.push(fieldInvalid(path.index(index + 1), next, 'list must be sorted alphabetically'));
    return errors;
  });
}

function featureProblem(feature: string): string | undefined {
  if (utf8Length(feature) > 253) return `invalid feature name ${quote(feature)}: must be no more than 253 characters`;
  if (featureForm.test(feature)) return undefined;
  return (
    `invalid feature name ${quote(feature)}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' ` +
    '(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes'
  );
}

const featureForm = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/;

/** One CIDR, or one of each family. */
function validatePodCidrs(cidrs: readonly string[]): FieldErrors {
  const path = fieldPath('spec', 'podCIDRs');
  const errors = collect(cidrs, (cidr, index) => validateLegacyCidr(cidr, path.index(index)));
  if (cidrs.length < 2) return errors;
  const families = cidrs.map((cidr) => parseCidr(cidr)?.network.family);
  const bad = families.indexOf(undefined);
  if (bad >= 0) {
    const detail = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${cidrs[bad]})`;
    errors.push(fieldInternal(path, `invalid PodCIDRs. failed to check with dual stack with error:${detail}`));
  }
  const dualStack = bad < 0 && families.includes(4) && families.includes(6);
  if (!dualStack || cidrs.length > 2)
    errors.push(fieldInvalid(path, cidrs, 'may specify no more than one CIDR for each IP family'));
  return errors;
}

/** One error for each that changed, or one for a list of another length. */
function validateSameCidrs(cidrs: readonly string[], before: readonly string[]): FieldErrors {
  const refusal = fieldForbidden(fieldPath('spec', 'podCIDRs'), setOnce('podCIDR'));
  if (before.length === 0) return [];
  if (cidrs.length !== before.length) return [refusal];
  return collect(
    before.filter((cidr, index) => cidr !== cidrs[index]),
    () => [refusal],
  );
}

function setOnce(field: string): string {
  return `node updates may not change ${field} except from "" to valid`;
}

function validateAddresses(addresses: readonly Frozen<NodeAddress>[]): FieldErrors {
  const seen = new Set<string>();
  return collect(addresses, ({ type, address }, index) => {
    const key = JSON.stringify([type, address]);
    const duplicate = seen.has(key);
    seen.add(key);
    return duplicate
      ? [fieldDuplicate(fieldPath('status', 'addresses').index(index), { Type: type, Address: address })]
      : [];
  });
}
