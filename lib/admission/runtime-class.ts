// RuntimeClass: pods of a runtime class get its overhead, its node selector and its tolerations. As
// plugin/pkg/admission/runtimeclass/admission.go.
import { compareQuantities, parseQuantity } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { Pod, PodSpec, RuntimeClass } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { followedResource } from './followed-resource.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';
import { mergeTolerations } from './tolerations.js';

type Class = Frozen<RuntimeClass>;
type Amounts = Frozen<Record<string, string>>;

/** Creates the plugin. */
export function runtimeClassAdmission(tools: ServerTools): AdmissionPlugin {
  const classes = followedResource<RuntimeClass>(tools, { group: 'node.k8s.io', resource: 'runtimeclasses' });
  const withClass = <T>(review: AdmissionReview, name: string, use: (found: Class) => T): T | Promise<T> => {
    const checked = (found: Class | undefined): T => {
      if (found === undefined) throw refusal(review, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
      return use(found);
    };
    const found = classes.find(name);
    return found instanceof Promise ? found.then(checked) : checked(found);
  };
  return {
    name: 'RuntimeClass',
    handles: { operations: ['CREATE'], resources: ['pods'] },
    mutate: (review) => {
      // The resource says what the object is.
      const pod = review.object as Frozen<Pod>;
      const { spec } = pod;
      if (spec?.runtimeClassName === undefined) return undefined;
      return withClass(review, spec.runtimeClassName, (found) => ({ ...pod, spec: completed(review, spec, found) }));
    },
    validate: (review) => {
      const { runtimeClassName, overhead } = (review.object as Frozen<Pod>).spec ?? {};
      if (runtimeClassName === undefined) {
        checkOverhead(review, overhead, undefined);
        return undefined;
      }
      return withClass(review, runtimeClassName, (found) => checkOverhead(review, overhead, found));
    },
  };
}

function completed(review: AdmissionReview, spec: Frozen<PodSpec>, found: Class): Frozen<PodSpec> {
  const { overhead, scheduling } = found;
  const podFixed = overhead?.podFixed;
  if (overhead !== undefined && Object.keys(spec.overhead ?? {}).length > 0 && !sameAmounts(spec.overhead, podFixed))
    throw refusal(review, mismatch);
  const { nodeSelector = {} } = spec;
  for (const [key, value] of Object.entries(scheduling?.nodeSelector ?? {})) {
    const own = Object.hasOwn(nodeSelector, key) ? nodeSelector[key] : undefined;
    if (own !== undefined && own !== value)
      throw refusal(
        review,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
  }
  const selector = { ...nodeSelector, ...scheduling?.nodeSelector };
  const tolerations =
    scheduling === undefined
      ? spec.tolerations
      : mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  return {
    ...spec,
    ...(podFixed !== undefined && { overhead: podFixed }),
    ...(Object.keys(selector).length > 0 && { nodeSelector: selector }),
    ...(tolerations !== undefined && tolerations.length > 0 && { tolerations }),
  };
}

function checkOverhead(review: AdmissionReview, overhead: Amounts | undefined, found: Class | undefined): void {
  if (found?.overhead !== undefined) {
    if (!sameAmounts(overhead, found.overhead.podFixed)) throw refusal(review, mismatch);
  } else if (overhead !== undefined) {
    throw refusal(review, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  }
}

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function sameAmounts(one: Amounts = {}, other: Amounts = {}): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        compareQuantities(parseQuantity(one[name] ?? ''), parseQuantity(other[name] ?? '')) === 0,
    )
  );
}
