// NodeRestriction: what a node may write besides what authorization says: itself, its pods and what belongs to them. A
// node that was taken over must not get hold of other nodes, of secrets or of workloads. As
// plugin/pkg/admission/noderestriction/admission.go. Requests of nodes for tokens are in node-token-requests.ts.
import {
  apiObjectReference,
  certificateRequestSubject,
  deepEqual,
  isMirrorPod,
  mirrorPodAnnotation,
  notFound,
} from '../core/index.js';
import type { ApiObject, Frozen } from '../core/index.js';
import type { CertificateSigningRequest, Node, PersistentVolumeClaim, Pod, UserInfo } from '../core/types/index.js';
import { nodeOf, systemNodes } from '../auth/index.js';
import type { ServerTools } from '../auth/index.js';
import { followedResource } from './followed-resource.js';
import type { FollowedResource } from './followed-resource.js';
import { nodeTokenRequests } from './node-token-requests.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';

/** Creates the plugin. */
export function nodeRestriction(tools: ServerTools): AdmissionPlugin {
  const nodes = followedResource<Node>(tools, { group: '', resource: 'nodes' });
  const pods = followedResource<Pod>(tools, { group: '', resource: 'pods' });
  const checkToken = nodeTokenRequests(tools, pods);
  return {
    name: 'NodeRestriction',
    handles: {
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      resources: [
        'pods',
        'nodes',
        'persistentvolumeclaims',
        'serviceaccounts',
        'leases.coordination.k8s.io',
        'csinodes.storage.k8s.io',
        'resourceslices.resource.k8s.io',
        'certificatesigningrequests.certificates.k8s.io',
      ],
      subresources: '*',
    },
    mutate: (review) => {
      const { user, resource } = review;
      if (!isNode(user)) return undefined;
      const node = nodeOf(user.username ?? '') ?? '';
      if (node === '')
        throw refusal(review, `could not determine node from user ${JSON.stringify(user.username ?? '')}`);
      switch (resource.resource) {
        case 'pods':
          return checkPods(review, node, nodes, pods).then(unchanged);
        case 'serviceaccounts':
          return checkToken(review, node).then(unchanged);
        case 'nodes':
          checkNode(review, node);
          return undefined;
        case 'persistentvolumeclaims':
          checkClaim(review, node);
          return undefined;
        default:
          checkOwn(review, node);
          return undefined;
      }
    },
  };
}

function isNode({ username = '', groups = [] }: Frozen<UserInfo>): boolean {
  return username.startsWith('system:node:') && groups.includes(systemNodes);
}

function unchanged(): undefined {
  return undefined;
}

async function checkPods(
  review: AdmissionReview,
  node: string,
  nodes: FollowedResource<Node>,
  pods: FollowedResource<Pod>,
): Promise<void> {
  const { operation, subresource, namespace, object } = review;
  const quoted = JSON.stringify(node);
  const existing = async (name: string): Promise<Frozen<Pod>> => {
    const pod = await pods.find(name, namespace);
    if (pod === undefined) throw notFound({ group: '', resource: 'pods', name });
    return pod;
  };
  if (subresource === 'status') {
    checkPodStatus(review, node);
    return;
  }
  if (subresource === 'eviction') {
    if (operation !== 'CREATE') throw refusal(review, `unexpected operation ${operation}`);
    const name = review.name === '' ? (object?.metadata?.name ?? '') : review.name;
    if (name === '') throw refusal(review, 'could not determine pod from request data');
    if ((await existing(name)).spec?.nodeName !== node)
      throw refusal(review, `node ${node} can only evict pods with spec.nodeName set to itself`);
    return;
  }
  if (subresource !== '')
    throw refusal(
      review,
      `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`,
    );
  if (operation === 'CREATE') return checkMirror(review, node, nodes);
  if (operation !== 'DELETE')
    throw refusal(
      review,
      `unexpected operation ${JSON.stringify(operation)}, node ${quoted} can only create and delete mirror pods`,
    );
  if ((await existing(review.name)).spec?.nodeName !== node)
    throw refusal(review, `node ${quoted} can only delete pods with spec.nodeName set to itself`);
}

