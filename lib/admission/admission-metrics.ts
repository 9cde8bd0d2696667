// How long admission takes, per plugin and per phase: `apiserver_admission_controller_admission_duration_seconds` and
// `apiserver_admission_step_admission_duration_seconds`. The chain keeps the two histograms of a step beside it: to
// record is one `observe`. As apiserver/pkg/admission/metrics/metrics.go.
import { Histogram, labelText } from '../core/index.js';
import type { MetricFamily, Sample } from '../core/index.js';
import type { AdmissionOperation } from './plugin.js';

/** The phase, as it is labelled. */
export type AdmissionPhase = 'admit' | 'validate';

/** Records how long one step took. */
export interface StepDurations {
  /** Of reviews that were let through, in seconds. */
  readonly admitted: Histogram;
  /** Of reviews that were refused, in seconds. */
  readonly rejected: Histogram;
}

/** The figures of a chain. */
export class AdmissionMetrics {
  readonly #plugins = new Map<string, StepDurations>();
  readonly #phases = new Map<string, StepDurations>();

  /** The durations of a plugin. */
  ofPlugin(name: string, operation: AdmissionOperation, type: AdmissionPhase): StepDurations {
    return durationsIn(this.#plugins, { name, operation, type });
  }

  /** The durations of a phase, with all its plugins. */
  ofPhase(operation: AdmissionOperation, type: AdmissionPhase): StepDurations {
    return durationsIn(this.#phases, { operation, type });
  }

  /** The metrics, for `/metrics`. */
  families(): readonly MetricFamily[] {
    return [
      family('controller', 'Admission latency per plugin, operation and phase.', this.#plugins),
      family('step', 'Admission latency per operation and phase.', this.#phases),
    ];
  }
}

/** As Kubernetes has them, in seconds. */
const bounds: readonly number[] = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Labels without `rejected`, which is between the others in the order of names. */
function durationsIn(
  known: Map<string, StepDurations>,
  labels: { readonly name?: string; readonly operation: AdmissionOperation; readonly type: AdmissionPhase },
): StepDurations {
  const key = JSON.stringify(labels);
  let durations = known.get(key);
  if (durations === undefined) {
    durations = { admitted: new Histogram(bounds), rejected: new Histogram(bounds) };
    known.set(key, durations);
  }
  return durations;
}

function family(of: 'controller' | 'step', help: string, known: ReadonlyMap<string, StepDurations>): MetricFamily {
  return {
    name: `apiserver_admission_${of}_admission_duration_seconds`,
    help: `[STABLE] ${help}`,
    type: 'histogram',
    *samples(): Generator<Sample> {
      for (const [key, { admitted, rejected }] of known) {
        const labels = JSON.parse(key) as Readonly<Record<string, string>>;
        if (admitted.count > 0) yield* admitted.samples(labelText({ ...labels, rejected: 'false' }));
        if (rejected.count > 0) yield* rejected.samples(labelText({ ...labels, rejected: 'true' }));
      }
    },
  };
}
