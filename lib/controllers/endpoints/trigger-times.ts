// When the change happened that endpoints are written for: the oldest of the changes since the last reconcile, by the
// condition Ready of pods and the creation of the Service. kube-proxy measures the delay of programming from it. As
// endpointslice/util/trigger_time_tracker.go.
import { podCondition } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod, Service } from '../../core/types/index.js';
import type { ChangedPods } from './service-pods.js';

/** The annotation that carries the time. */
export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

/** The last trigger times of Services and their pods. Times are texts, whose order is that of time. */
export class TriggerTimes {
  readonly #services = new Map<string, ServiceTimes>();

  /**
   * Records the current state and returns the time of the oldest change since the last call; undefined if the time of
   * no change is known. The first call returns the creation of the Service.
   */
  next(
    key: string,
    service: Frozen<Service>,
    pods: ReadonlyMap<string, Frozen<Pod>>,
    changed: ChangedPods,
  ): string | undefined {
    const created = service.metadata?.creationTimestamp ?? '';
    const before = this.#services.get(key);
    const times = changed === 'all' || before === undefined ? new Map<string, string>() : before.pods;
    const newer: string[] = created > (before?.created ?? '') ? [created] : [];
    for (const name of changed === 'all' || before === undefined ? pods.keys() : changed) {
      const last = before?.pods.get(name) ?? '';
      const pod = pods.get(name);
      const time = (pod && podCondition(pod, 'Ready')?.lastTransitionTime) ?? '';
      if (time === '') times.delete(name);
      else times.set(name, time);
      if (time > last) newer.push(time);
    }
    this.#services.set(key, { created, pods: times });
    return before === undefined ? created : newer.toSorted()[0];
  }

  /** Forgets a Service. */
  delete(key: string): void {
    this.#services.delete(key);
  }
}

/** Returns annotations with that trigger time, or without any. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Record<string, string> {
  const { [triggerTimeAnnotation]: _, ...others } = annotations ?? {};
  return time === undefined ? others : { ...others, [triggerTimeAnnotation]: time };
}

interface ServiceTimes {
  readonly created: string;
  readonly pods: Map<string, string>;
}
