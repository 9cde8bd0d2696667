// What was found out about pods lately. Replicas are many and alike: what was checked for one of them needs no second
// look at the next, and all of them share one frozen specification, which then is also frozen, compared and kept only
// once.
//
// Remembered is what depends on nothing but the specification and the annotations. Two pods are alike when these are
// the same to the letter, order of members included, so that an object does not show which pod its specification came
// from. Claims made for a pod carry its name: pods with such volumes are not remembered. Nothing wrong ever is.
import { deepCopy, deepEqual, deepFreeze } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import type { Pod, PodSpec } from '../../types/core-v1.generated.js';

/** A valid pod, less what is its own. */
export interface KnownPod {
  readonly spec: Frozen<PodSpec>;
  readonly annotations: Frozen<Record<string, string>> | undefined;
  /** The warnings for its creator; undefined until first computed. */
  warnings: { readonly ofProfiles: readonly string[]; readonly ofRest: readonly string[] } | undefined;
}

/** The last few sorts of pods that were valid. */
export class KnownPods {
  /** By their text, the oldest first: comparing with each would take longer where many differ in little. */
  readonly #byText = new Map<string, KnownPod>();
  readonly #bySpec = new WeakMap<Frozen<PodSpec>, KnownPod>();

  /** Gives a pod that is like a known one the specification of that one. In place. */
  share(pod: Pod): void {
    const known = this.#byText.get(textOf(pod));
    // Frozen, but a pod is not changed between its preparation and the store, which would freeze it anyway.
    if (known !== undefined) pod.spec = known.spec as PodSpec;
  }

  /** What is known about a pod that shares its specification. */
  get({ metadata, spec }: Frozen<Pod>): KnownPod | undefined {
    const known = spec && this.#bySpec.get(spec);
    return known !== undefined && deepEqual(known.annotations, metadata?.annotations) ? known : undefined;
  }

  /** Records a valid pod. It is copied: it may still be changed by its owner. */
  add(pod: Frozen<Pod>): void {
    const { metadata, spec } = pod;
    if (spec === undefined || spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true) return;
    const text = textOf(pod);
    if (text.length > textLengthMax) return;
    const known: KnownPod = {
      spec: deepFreeze(deepCopy(spec)),
      annotations: deepFreeze(deepCopy(metadata?.annotations)),
      warnings: undefined,
    };
    this.#byText.set(text, known);
    this.#bySpec.set(known.spec, known);
    const [oldest] = this.#byText.keys();
    if (this.#byText.size > podsMax && oldest !== undefined) this.#byText.delete(oldest);
  }
}

/** So many workloads may be rolled out at once and still find their pods known. */
const podsMax = 64;

/** Most pods take a few thousand characters. */
const textLengthMax = 65_536;

function textOf({ metadata, spec }: Frozen<Pod>): string {
  return JSON.stringify([metadata?.annotations, spec]);
}
