// How claims, allocations and attributes print in errors (go/struct-form.ts). As the types of
// pkg/apis/resource/types.go.
import type { Frozen, ObjectMeta } from '../../objects/meta.js';
import type { ResourceClaimTemplateSpec } from '../../types/resource-v1.generated.js';
import { goForms } from '../../go/struct-form.js';
import type { GoPrinter } from '../../go/struct-form.js';
import { printedMap } from '../printed-values.js';

/** Prints `ClaimSpec`, `Allocation`, `Attribute` and `NodeSelectorTerm`. */
export const printResourceClaim: GoPrinter = /* @__PURE__ */ goForms({
  ClaimSpec: 'devices:Claim!',
  Claim: 'requests:Request constraints:Constraint config:ClaimConfig',
  Request: 'name! exactly:Exactly firstAvailable:SubRequest',
  Exactly:
    'deviceClassName! selectors:Selector allocationMode! count# adminAccess tolerations:Toleration capacity:Capacity',
  SubRequest:
    'name! deviceClassName! selectors:Selector allocationMode! count# tolerations:Toleration capacity:Capacity',
  Selector: 'cel=CEL:Expression',
  Expression: 'expression!',
  Capacity: 'requests',
  Toleration: 'key! operator! value! effect! tolerationSeconds',
  Constraint: 'requests matchAttribute distinctAttribute',
  ClaimConfig: 'requests opaque:Opaque',
  Opaque: 'driver! parameters',
  Allocation: 'devices:AllocatedDevices! nodeSelector:NodeSelector allocationTimestamp',
  AllocatedDevices: 'results:Result config:AllocationConfig',
  Result:
    'request! driver! pool! device! adminAccess tolerations:Toleration bindingConditions bindingFailureConditions shareID consumedCapacity',
  AllocationConfig: 'source! requests opaque:Opaque',
  NodeSelector: 'nodeSelectorTerms:NodeSelectorTerm',
  NodeSelectorTerm: 'matchExpressions:Requirement matchFields:Requirement',
  Requirement: 'key! operator! values',
  Attribute:
    'int=IntValue bool=BoolValue string=StringValue version=VersionValue ints=IntValues bools=BoolValues strings=StringValues versions=VersionValues',
});

/** A template's specification: its metadata has JSON names even inside, and stands beside the claim's. */
export function printedTemplateSpec({ metadata = {}, spec }: Frozen<ResourceClaimTemplateSpec>): unknown {
  const shown = metadataFields
    .filter((name) => metadata[name] !== undefined)
    .map((name) => [name, printedMeta(metadata, name)]);
  return { ...(Object.fromEntries(shown) as object), Spec: printResourceClaim('ClaimSpec', spec) };
}

function printedMeta(metadata: Frozen<ObjectMeta>, name: keyof ObjectMeta): unknown {
  return name === 'labels' || name === 'annotations' ? printedMap(metadata[name]) : metadata[name];
}

const metadataFields = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
] as const;
