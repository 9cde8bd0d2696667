// The permissions of nodes, per resource. A rule allows, denies with a reason, or requires that the object is related
// to the node. Writes are checked further by the admission plugin NodeRestriction, which sees the objects. As
// plugin/pkg/auth/authorizer/node/node_authorizer.go and bootstrappolicy/policy.go, NodeRules.
import type { AccessAttributes } from '../../authorizer.js';
import type { RelatedKind } from './object-references.js';

/** The result of a rule: allowed, the reason of a denial, or allowed for related objects only. */
export type NodeRuleVerdict = 'allow' | { readonly reason: string } | { readonly ifRelated: RelatedKind };

/** Evaluates a request of the node of that name. */
export function judge(node: string, attributes: AccessAttributes): NodeRuleVerdict {
  if (!attributes.isResource) return unspoken;
  const key = `${attributes.group}/${attributes.resource}`;
  const rule = rules.get(key);
  if (rule !== undefined) return rule(attributes, node);
  return attributes.subresource === '' && everywhere.get(key)?.includes(attributes.verb) === true ? 'allow' : unspoken;
}

type Rule = (attributes: AccessAttributes, node: string) => NodeRuleVerdict;

const unspoken: NodeRuleVerdict = { reason: '' };
const read: readonly string[] = ['get', 'list', 'watch'];
const write: readonly string[] = ['update', 'patch'];
const own: readonly string[] = ['get', 'create', 'update', 'patch', 'delete'];

/** Permissions of all nodes, by `group/resource`. */
const everywhere: ReadonlyMap<string, readonly string[]> = new Map([
  ['authentication.k8s.io/tokenreviews', ['create']],
  ['authorization.k8s.io/subjectaccessreviews', ['create']],
  ['authorization.k8s.io/localsubjectaccessreviews', ['create']],
  ['/services', read],
  ['/events', ['create', 'update', 'patch']],
  ['events.k8s.io/events', ['create', 'update', 'patch']],
  ['/endpoints', ['get']],
  ['certificates.k8s.io/certificatesigningrequests', ['create', ...read]],
  ['storage.k8s.io/csidrivers', read],
  ['node.k8s.io/runtimeclasses', read],
]);

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['/secrets', (attributes) => reading(attributes, 'secret')],
  ['/configmaps', (attributes) => reading(attributes, 'configMap')],
  [
    '/persistentvolumeclaims',
    (attributes) => (attributes.subresource === 'status' ? claimStatus(attributes) : getting(attributes, 'claim')),
  ],
  ['/persistentvolumes', (attributes) => getting(attributes, 'volume')],
  ['resource.k8s.io/resourceclaims', (attributes) => getting(attributes, 'resourceClaim')],
  ['storage.k8s.io/volumeattachments', (attributes) => getting(attributes, 'attachment')],
  ['/serviceaccounts', serviceAccounts],
  ['coordination.k8s.io/leases', leases],
  ['storage.k8s.io/csinodes', csiNodes],
  ['resource.k8s.io/resourceslices', resourceSlices],
  ['/nodes', nodes],
  ['/pods', pods],
]);

function ifRelated({ name }: AccessAttributes, kind: RelatedKind): NodeRuleVerdict {
  return name === '' ? { reason: 'No Object name found' } : { ifRelated: kind };
}

function getting(attributes: AccessAttributes, kind: RelatedKind): NodeRuleVerdict {
  if (attributes.verb !== 'get') return { reason: 'can only get individual resources of this type' };
  if (attributes.subresource !== '') return { reason: 'cannot get subresource' };
  return ifRelated(attributes, kind);
}

function reading(attributes: AccessAttributes, kind: RelatedKind): NodeRuleVerdict {
  if (!read.includes(attributes.verb)) return { reason: 'can only read resources of this type' };
  if (attributes.subresource !== '') return { reason: 'cannot read subresource' };
  if (attributes.namespace === '') return { reason: 'can only read namespaced object of this type' };
  return ifRelated(attributes, kind);
}

