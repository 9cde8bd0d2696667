// What was found out about pods lately. Replicas are many and alike: what was checked for one of them needs no second look
// at the next, and all of them share one frozen specification, which then is also frozen, compared and kept only once.
//
// Remembered is what depends on nothing but the specification and the annotations. Two pods are alike when these are the
// same to the letter, order of members included, so that nobody can tell from an object whose specification it has.
// Claims made for a pod carry its name: pods with such volumes are not remembered. Nothing wrong ever is.
import { deepCopy } from '../../objects/deep-copy.js';
import { deepFreeze } from '../../objects/freeze.js';
import type { Frozen } from '../../objects/meta.js';
import type { Pod, PodSpec } from '../../types/core-v1.generated.js';

/** A valid pod, less what is its own. */
export interface KnownPod {
  readonly spec: Frozen<PodSpec>;
  readonly annotations: Frozen<Record<string, string>> | undefined;
  /** What to tell who creates it, once somebody asked. */
  warnings: { readonly ofProfiles: readonly string[]; readonly ofRest: readonly string[] } | undefined;
}

/** The last few sorts of pods that were valid. */
export class KnownPods {
  /** The latest first. */
  readonly #pods: KnownPod[] = [];

  /** Gives a pod that is like a known one the specification of that one. In place. */
  share(pod: Pod): void {
    const { spec } = pod;
    if (spec === undefined) return;
    const known = this.#find(pod, (each) => isSame(each.spec, spec));
    // Frozen, but nobody changes a pod between its preparation and the store, which would freeze it anyway.
    if (known !== undefined) pod.spec = known.spec as PodSpec;
  }

  /** What is known about a pod that shares its specification. */
  get(pod: Frozen<Pod>): KnownPod | undefined {
    return this.#find(pod, ({ spec }) => spec === pod.spec);
  }

  /** Takes note of a valid pod. It is copied: it may still be changed by its owner. */
  add({ metadata, spec }: Frozen<Pod>): void {
    if (spec === undefined || spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true) return;
    const { annotations } = metadata ?? {};
    this.#pods.unshift({ spec: deepFreeze(deepCopy(spec)), annotations: annotations && deepFreeze(deepCopy(annotations)), warnings: undefined });
    if (this.#pods.length > podsMax) this.#pods.pop();
  }

  #find({ metadata }: Frozen<Pod>, hasSpec: (known: KnownPod) => boolean): KnownPod | undefined {
    const annotations = metadata?.annotations;
    const index = this.#pods.findIndex((known) => hasSpec(known) && isSame(known.annotations, annotations));
    const known = this.#pods[index];
    if (known === undefined || index === 0) return known;
    this.#pods.splice(index, 1);
    this.#pods.unshift(known);
    return known;
  }
}

/** So many workloads may be rolled out at once and still find their pods known. */
const podsMax = 16;

/** Whether two values are the same to the letter. Depth is that of the schema, which no decoded pod exceeds. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && isSameList(a, b);
  return !Array.isArray(b) && hasSameMembers(a as Members, b as Members);
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (!isSame(a[index], b[index])) return false;
  return true;
}

type Members = Readonly<Record<string, unknown>>;

function hasSameMembers(a: Members, b: Members): boolean {
  const keys = Object.keys(a);
  const others = Object.keys(b);
  if (keys.length !== others.length) return false;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    if (key !== others[index] || !isSame(a[key], b[key])) return false;
  }
  return true;
}
