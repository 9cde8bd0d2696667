// Defaults of Deployments that depend on other fields. As pkg/apis/apps/v1/defaults.go, SetDefaults_Deployment.
import { setOwn } from '../../objects/json.js';
import type { Deployment } from '../../types/apps-v1.generated.js';
import { podSpecDefaults } from '../pods/pod-defaults.js';
import { DecodeError } from '../../schema/decode-error.js';
import { int64Of, numError } from '../../go/strconv.js';

/** Holds the revision to roll back to, a field in former versions. */
export const rollbackAnnotation = 'deprecated.deployment.rollback.to';

/** Fills in the strategy and the pods' defaults, and rewrites the rollback annotation as conversion would. */
export function deploymentDefaults({ metadata, spec }: Deployment): void {
  if (metadata?.annotations !== undefined) canonicalRollback(metadata.annotations);
  if (spec === undefined) return;
  const strategy = (spec.strategy ??= {});
  strategy.type ??= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= '25%';
    rollingUpdate.maxSurge ??= '25%';
  }
  if (spec.template.spec !== undefined) podSpecDefaults(spec.template.spec);
}

/** As pkg/apis/apps/v1/conversion.go: a number is kept as a number, an empty text is dropped. */
function canonicalRollback(annotations: Record<string, string>): void {
  if (!Object.hasOwn(annotations, rollbackAnnotation)) return;
  const text = annotations[rollbackAnnotation] ?? '';
  if (text === '') {
    delete annotations[rollbackAnnotation];
    return;
  }
  const revision = int64Of(text);
  if (revision === undefined) {
    const problem = numError('ParseInt', text);
    throw new DecodeError(`failed to parse annotation[${rollbackAnnotation}]=${text} as int64: ${problem}`);
  }
  setOwn(annotations, rollbackAnnotation, String(revision));
}
