// The pods that a Job creates: those of its template with the tracking finalizer and, in an Indexed Job, with the index
// as annotation, label, environment variable and part of the host name. As pkg/controller/job, manageJob and
// indexed_job_utils.go.
import type { Stored } from '../../client/index.js';
import type { Frozen } from '../../core/index.js';
import type { Container, Job, JobSpec, Pod, PodTemplateSpec } from '../../core/types/index.js';
import { completionIndexKey } from './completion-indexes.js';
import type { JobView } from './job-view.js';
import { indexFailuresKey, indexFailuresOf, indexIgnoredFailuresKey, trackingFinalizer } from './job-view.js';
import { judgeFailure } from './pod-failure-policy.js';

/** A template, and the prefix of the name of its pod; undefined for the name of the Job. */
export interface JobPod {
  readonly template: Frozen<PodTemplateSpec>;
  readonly generateName?: string;
}

/** Returns the pod of an index, or the one that all pods of a Job without indexes are alike. */
export function jobPod({ job, indexes }: JobView, index: number | undefined): JobPod {
  const { spec } = job;
  const { metadata: { finalizers = [], ...metadata } = {}, spec: pod } = spec.template;
  const tracked = {
    ...metadata,
    finalizers: finalizers.includes(trackingFinalizer) ? finalizers : [...finalizers, trackingFinalizer],
  };
  if (index === undefined) return { template: { metadata: tracked, ...(pod && { spec: pod }) } };
  const annotations = {
    ...metadata.annotations,
    [completionIndexKey]: `${index}`,
    ...(spec.backoffLimitPerIndex !== undefined && failureAnnotations(spec, indexes?.toReplace.get(index))),
  };
  const labels = { ...metadata.labels, [completionIndexKey]: `${index}` };
  const { containers = [], initContainers } = pod ?? {};
  return {
    template: {
      metadata: { ...tracked, annotations, labels },
      spec: {
        ...pod,
        hostname: `${job.metadata.name}-${index}`,
        containers: containers.map(withIndexVariable),
        ...(initContainers && { initContainers: initContainers.map(withIndexVariable) }),
      },
    },
    generateName: podNamePrefix(job, index),
  };
}

/** The failures of an index so far, with that of the pod that is replaced. */
function failureAnnotations(spec: Frozen<JobSpec>, replaced: Frozen<Pod> | undefined): Record<string, string> {
  const before = replaced === undefined ? { counted: 0, ignored: 0 } : indexFailuresOf(replaced);
  const isCounted = replaced !== undefined && judgeFailure(spec.podFailurePolicy, replaced).isCounted;
  const counted = before.counted + Number(isCounted);
  const ignored = before.ignored + Number(replaced !== undefined && !isCounted);
  return {
    [indexFailuresKey]: `${counted}`,
    ...(ignored > 0 && { [indexIgnoredFailuresKey]: `${ignored}` }),
  };
}

function withIndexVariable(container: Frozen<Container>): Frozen<Container> {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldPath = `metadata.labels['${completionIndexKey}']`;
  return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef: { fieldPath } } }] };
}

const indexVariable = 'JOB_COMPLETION_INDEX';

/** The index stays in the name even if the name of the Job has to be cut. */
function podNamePrefix({ metadata: { name } }: Stored<Job>, index: number): string {
  const suffix = `-${index}-`;
  return name.length + suffix.length > prefixLengthMax
    ? `${name.slice(0, prefixLengthMax - suffix.length)}${suffix}`
    : `${name}${suffix}`;
}

/** The server adds five characters, and names have at most 63. */
const prefixLengthMax = 58;