/** A node creates mirror pods only: on itself, owned by itself, and without a reference to any other object. */
async function checkMirror(review: AdmissionReview, node: string, nodes: FollowedResource<Node>): Promise<void> {
  const pod = review.object as Frozen<Pod>;
  const quoted = JSON.stringify(node);
  const refuse = (why: string): never => {
    throw refusal(review, why);
  };
  if (!isMirrorPod(pod))
    refuse(
      `pod does not have ${JSON.stringify(mirrorPodAnnotation)} annotation, node ${quoted} can only create mirror pods`,
    );
  if (pod.spec?.nodeName !== node) refuse(`node ${quoted} can only create pods with spec.nodeName set to itself`);
  const [owner, ...others] = pod.metadata?.ownerReferences ?? [];
  if (others.length > 0) refuse(`node ${quoted} can only create pods with a single owner reference set to itself`);
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    throw refusal(review, `node ${quoted} can only create pods with an owner reference set to itself`);
  if (owner.controller !== true)
    refuse(`node ${quoted} can only create pods with a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion === true) refuse(`node ${quoted} must not set blockOwnerDeletion on an owner reference`);
  const known = await nodes.find(node);
  if (known === undefined) throw notFound({ group: '', resource: 'nodes', name: node });
  if (owner.uid !== known.metadata?.uid)
    refuse(`node ${node} UID mismatch: expected ${owner.uid} got ${known.metadata?.uid ?? ''}`);
  const reference = apiObjectReference(pod);
  if (reference !== undefined) refuse(`node ${quoted} can not create pods that reference ${reference}`);
}

function checkPodStatus(review: AdmissionReview, node: string): void {
  const quoted = JSON.stringify(node);
  if (review.operation !== 'UPDATE') throw refusal(review, `unexpected operation ${JSON.stringify(review.operation)}`);
  const [pod, old] = [review.object as Frozen<Pod>, review.oldObject as Frozen<Pod>];
  if (old.spec?.nodeName !== node)
    throw refusal(review, `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`);
  if (!deepEqual(pod.metadata?.labels ?? {}, old.metadata?.labels ?? {}))
    throw refusal(review, `node ${quoted} cannot update labels through pod status`);
  if (!deepEqual(pod.status?.resourceClaimStatuses ?? [], old.status?.resourceClaimStatuses ?? []))
    throw refusal(review, `node ${quoted} cannot update resource claim statues`);
  if (!deepEqual(pod.status?.extendedResourceClaimStatus, old.status?.extendedResourceClaimStatus))
    throw refusal(review, `node ${quoted} cannot update extended resource claim status`);
}

function checkNode(review: AdmissionReview, node: string): void {
  const quoted = JSON.stringify(node);
  const { name, operation } = review;
  if (name !== node) throw refusal(review, `node ${quoted} is not allowed to modify node ${JSON.stringify(name)}`);
  if (operation === 'DELETE') return;
  const [object, old] = [review.object as Frozen<Node>, review.oldObject as Frozen<Node> | undefined];
  const labels = forbiddenNodeLabels(object.metadata?.labels ?? {}, old?.metadata?.labels ?? {}).join(', ');
  const source = object.spec?.configSource;
  if (operation === 'CREATE') {
    if (source !== undefined)
      throw refusal(review, `node ${quoted} is not allowed to create pods with a non-nil configSource`);
    if (labels !== '') throw refusal(review, `node ${quoted} is not allowed to set the following labels: ${labels}`);
    return;
  }
  if (source !== undefined && !deepEqual(source, old?.spec?.configSource))
    throw refusal(review, `node ${quoted} is not allowed to update configSource to a new non-nil configSource`);
  if (!deepEqual(object.spec?.taints ?? [], old?.spec?.taints ?? []))
    throw refusal(review, `node ${quoted} is not allowed to modify taints`);
  if (!deepEqual(object.metadata?.ownerReferences ?? [], old?.metadata?.ownerReferences ?? []))
    throw refusal(review, `node ${quoted} is not allowed to modify ownerReferences`);
  if (labels !== '') throw refusal(review, `is not allowed to modify labels: ${labels}`);
}

/** Of a claim a node writes what resizing changes, and nothing else. */
function checkClaim(review: AdmissionReview, node: string): void {
  if (review.subresource !== 'status') throw refusal(review, 'may only update PVC status');
  if (review.operation !== 'UPDATE') throw refusal(review, `unexpected operation ${JSON.stringify(review.operation)}`);
  const [claim, old] = [review.object, review.oldObject].map((each) =>
    withoutResize(each as Frozen<PersistentVolumeClaim>),
  );
  if (!deepEqual(claim, old))
    throw refusal(
      review,
      `node ${JSON.stringify(node)} is not allowed to update fields other than status.quantity and status.conditions`,
    );
}

function withoutResize({ metadata, status, ...rest }: Frozen<PersistentVolumeClaim>): unknown {
  const { resourceVersion: _version, managedFields: _fields, ...kept } = metadata ?? {};
  const {
    capacity: _c,
    conditions: _o,
    allocatedResourceStatuses: _s,
    allocatedResources: _a,
    ...others
  } = status ?? {};
  return { ...rest, metadata: kept, status: others };
}

/** Leases, CSINodes, ResourceSlices and requests for certificates: those of the node itself. */
function checkOwn(review: AdmissionReview, node: string): void {
  const { operation, namespace, resource, object, oldObject } = review;
  const name = operation === 'CREATE' ? (object?.metadata?.name ?? '') : review.name;
  switch (resource.resource) {
    case 'leases':
      if (namespace !== 'kube-node-lease')
        throw refusal(review, 'can only access leases in the "kube-node-lease" system namespace');
      if (name !== node) throw refusal(review, 'can only access node lease with the same name as the requesting node');
      return;
    case 'csinodes':
      if (name !== node) throw refusal(review, 'can only access CSINode with the same name as the requesting node');
      return;
    case 'resourceslices': {
      if (operation === 'UPDATE') return;
      const slice = (operation === 'CREATE' ? object : oldObject) as Frozen<ApiObject> & {
        readonly spec?: { readonly nodeName?: string };
      };
      if (slice.spec?.nodeName !== node)
        throw refusal(
          review,
          `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`,
        );
      return;
    }
    default: {
      if (operation !== 'CREATE') return;
      const { signerName, request } = (object as Frozen<CertificateSigningRequest>).spec;
      if (!kubeletSigners.includes(signerName)) return;
      if (certificateRequestSubject(request).commonName !== `system:node:${node}`)
        throw refusal(review, `can only create a node CSR with CN=system:node:${node}`);
    }
  }
}

const kubeletSigners: readonly string[] = [
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
];

/**
 * Returns the changed labels that a node may not set, sorted. It may set those outside of kubernetes.io and k8s.io,
 * and the ones that a kubelet sets. Labels below node-restriction.kubernetes.io are for administrators, to keep
 * workloads on nodes they trust. As getForbiddenLabels, and kubelet/pkg/apis/well_known_labels.go.
 */
function forbiddenNodeLabels(
  labels: Readonly<Record<string, string>>,
  old: Readonly<Record<string, string>>,
): readonly string[] {
  const changed = new Set([...Object.keys(labels), ...Object.keys(old)].filter((key) => labels[key] !== old[key]));
  return [...changed].filter(isForbidden).sort();
}

function isForbidden(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (isWithin(domain, 'node-restriction.kubernetes.io')) return true;
  if (!isWithin(domain, 'kubernetes.io') && !isWithin(domain, 'k8s.io')) return false;
  return !kubeletLabels.includes(key) && !kubeletDomains.some((each) => isWithin(domain, each));
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}

const kubeletDomains: readonly string[] = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

const kubeletLabels: readonly string[] = [
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
];
