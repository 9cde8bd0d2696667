// NodeDeclaredFeatureValidator and PodResizeValidator: a pod on a node changes only in ways that its node can follow.
// As plugin/pkg/admission/nodedeclaredfeatures and plugin/pkg/admission/podresize.
import {
  addQuantities,
  aggregateContainers,
  compareQuantities,
  deepEqual,
  forbidden,
  parseQuantity,
  quantityToInteger,
  quantityToMilli,
} from '../core/index.js';
import type { ApiError, Frozen } from '../core/index.js';
import type { Node, Pod } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { followedResource } from './followed-resource.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal, reviewedName } from './refusal.js';

/** Creates NodeDeclaredFeatureValidator. */
export function nodeDeclaredFeatureValidator(tools: ServerTools): AdmissionPlugin {
  return validator('NodeDeclaredFeatureValidator', ['', 'resize'], tools, (review, pod, old) => {
    const required = requiredFeatures(pod, old);
    if (required.length === 0) return undefined;
    return (node) => {
      const declared: readonly string[] = node.status?.declaredFeatures ?? [];
      const missing = required.filter((feature) => !declared.includes(feature));
      if (missing.length === 0) return;
      const name = JSON.stringify(node.metadata?.name ?? '');
      throw refusal(
        review,
        `pod update requires features ${missing.join(', ')} which are not available on node ${name}`,
      );
    };
  });
}

/** Creates PodResizeValidator. */
export function podResizeValidator(tools: ServerTools): AdmissionPlugin {
  return validator('PodResizeValidator', ['resize'], tools, (review, pod) => (node) => {
    const { name = '', labels = {} } = node.metadata ?? {};
    const system = labels['kubernetes.io/os'] ?? 'linux';
    if (system !== 'linux')
      throw resizeRefusal(
        review,
        `pod resize is only supported on linux nodes, node ${JSON.stringify(name)} is ${JSON.stringify(system)}`,
        'UnsupportedPlatform',
      );
    const shortages = shortagesOf(pod, node);
    if (shortages.length > 0)
      throw resizeRefusal(
        review,
        `node didn't have enough allocatable resources: ${shortages.join('; ')}`,
        'NodeCapacity',
      );
  });
}

/** What is to be checked of the node, or undefined for nothing. */
type NodeCheck = (
  review: AdmissionReview,
  pod: Frozen<Pod>,
  old: Frozen<Pod>,
) => ((node: Frozen<Node>) => void) | undefined;

/** A plugin that compares an update of a pod with the node that the pod is on. */
function validator(
  name: string,
  subresources: readonly string[],
  tools: ServerTools,
  checkOf: NodeCheck,
): AdmissionPlugin {
  const nodes = followedResource<Node>(tools, { group: '', resource: 'nodes' });
  return {
    name,
    handles: { operations: ['UPDATE'], resources: ['pods'], subresources },
    validate: (review) => {
      // The resource says what the objects are.
      const [pod, old] = [review.object as Frozen<Pod>, review.oldObject as Frozen<Pod>];
      const { nodeName = '' } = pod.spec ?? {};
      if (nodeName === '' || old.metadata?.generation === pod.metadata?.generation) return undefined;
      const check = checkOf(review, pod, old);
      if (check === undefined) return undefined;
      return nodes.whenReady(() => {
        const node = nodes.cache.get(nodeName);
        if (node === undefined) throw refusal(review, `node ${JSON.stringify(nodeName)} not found`);
        check(node);
      });
    },
  };
}

/** As component-helpers/nodedeclaredfeatures: of its features only these two are inferred from updates. */
function requiredFeatures({ spec }: Frozen<Pod>, { spec: old }: Frozen<Pod>): readonly string[] {
  const resizesPod = !deepEqual(spec?.resources, old?.resources);
  const resizesInit = (old?.initContainers ?? []).some(
    ({ restartPolicy, resources }, index) =>
      restartPolicy !== 'Always' && !deepEqual(resources ?? {}, spec?.initContainers?.[index]?.resources ?? {}),
  );
  return [
    ...(resizesPod ? ['InPlacePodLevelResourcesVerticalScaling'] : []),
    ...(resizesInit ? ['InPlacePodVerticalScalingInitContainers'] : []),
  ];
}

/** Amounts in millicores and bytes. */
function shortagesOf({ spec }: Frozen<Pod>, { status }: Frozen<Node>): readonly string[] {
  const ofContainers = aggregateContainers(spec ?? {}, 'requests');
  return (['cpu', 'memory'] as const).flatMap((resource) => {
    const ofPod = spec?.resources?.requests?.[resource];
    const requested = addQuantities(
      ofPod === undefined ? (ofContainers.get(resource) ?? nothing) : parseQuantity(ofPod),
      parseQuantity(spec?.overhead?.[resource] ?? '0'),
    );
    const allocatable = parseQuantity(status?.allocatable?.[resource] ?? '0');
    if (compareQuantities(requested, allocatable) <= 0) return [];
    const amount = resource === 'cpu' ? quantityToMilli : quantityToInteger;
    return [`${resource}, requested: ${amount(requested)}, allocatable: ${amount(allocatable)}`];
  });
}

const nothing = parseQuantity('0');

function resizeRefusal(review: AdmissionReview, why: string, reason: ResizeReason): ApiError {
  return forbidden({ ...review.resource, name: reviewedName(review) }, why, [{ reason, message: '' }]);
}

type ResizeReason = 'UnsupportedPlatform' | 'NodeCapacity';
