// NodeDeclaredFeatures: filters nodes that do not declare a feature that the pod's spec requires. Most pods require
// none. As the plugin of the same name and component-helpers/nodedeclaredfeatures.
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import { on } from '../framework/queueing-hints.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { actions } from '../queue/cluster-event.js';
import { memoizeLast } from './memoize.js';
import { isSamePod } from './pod-predicates.js';

/** Creates the plugin. */
export function nodeDeclaredFeatures(): SchedulingPlugin {
  const featuresOf = memoizeLast(({ object }: PodFacts) => requiredFeatures(object));
  return {
    name: 'NodeDeclaredFeatures',
    events: [
      on('Node', actions.add | actions.updateNodeDeclaredFeature, (_, old, node) =>
        old === undefined || differ(declaredBy(old), declaredBy(node)) ? 'queue' : 'skip',
      ),
      on('Pod', actions.update, (pod, old, changed) =>
        old !== undefined &&
        changed !== undefined &&
        isSamePod(pod, changed) &&
        differ(requiredFeatures(old), requiredFeatures(changed))
          ? 'queue'
          : 'skip',
      ),
    ],
    preFilter: ({ pod }) => (featuresOf(pod).length === 0 ? 'skip' : undefined),
    filter: ({ pod }, { object }) =>
      featuresOf(pod).every((feature) => declaredBy(object).includes(feature)) ? undefined : featureMissing,
  };
}

const featureMissing = unresolvable("node(s) didn't match Pod's required features");

/** Returns the features that a node must declare to run a pod. */
function requiredFeatures({ spec }: Frozen<Pod>): readonly string[] {
  const { containers = [], initContainers = [], hostNetwork = false, hostUsers = true } = spec ?? {};
  const features: string[] = [];
  const restartsAll = [...containers, ...initContainers].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
  if (restartsAll) features.push('RestartAllContainersOnContainerExits');
  if (hostNetwork && !hostUsers) features.push('UserNamespacesHostNetworkSupport');
  return features.length === 0 ? none : features;
}

function declaredBy(node: Frozen<Node> | undefined): readonly string[] {
  return node?.status?.declaredFeatures ?? none;
}

function differ(one: readonly string[], other: readonly string[]): boolean {
  return one.length !== other.length || one.some((feature, index) => feature !== other[index]);
}

const none: readonly string[] = [];
