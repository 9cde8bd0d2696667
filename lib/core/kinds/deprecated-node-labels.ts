// Labels of nodes that have newer names, and the warnings for clients that still use them.
// As pkg/api/node/util.go. For kinds that select nodes.
import { collect } from '../errors/collect.js';
import type { FieldPath } from '../errors/field-path.js';
import type { Frozen } from '../objects/meta.js';
import type { LabelSelector } from '../types/meta-v1.generated.js';

/** What to say of a label; undefined if it is fine. */
export function nodeLabelDeprecation(key: string): string | undefined {
  return deprecations.get(key);
}

/** What to say of the labels a selector names. As GetWarningsForNodeSelector. */
export function nodeSelectorWarnings(selector: Frozen<LabelSelector> | undefined, path: FieldPath): readonly string[] {
  const { matchExpressions = [], matchLabels = {} } = selector ?? {};
  const expressions = collect(matchExpressions, ({ key }, index) => {
    const message = deprecations.get(key);
    return message === undefined
      ? []
      : [`${path.child('matchExpressions').index(index).child('key').toString()}: ${key} is ${message}`];
  });
  const labels = collect(Object.keys(matchLabels), (key) => {
    const message = deprecations.get(key);
    return message === undefined ? [] : [`${path.child('matchLabels').child(key).toString()}: ${message}`];
  });
  return [...expressions, ...labels];
}

const deprecations: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);
