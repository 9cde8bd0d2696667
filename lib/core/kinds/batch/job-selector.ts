// The selector of a Job, and the labels of its pods: made from the Job's uid, so that no two Jobs share pods. A Job
// that requests a selector of its own (manualSelector) is left alone.
// As pkg/registry/batch/job/strategy.go, generateSelector, and validateGeneratedSelector of the validation.
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { setOwn } from '../../objects/json.js';
import { matchesLabels } from '../../objects/label-selector.js';
import type { Frozen } from '../../objects/meta.js';
import type { Job } from '../../types/batch-v1.generated.js';
import { readSelector } from '../apps/template-validation.js';
import { printedMap, printedSelector } from '../printed-values.js';

const controllerUid = 'batch.kubernetes.io/controller-uid';
const jobName = 'batch.kubernetes.io/job-name';
const legacyControllerUid = 'controller-uid';
const legacyJobName = 'job-name';

/**
 * Adds the selector and the labels. What the caller already set stays, and is refused later if it is wrong. A Job
 * without labels takes those of its template.
 */
export function generateSelector(job: Job): void {
  const { spec } = job;
  if (spec === undefined || spec.manualSelector === true) return;
  const metadata = (job.metadata ??= {});
  const { name = '', uid = '' } = metadata;
  const labels = (spec.template.metadata ??= {}).labels ?? {};
  spec.template.metadata.labels = labels;
  for (const key of [legacyJobName, jobName]) if (!Object.hasOwn(labels, key)) setOwn(labels, key, name);
  for (const key of [legacyControllerUid, controllerUid]) if (!Object.hasOwn(labels, key)) setOwn(labels, key, uid);

  const selector = (spec.selector ??= {});
  const matchLabels = (selector.matchLabels ??= {});
  if (!Object.hasOwn(matchLabels, controllerUid)) setOwn(matchLabels, controllerUid, uid);

  // Kubernetes fills in labels once more when it reads the object back.
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}

/** Returns whether the pods' labels include those with the prefix, which Jobs of the past lack. */
export function hasPrefixedLabels({ spec }: Frozen<Job>): boolean {
  const labels = spec?.template.metadata?.labels ?? {};
  return Object.hasOwn(labels, jobName) && Object.hasOwn(labels, controllerUid);
}

/** Validates a selector that should have been made here. */
export function validateGeneratedSelector(
  { metadata = {}, spec }: Frozen<Job>,
  prefixed: boolean,
): readonly FieldError[] {
  if (spec?.selector === undefined || spec.manualSelector === true) return [];
  const { name = '', uid = '' } = metadata;
  const labels = spec.template.metadata?.labels;
  const expected: Record<string, string> = {
    [legacyControllerUid]: uid,
    [legacyJobName]: name,
    ...(prefixed && { [controllerUid]: uid, [jobName]: name }),
  };

  const errors: FieldError[] = uid === '' ? [fieldRequired(fieldPath('metadata', 'uid'))] : [];
  for (const [key, value] of Object.entries(expected)) {
    const path = fieldPath('spec', 'template', 'metadata', 'labels').key(key);
    if (labels === undefined || !Object.hasOwn(labels, key)) errors.push(fieldRequired(path, `must be '${value}'`));
    else if (labels[key] !== value) errors.push(fieldInvalid(path, printedMap(labels), `must be '${value}'`));
  }
  const selector = readSelector(spec.selector);
  if (selector !== undefined && !matchesLabels(selector, expected)) {
    errors.push(
      fieldInvalid(fieldPath('spec', 'selector'), printedSelector(spec.selector), '`selector` not auto-generated'),
    );
  }
  return errors;
}
