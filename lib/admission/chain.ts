// The plugins of a server as one step. What plugins handle is data, so the plugins of a write are found by resource,
// subresource and operation, once for each; a write that no plugin handles makes no review.
import { firstValueFrom, isObservable } from 'rxjs';
import { thaw } from '../core/index.js';
import type { ApiObject, GroupResource } from '../core/index.js';
import type { AdmissionAnswer, AdmissionOperation, AdmissionPlugin, AdmissionReview, Handles } from './plugin.js';

/** The plugins that handle one sort of write, in their order. */
export interface AdmissionSteps {
  /**
   * Runs the mutating plugins one after the other, each on the result of the one before. Resolves to an object that
   * the caller may change, or to undefined if there is none. Rejects with a refusal.
   */
  readonly mutate: ((review: AdmissionReview) => Promise<ApiObject | undefined>) | undefined;
  /** Runs the validating plugins, likewise. */
  readonly validate: ((review: AdmissionReview) => Promise<void>) | undefined;
}

/** The plugins of a server. */
export interface AdmissionChain {
  /** Returns the plugins for a write. Remembered by the identity of `resource`: pass that of the endpoint. */
  stepsFor(resource: GroupResource, subresource: string, operation: AdmissionOperation): AdmissionSteps;
}

/** Makes the chain of plugins; undefined without any. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): AdmissionChain | undefined {
  if (plugins.length === 0) return undefined;
  const known = new WeakMap<GroupResource, Map<string, AdmissionSteps>>();
  return {
    stepsFor(resource, subresource, operation) {
      let ofResource = known.get(resource);
      if (ofResource === undefined) known.set(resource, (ofResource = new Map<string, AdmissionSteps>()));
      const key = subresource === '' ? operation : `${operation} ${subresource}`;
      let steps = ofResource.get(key);
      if (steps === undefined) {
        steps = stepsOf(plugins.filter(({ handles }) => matches(handles, resource, subresource, operation)));
        ofResource.set(key, steps);
      }
      return steps;
    },
  };
}

function matches(
  { operations, resources, subresources = ofObject }: Handles,
  { group, resource }: GroupResource,
  subresource: string,
  operation: AdmissionOperation,
): boolean {
  return (
    (operations === '*' || operations.includes(operation)) &&
    (subresources === '*' || subresources.includes(subresource)) &&
    (resources === '*' || resources.includes(group === '' ? resource : `${resource}.${group}`))
  );
}

const ofObject: readonly string[] = [''];

function stepsOf(plugins: readonly AdmissionPlugin[]): AdmissionSteps {
  const mutating = plugins.filter((plugin) => plugin.mutate !== undefined);
  const validating = plugins.filter((plugin) => plugin.validate !== undefined);
  return {
    mutate: mutating.length === 0 ? undefined : (review) => mutate(mutating, review),
    validate: validating.length === 0 ? undefined : (review) => validate(validating, review),
  };
}

async function mutate(plugins: readonly AdmissionPlugin[], review: AdmissionReview): Promise<ApiObject | undefined> {
  let current = review;
  for (const plugin of plugins) {
    const answer = settled(plugin.mutate?.(current));
    const object = answer instanceof Promise ? await answer : answer;
    if (object !== undefined && object !== current.object) current = { ...current, object };
  }
  // A plugin may have used parts of the stored object, which are frozen.
  return current.object === review.object
    ? (review.object as ApiObject | undefined)
    : thaw(current.object as ApiObject);
}

async function validate(plugins: readonly AdmissionPlugin[], review: AdmissionReview): Promise<void> {
  for (const plugin of plugins) {
    const answer = settled(plugin.validate?.(review));
    if (answer instanceof Promise) await answer;
  }
}

/** The value of an answer, at once where it is there. */
function settled<T>(answer: AdmissionAnswer<T>): T | Promise<T> {
  return isObservable(answer) ? firstValueFrom(answer, { defaultValue: undefined as T }) : answer;
}
