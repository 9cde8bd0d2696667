// What mutating and validating webhook configurations have in common. An update may keep what an older release
// accepted: each option below asks the old object, and once all of its webhooks obey a rule the rule holds for good.
// As pkg/apis/admissionregistration/validation/validation.go, validateMutatingWebhook and validateValidatingWebhook.
import { collect, visitUntilFull } from '../../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Subdomain } from '../../objects/names.js';
import type { MutatingWebhook, ValidatingWebhook } from '../../types/admissionregistration-v1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import type { Loose } from '../loose.js';
import { validateMatchConditions } from './match-conditions.js';
import { matchPolicies, validateRule, validateWord } from './match-rules.js';
import { isReviewVersion, reviewVersions, validateReviewVersions, validateWebhookClient } from './webhook-client.js';

/** A webhook of either kind: only mutating ones can be called again. */
export type AnyWebhook = Loose<Omit<MutatingWebhook, FrozenPart>> & Frozen<Pick<ValidatingWebhook, FrozenPart>>;

/** The parts whose own checks read them as the API defines them. */
type FrozenPart = 'namespaceSelector' | 'objectSelector' | 'rules';

/** Validates the webhooks of a configuration; `old` are those it replaces. */
export function validateWebhooks(
  webhooks: readonly AnyWebhook[],
  old: readonly AnyWebhook[] | undefined,
  check: ExpressionCheck,
): readonly FieldError[] {
  const options = old === undefined ? strict(check) : lenient(webhooks, old, check);
  const seen = new Set<string>();
  return collect(webhooks, (webhook, index) => {
    const path = fieldPath('webhooks').index(index);
    const { name = '' } = webhook;
    const repeated = options.uniqueNames && name !== '' && seen.has(name);
    seen.add(name);
    return [
      ...validateWebhook(webhook, path, options),
      ...validateReviewVersions(webhook.admissionReviewVersions, path.child('admissionReviewVersions'), {
        requireKnown: options.recognizedVersions,
        hint: `must specify one of ${reviewVersions.join(', ')}`,
      }),
      ...(repeated ? [fieldDuplicate(path.child('name'), name)] : []),
    ];
  });
}

/** How a policy goes on when it cannot decide. */
export const failurePolicies: readonly string[] = ['Fail', 'Ignore'];

/** When a mutation is repeated. */
export const reinvocationPolicies: readonly string[] = ['IfNeeded', 'Never'];

interface Options {
  readonly check: ExpressionCheck;
  readonly ignoreConditions: boolean;
  readonly sideEffects: readonly string[];
  readonly recognizedVersions: boolean;
  readonly uniqueNames: boolean;
  readonly allowInvalidValues: boolean;
  readonly storedConditions: ReadonlySet<string>;
}

const noSideEffects = ['None', 'NoneOnDryRun'];
const allSideEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];

function strict(check: ExpressionCheck): Options {
  return {
    check,
    ignoreConditions: false,
    sideEffects: noSideEffects,
    recognizedVersions: true,
    uniqueNames: true,
    allowInvalidValues: false,
    storedConditions: new Set(),
  };
}

function lenient(webhooks: readonly AnyWebhook[], old: readonly AnyWebhook[], check: ExpressionCheck): Options {
  return {
    check,
    ignoreConditions:
      webhooks.length === old.length &&
      old.every(({ matchConditions }, i) => deepEqual(matchConditions, webhooks[i]?.matchConditions)),
    sideEffects: old.every(({ sideEffects = '' }) => noSideEffects.includes(sideEffects))
      ? noSideEffects
      : allSideEffects,
    recognizedVersions: old.every(
      ({ admissionReviewVersions: versions = [] }) => versions.length === 0 || versions.some(isReviewVersion),
    ),
    uniqueNames: new Set(old.map(({ name }) => name)).size === old.length,
    allowInvalidValues: old.some(({ namespaceSelector, objectSelector }) =>
      [namespaceSelector, objectSelector].some((selector) => validateLabelSelector(selector, fieldPath()).length > 0),
    ),
    storedConditions: new Set(
      old.flatMap(({ matchConditions = [] }) => matchConditions.map(({ expression = '' }) => expression)),
    ),
  };
}

function validateWebhook(webhook: AnyWebhook, path: FieldPath, options: Options): readonly FieldError[] {
  const {
    name = '',
    clientConfig = {},
    sideEffects,
    rules = [],
    failurePolicy,
    matchPolicy,
    timeoutSeconds,
    namespaceSelector,
    objectSelector,
    reinvocationPolicy,
  } = webhook;
  const { sideEffects: allowed, allowInvalidValues } = options;
  const errors = [...validateQualifiedName(name, path.child('name'))];
  visitUntilFull(rules, errors, (rule, index) => errors.push(...validateRule(rule, path.child('rules').index(index))));
  errors.push(...validateWord(failurePolicy, path.child('failurePolicy'), failurePolicies));
  errors.push(...validateWord(matchPolicy, path.child('matchPolicy'), matchPolicies));
  if (sideEffects === undefined)
    errors.push(fieldRequired(path.child('sideEffects'), `must specify one of ${allowed.join(', ')}`));
  else errors.push(...validateWord(sideEffects, path.child('sideEffects'), allowed));
  if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)) {
    errors.push(
      fieldInvalid(path.child('timeoutSeconds'), timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'),
    );
  }
  errors.push(...validateLabelSelector(namespaceSelector, path.child('namespaceSelector'), { allowInvalidValues }));
  errors.push(...validateLabelSelector(objectSelector, path.child('objectSelector'), { allowInvalidValues }));
  errors.push(...validateWord(reinvocationPolicy, path.child('reinvocationPolicy'), reinvocationPolicies));
  errors.push(...validateWebhookClient(clientConfig, path.child('clientConfig'), { allowsProcess: true }));
  if (!options.ignoreConditions) {
    const scope = { check: options.check, hasParams: false, stored: options.storedConditions };
    errors.push(...validateMatchConditions(webhook.matchConditions, path.child('matchConditions'), scope));
  }
  return errors;
}

/** A domain name of three parts. As apimachinery/pkg/util/validation, IsFullyQualifiedName. */
function validateQualifiedName(name: string, path: FieldPath): readonly FieldError[] {
  if (name === '') return [fieldRequired(path)];
  const wrong = isDns1123Subdomain(name);
  if (wrong.length > 0) return [fieldInvalid(path, name, wrong.join(','))];
  const short = name.split('.', 3).length < 3;
  return short ? [fieldInvalid(path, name, 'should be a domain with at least three segments separated by dots')] : [];
}
