// Reset fields: fields that a write does not change although its object has them, because the server restores them
// (status of a write of the object, spec of a write of status). A manager neither owns nor conflicts over them. As
// GetResetFields and GetResetFieldsFilter of the strategies in pkg/registry.
import { includedFields, parseFieldSet, recursiveDifferenceOf } from '../../core/index.js';
import type { FieldFilter, FieldSet } from '../../core/index.js';
import type { StoredKind } from '../registry/stored-kind.js';

/** Returns the filter of writes of a kind through a subresource; undefined where all fields count. */
export function resetFieldsOf(
  { ref, subresources, definition }: StoredKind,
  subresource: string,
): FieldFilter | undefined {
  const special = specialFilters[`${ref.group}/${ref.resource}/${subresource}`];
  if (special !== undefined) return special === 'none' ? undefined : special;
  if (!subresources.has('status')) return undefined;
  if (subresource === '') return withoutStatus;
  if (subresource !== 'status') return undefined;
  return definition.versionStorage !== undefined || statusKeepsMetadata.has(`${ref.group}/${ref.resource}`)
    ? withoutSpecAndMetadata
    : withoutSpec;
}

function without(fields: FieldSet): FieldFilter {
  return (set) => recursiveDifferenceOf(set, fields);
}

const withoutStatus = without(parseFieldSet({ 'f:status': {} }));
const withoutSpec = without(parseFieldSet({ 'f:spec': {} }));
const withoutSpecAndMetadata = without(parseFieldSet({ 'f:metadata': {}, 'f:spec': {} }));
const withoutSpecAndStatus = without(parseFieldSet({ 'f:spec': {}, 'f:status': {} }));

/** Kinds whose status is written without metadata. */
const statusKeepsMetadata: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'apiregistration.k8s.io/apiservices',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'internal.apiserver.k8s.io/storageversions',
  'networking.k8s.io/servicecidrs',
  'resource.k8s.io/devicetaintrules',
  'resource.k8s.io/resourceclaims',
  'resource.k8s.io/resourcepoolstatusrequests',
  'scheduling.k8s.io/podgroups',
  'storage.k8s.io/volumeattachments',
  'storagemigration.k8s.io/storageversionmigrations',
]);

/** Filters that differ from the common ones, by group, resource and subresource. */
const specialFilters: Readonly<Record<string, FieldFilter | 'none' | undefined>> = {
  '/pods/status': without(
    parseFieldSet({ 'f:spec': {}, 'f:metadata': { 'f:deletionTimestamp': {}, 'f:ownerReferences': {} } }),
  ),
  '/pods/ephemeralcontainers': (set) => includedFields(set, [['spec', 'ephemeralContainers']]),
  '/pods/resize': (set) =>
    includedFields(set, [
      ['spec', 'containers', '*', 'resources'],
      ['spec', 'containers', '*', 'resizePolicy'],
      ['spec', 'initContainers', '*', 'resources'],
      ['spec', 'initContainers', '*', 'resizePolicy'],
    ]),
  '/namespaces/finalize': withoutStatus,
  'apps/deployments/status': without(parseFieldSet({ 'f:spec': {}, 'f:metadata': { 'f:labels': {} } })),
  'certificates.k8s.io/certificatesigningrequests/': withoutSpecAndStatus,
  'certificates.k8s.io/certificatesigningrequests/status': without(
    parseFieldSet({ 'f:spec': {}, 'f:status': { 'f:conditions': {} } }),
  ),
  'certificates.k8s.io/certificatesigningrequests/approval': without(
    parseFieldSet({ 'f:spec': {}, 'f:status': { 'f:certificate': {} } }),
  ),
  'certificates.k8s.io/podcertificaterequests/': 'none',
};
