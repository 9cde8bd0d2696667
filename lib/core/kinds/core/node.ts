// Nodes. A kubelet creates its node with status and all, so a new one keeps what it came with. CIDRs of pods and the
// provider's ID are set once. Dynamic kubelet configuration is gone: only nodes that still have it keep it.
// As pkg/registry/core/node/strategy.go; rules in node-validation.ts.
import { collect } from '../../errors/collect.js';
import { fieldPath } from '../../errors/field-path.js';
import { warningsForCidr } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { Node, NodeSpec } from '../../types/core-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { roundResourceList } from '../resource-list.js';
import { nodeTable } from './node-table.js';
import { validateNode, validateNodeUpdate } from './node-validation.js';

/** The strategy of Nodes. */
export const node: KindStrategy<Node> = {
  nameRule: nameIsDnsSubdomain,
  keepsStatus: true,
  prepareForCreate: ({ spec, status }) => {
    delete spec?.configSource;
    delete status?.config;
  },
  validate: validateNode,
  warningsOnCreate: warnings,
  prepareForUpdate: ({ spec }, old) => {
    if (old.spec?.configSource === undefined) delete spec?.configSource;
  },
  validateUpdate: (object, old) => [...validateNode(object), ...validateNodeUpdate(object, old)],
  warningsOnUpdate: warnings,
  subresources: {
    status: {
      prepareForUpdate: ({ status }, old) => {
        if (old.status?.config === undefined) delete status?.config;
      },
      validateUpdate: validateNodeUpdate,
    },
  },
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec?.unschedulable ?? false) },
  table: nodeTable,
};

/** What can be allocated is what there is, unless the node says otherwise; one CIDR of pods is the first of several. */
export function nodeDefaults({ spec, status }: Node): void {
  if (spec !== undefined) alignPodCidrs(spec);
  if (status === undefined) return;
  if (status.allocatable === undefined && status.capacity !== undefined) status.allocatable = { ...status.capacity };
  roundResourceList(status.capacity);
  roundResourceList(status.allocatable);
}

/**
 * Where both forms differ the singular one wins, for the sake of old clients. As Convert_v1_NodeSpec_To_core_NodeSpec.
 */
function alignPodCidrs(spec: NodeSpec): void {
  const { podCIDR = '', podCIDRs = [] } = spec;
  const first = podCIDRs[0];
  if (podCIDR !== '' && podCIDR !== first) spec.podCIDRs = [podCIDR];
  else if (podCIDR === '' && first !== undefined && first !== '') spec.podCIDR = first;
}

function warnings({ spec = {} }: Frozen<Node>): readonly string[] {
  const { configSource, externalID = '', podCIDRs = [] } = spec;
  return [
    ...(configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...(externalID === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...collect(podCIDRs, (cidr, index) => warningsForCidr(cidr, fieldPath('spec', 'podCIDRs').index(index))),
  ];
}
