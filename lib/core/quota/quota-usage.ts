// All evaluators by resource, and the usage of a quota over the objects of its namespace. Resources without an
// evaluator of their own are counted. As pkg/quota/v1/install/registry.go, evaluator/core/registry.go and
// apiserver/pkg/quota/v1/resources.go, CalculateUsage.
import { parseGroupResource, printGroupResource } from '../objects/gvk.js';
import type { GroupResource } from '../objects/gvk.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import type { ResourceQuota } from '../types/core-v1.generated.js';
import { deviceClaimEvaluator } from './device-claim-evaluator.js';
import { podQuotaEvaluator } from './pod-evaluator.js';
import { isInScopes, objectCountEvaluator, objectCountPrefix, scopesOf } from './quota-evaluator.js';
import type { QuotaEvaluator } from './quota-evaluator.js';
import { addAmounts, pickAmounts, zero } from './quota-amounts.js';
import type { QuotaAmounts } from './quota-amounts.js';
import { serviceEvaluator } from './service-evaluator.js';
import { storageClaimEvaluator } from './storage-claim-evaluator.js';

/** The evaluators of resources that quotas do more with than count their objects, or that have an older name too. */
const ownEvaluators: readonly QuotaEvaluator[] = [
  podQuotaEvaluator,
  serviceEvaluator,
  storageClaimEvaluator,
  deviceClaimEvaluator,
  ...['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'].map((resource) =>
    objectCountEvaluator({ group: '', resource }, resource),
  ),
];

const byResource: ReadonlyMap<string, QuotaEvaluator> = new Map(
  ownEvaluators.map((evaluator) => [printGroupResource(evaluator.resource), evaluator]),
);

/** What quotas never count: what is not stored, and Events. */
const ignored: ReadonlySet<string> = new Set([
  'bindings',
  'componentstatuses',
  'events',
  'events.events.k8s.io',
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);

/** The evaluator of a resource; undefined for resources that quotas ignore. */
export function quotaEvaluatorOf(resource: GroupResource): QuotaEvaluator | undefined {
  const name = printGroupResource(resource);
  if (ignored.has(name)) return undefined;
  return byResource.get(name) ?? objectCountEvaluator(resource);
}

/** The evaluators that measure something of what a quota limits. */
export function evaluatorsMeasuring(names: readonly string[]): readonly QuotaEvaluator[] {
  const found = ownEvaluators.filter((evaluator) => names.some((name) => evaluator.measures(name)));
  const counted = names
    .filter((name) => name.startsWith(objectCountPrefix) && !found.some((evaluator) => evaluator.measures(name)))
    .map((name) => quotaEvaluatorOf(parseGroupResource(name.slice(objectCountPrefix.length))))
    .filter((evaluator) => evaluator !== undefined);
  return [...found, ...counted];
}

/**
 * Returns what is used of a quota. `objectsOf` lists the objects of a resource in the quota's namespace, or returns
 * undefined if they cannot be listed: what is measured by them is then left out, as are names that nothing measures.
 */
export function quotaUsage(
  { spec }: Frozen<ResourceQuota>,
  objectsOf: (resource: GroupResource) => readonly Frozen<ApiObject>[] | undefined,
  nowMs: number,
): QuotaAmounts {
  const names = Object.keys(spec?.hard ?? {});
  const scopes = scopesOf(spec);
  const unknown = new Set<string>();
  let usage: QuotaAmounts = new Map();
  for (const evaluator of evaluatorsMeasuring(names)) {
    const measured = names.filter((name) => evaluator.measures(name));
    const objects = objectsOf(evaluator.resource);
    if (objects === undefined) for (const name of measured) unknown.add(name);
    usage = addAmounts(usage, new Map(measured.map((name) => [name, zero])));
    for (const object of objects ?? [])
      if (isInScopes(evaluator, object, scopes))
        usage = addAmounts(usage, pickAmounts(evaluator.usageOf(object, nowMs), measured));
  }
  return pickAmounts(
    usage,
    names.filter((name) => !unknown.has(name)),
  );
}