function claimStatus(attributes: AccessAttributes): NodeRuleVerdict {
  return write.includes(attributes.verb)
    ? ifRelated(attributes, 'claim')
    : { reason: 'can only get/update/patch this type' };
}

function serviceAccounts(attributes: AccessAttributes): NodeRuleVerdict {
  const { verb, subresource, name } = attributes;
  if (verb === 'get' && subresource === '') return reading(attributes, 'serviceAccount');
  if (verb !== 'create' || name === '') return { reason: 'can only create tokens for individual service accounts' };
  return subresource === 'token'
    ? { ifRelated: 'serviceAccount' }
    : { reason: 'can only create token subresource of serviceaccount' };
}

/** The name of a created object may not be known yet; admission checks it. */
function leases({ verb, namespace, name }: AccessAttributes, node: string): NodeRuleVerdict {
  if (!own.includes(verb)) return { reason: 'can only get, create, update, patch, or delete a node lease' };
  if (namespace !== leaseNamespace)
    return { reason: `can only access leases in the "${leaseNamespace}" system namespace` };
  return verb === 'create' || name === node
    ? 'allow'
    : { reason: 'can only access node lease with the same name as the requesting node' };
}

const leaseNamespace = 'kube-node-lease';

function csiNodes({ verb, subresource, name }: AccessAttributes, node: string): NodeRuleVerdict {
  if (!own.includes(verb)) return { reason: 'can only get, create, update, patch, or delete a CSINode' };
  if (subresource !== '') return { reason: 'cannot authorize CSINode subresources' };
  return verb === 'create' || name === node
    ? 'allow'
    : { reason: 'can only access CSINode with the same name as the requesting node' };
}

function resourceSlices(attributes: AccessAttributes, node: string): NodeRuleVerdict {
  if (attributes.subresource !== '') return { reason: 'cannot authorize ResourceSlice subresources' };
  switch (attributes.verb) {
    case 'create':
      return 'allow';
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return ifRelated(attributes, 'slice');
    case 'watch':
    case 'list':
    case 'deletecollection':
      return selectsOwn(attributes, node)
        ? 'allow'
        : { reason: 'can only list/watch/deletecollection resourceslices with nodeName field selector' };
    default:
      return {
        reason:
          'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      };
  }
}

/** A node reads its own Node by name, because its agent looks for it before it creates it. */
function nodes({ verb, subresource, name }: AccessAttributes, node: string): NodeRuleVerdict {
  if (write.includes(verb) && (subresource === '' || subresource === 'status')) return 'allow';
  if (subresource !== '') return unspoken;
  if (verb === 'create') return 'allow';
  if (!read.includes(verb)) return unspoken;
  if (name === node) return 'allow';
  return { reason: `node '${node}' cannot read ${name === '' ? 'all nodes' : `'${name}'`}, only its own Node object` };
}

function pods(attributes: AccessAttributes, node: string): NodeRuleVerdict {
  const { verb, subresource, name } = attributes;
  if (subresource === 'status') return write.includes(verb) ? 'allow' : unspoken;
  if (subresource === 'eviction') return verb === 'create' ? 'allow' : unspoken;
  if (subresource !== '') return unspoken;
  switch (verb) {
    case 'create':
    case 'delete':
      return 'allow';
    case 'get':
      return ifRelated(attributes, 'pod');
    case 'list':
    case 'watch':
      if (selectsOwn(attributes, node)) return 'allow';
      return name === ''
        ? { reason: 'can only list/watch pods with spec.nodeName field selector' }
        : { ifRelated: 'pod' };
    default:
      return unspoken;
  }
}

/** Returns true if the request selects only objects on the node. */
function selectsOwn({ selectors }: AccessAttributes, node: string): boolean {
  return (
    selectors?.field?.requirements.some(
      ({ field, operator, value }) => field === 'spec.nodeName' && operator === '=' && value === node,
    ) === true
  );
}
