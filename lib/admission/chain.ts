// The plugins of a server as one step. What plugins handle is data, so the plugins of a write are found by resource,
// subresource and operation, once for each; a write that no plugin handles makes no review. Durations are recorded per
// plugin and per phase (admission-metrics.ts): one reading of the clock and one `observe` for each plugin.
import { firstValueFrom, isObservable } from 'rxjs';
import { handlesWrite, stopwatch, thaw } from '../core/index.js';
import type { ApiObject, Clock, GroupResource, MetricFamily } from '../core/index.js';
import { AdmissionMetrics } from './admission-metrics.js';
import type { AdmissionPhase, StepDurations } from './admission-metrics.js';
import type { AdmissionAnswer, AdmissionOperation, AdmissionPlugin, AdmissionReview, Reinvocation } from './plugin.js';

/** The plugins that handle one sort of write, in their order. */
export interface AdmissionSteps {
  /**
   * Runs the mutating plugins one after the other, each on the result of the one before, and all of them once more if
   * one of them requests it. Resolves to an object that the caller may change, or to undefined if there is none.
   * Rejects with a refusal.
   */
  readonly mutate: ((review: AdmissionReview) => Promise<ApiObject | undefined>) | undefined;
  /** Runs the validating plugins, likewise. */
  readonly validate: ((review: AdmissionReview) => Promise<void>) | undefined;
}

/** The plugins of a server. */
export interface AdmissionChain {
  /** Returns the plugins for a write. Remembered by the identity of `resource`: pass that of the endpoint. */
  stepsFor(resource: GroupResource, subresource: string, operation: AdmissionOperation): AdmissionSteps;
  /** How long plugins and phases took, for `/metrics`. */
  families(): readonly MetricFamily[];
}

/** Makes the chain of plugins; undefined without any. */
export function admissionChain(plugins: readonly AdmissionPlugin[], clock: Clock): AdmissionChain | undefined {
  if (plugins.length === 0) return undefined;
  plugins.forEach(checkPlugin);
  const known = new WeakMap<GroupResource, Map<string, AdmissionSteps>>();
  const metrics = new AdmissionMetrics();
  const elapsedMs = stopwatch(clock);
  const phaseOf = (
    matching: readonly AdmissionPlugin[],
    operation: AdmissionOperation,
    type: AdmissionPhase,
  ): Phase => ({
    steps: matching.map((plugin) => ({ plugin, durations: metrics.ofPlugin(plugin.name, operation, type) })),
    durations: metrics.ofPhase(operation, type),
    elapsedMs,
  });
  const stepsOf = (matching: readonly AdmissionPlugin[], operation: AdmissionOperation): AdmissionSteps => {
    const mutating = matching.filter((plugin) => plugin.mutate !== undefined);
    const validating = matching.filter((plugin) => plugin.validate !== undefined);
    const mutation = phaseOf(mutating, operation, 'admit');
    const validation = phaseOf(validating, operation, 'validate');
    return {
      mutate: mutating.length === 0 ? undefined : (review) => mutate(mutation, review),
      validate: validating.length === 0 ? undefined : (review) => validate(validation, review),
    };
  };
  return {
    stepsFor(resource, subresource, operation) {
      let ofResource = known.get(resource);
      if (ofResource === undefined) known.set(resource, (ofResource = new Map<string, AdmissionSteps>()));
      const key = subresource === '' ? operation : `${operation} ${subresource}`;
      let steps = ofResource.get(key);
      if (steps === undefined) {
        const matching = plugins.filter(({ handles }) => handlesWrite(handles, resource, subresource, operation));
        steps = stepsOf(matching, operation);
        ofResource.set(key, steps);
      }
      return steps;
    },
    families: () => [...metrics.families(), ...joined(plugins.flatMap((plugin) => plugin.families?.() ?? []))],
  };
}

/** Throws TypeError for a plugin that could never run. */
function checkPlugin(plugin: Partial<AdmissionPlugin>, index: number): void {
  const { name, handles } = plugin;
  if (typeof name !== 'string' || name === '') throw new TypeError(`admission plugin ${index} has no name`);
  if (handles === undefined)
    throw new TypeError(`admission plugin ${name}: handles is missing, which states the writes that it handles`);
}

/** One family of each name, with the samples of all. */
function joined(families: readonly MetricFamily[]): readonly MetricFamily[] {
  const byName = new Map<string, MetricFamily>();
  for (const family of families) {
    const known = byName.get(family.name);
    byName.set(
      family.name,
      known === undefined
        ? family
        : {
            ...family,
            *samples() {
              yield* known.samples();
              yield* family.samples();
            },
          },
    );
  }
  return [...byName.values()];
}

/** Creates the reinvocation state of a new write, before its first run. */
export function newReinvocation(): Reinvocation {
  return new FirstRun();
}

class FirstRun implements Reinvocation {
  readonly isSecondRun = false;
  isRequested = false;
  #kept: Map<string, unknown> | undefined;

  get kept(): Map<string, unknown> {
    return (this.#kept ??= new Map<string, unknown>());
  }

  request(): void {
    this.isRequested = true;
  }
}

function secondRun({ kept }: Reinvocation): Reinvocation {
  return { isSecondRun: true, isRequested: false, request: () => undefined, kept };
}

/** The plugins of one phase. */
interface Phase {
  readonly steps: readonly { readonly plugin: AdmissionPlugin; readonly durations: StepDurations }[];
  readonly durations: StepDurations;
  readonly elapsedMs: () => number;
}

async function mutate(phase: Phase, review: AdmissionReview): Promise<ApiObject | undefined> {
  let current = await mutateOnce(phase, review);
  if (review.reinvocation.isRequested)
    current = await mutateOnce(phase, { ...current, reinvocation: secondRun(review.reinvocation) });
  // A plugin may have used parts of the stored object, which are frozen.
  return current.object === review.object
    ? (review.object as ApiObject | undefined)
    : thaw(current.object as ApiObject);
}

async function mutateOnce({ steps, durations, elapsedMs }: Phase, review: AdmissionReview): Promise<AdmissionReview> {
  const beganMs = elapsedMs();
  let lastMs = beganMs;
  let current = review;
  for (const step of steps) {
    try {
      const answer = settled(step.plugin.mutate?.(current));
      const object = answer instanceof Promise ? await answer : answer;
      if (object !== undefined && object !== current.object) current = { ...current, object };
    } catch (error) {
      recordRejected(step.durations, durations, elapsedMs() - lastMs, elapsedMs() - beganMs);
      throw error;
    }
    const nowMs = elapsedMs();
    step.durations.admitted.observe((nowMs - lastMs) / 1000);
    lastMs = nowMs;
  }
  durations.admitted.observe((lastMs - beganMs) / 1000);
  return current;
}

async function validate({ steps, durations, elapsedMs }: Phase, review: AdmissionReview): Promise<void> {
  const beganMs = elapsedMs();
  let lastMs = beganMs;
  for (const step of steps) {
    try {
      const answer = settled(step.plugin.validate?.(review));
      if (answer instanceof Promise) await answer;
    } catch (error) {
      recordRejected(step.durations, durations, elapsedMs() - lastMs, elapsedMs() - beganMs);
      throw error;
    }
    const nowMs = elapsedMs();
    step.durations.admitted.observe((nowMs - lastMs) / 1000);
    lastMs = nowMs;
  }
  durations.admitted.observe((lastMs - beganMs) / 1000);
}

function recordRejected(plugin: StepDurations, phase: StepDurations, pluginMs: number, phaseMs: number): void {
  plugin.rejected.observe(pluginMs / 1000);
  phase.rejected.observe(phaseMs / 1000);
}

/** The value of an answer, at once where it is there. */
function settled<T>(answer: AdmissionAnswer<T>): T | Promise<T> {
  return isObservable(answer) ? firstValueFrom(answer, { defaultValue: undefined as T }) : answer;
}
