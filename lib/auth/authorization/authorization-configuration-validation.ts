// Validates an AuthorizationConfiguration, with the messages of Kubernetes, and compiles its match conditions. Field
// paths of webhooks omit `webhook`, as in Kubernetes. As apiserver/pkg/apis/apiserver/validation/validation.go and
// kubernetes/pkg/kubeapiserver/authorizer/config.go.
import {
  aggregateText,
  FieldPath,
  fieldDuplicate,
  fieldErrorText,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooMany,
  isDns1123Subdomain,
  parseDuration,
} from '../../core/index.js';
import type { FieldError } from '../../core/index.js';
import type { CompiledExpression, ExpressionCompiler } from '../authentication/expressions.js';
import { celExpressions } from '../authentication/cel-expressions.js';
import { compileAt } from '../authentication/expressions.js';
import type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  WebhookConfiguration,
  WebhookConnectionInfo,
} from './authorization-configuration.js';
import { matchConditionEnvironment } from './match-conditions.js';

/** The types of authorizers that a configuration may name. */
export const authorizerTypes: readonly string[] = Object.freeze([
  'ABAC',
  'AlwaysAllow',
  'AlwaysDeny',
  'Node',
  'RBAC',
  'Webhook',
]);

/** Dependencies of the validation. */
export interface AuthorizationConfigurationRules {
  /** Compiles match conditions. Default: CEL. */
  readonly expressions?: ExpressionCompiler;
  /** Types that must be present: those of the first configuration, when it is replaced by a later one. */
  readonly requiredTypes?: readonly string[];
  /** Returns why a kubeconfig file is unusable. Without it, files are not checked. */
  fileProblem?(path: string): string | undefined;
}

/** A validated authorizer entry with its match conditions compiled. */
export interface CompiledAuthorizer extends AuthorizerConfiguration {
  readonly matchConditions: readonly CompiledExpression[];
}

/** An invalid configuration. */
export class AuthorizationConfigurationError extends Error {
  override readonly name = 'AuthorizationConfigurationError';

  constructor(problems: readonly string[]) {
    super(aggregateText(problems));
  }
}

/** Validates and compiles a configuration. Throws `AuthorizationConfigurationError`. */
export function compileAuthorizationConfiguration(
  configuration: AuthorizationConfiguration,
  rules: AuthorizationConfigurationRules = {},
): readonly CompiledAuthorizer[] {
  const { authorizers } = configuration;
  const compiled: CompiledAuthorizer[] = [];
  const errors = fieldErrors(authorizers, rules, (each) => compiled.push(each));
  if (errors.length > 0) throw new AuthorizationConfigurationError(errors.map(fieldErrorText));
  const problems = nameProblems(authorizers, rules.requiredTypes ?? []);
  if (problems.length > 0) throw new AuthorizationConfigurationError(problems);
  return compiled;
}

function fieldErrors(
  authorizers: readonly AuthorizerConfiguration[],
  rules: AuthorizationConfigurationRules,
  take: (compiled: CompiledAuthorizer) => void,
): readonly FieldError[] {
  const list = FieldPath.nil.child('authorizers');
  if (authorizers.length === 0) return [fieldRequired(list, 'at least one authorization mode must be defined')];
  const seen = { types: new Set<string>(), names: new Set<string>() };
  return authorizers.flatMap((authorizer, index) => {
    const path = list.index(index);
    const typeErrors = validateType(authorizer, seen.types, path);
    if (typeErrors.length > 0) return typeErrors;
    const nameErrors = validateName(authorizer, seen.names, path);
    seen.types.add(authorizer.type);
    seen.names.add(authorizer.name);
    const { matchConditions, errors } = validateWebhook(authorizer, rules, path);
    take({ ...authorizer, matchConditions });
    return [...nameErrors, ...errors];
  });
}

function validateType(
  { type }: AuthorizerConfiguration,
  seen: ReadonlySet<string>,
  path: FieldPath,
): readonly FieldError[] {
  if (type === '') return [fieldRequired(path.child('type'))];
  if (!authorizerTypes.includes(type)) return [fieldNotSupported(path.child('type'), type, authorizerTypes)];
  return seen.has(type) && type !== 'Webhook' ? [fieldDuplicate(path.child('type'), type)] : [];
}

function validateName(
  { name }: AuthorizerConfiguration,
  seen: ReadonlySet<string>,
  path: FieldPath,
): readonly FieldError[] {
  if (name === '') return [fieldRequired(path.child('name'))];
  if (seen.has(name)) return [fieldDuplicate(path.child('name'), name)];
  const problems = isDns1123Subdomain(name);
  return problems.length === 0
    ? []
    : [fieldInvalid(path.child('name'), name, `authorizer name is invalid: ${problems.join(', ')}`)];
}

interface CheckedWebhook {
  readonly matchConditions: readonly CompiledExpression[];
  readonly errors: readonly FieldError[];
}

function validateWebhook(
  { type, webhook }: AuthorizerConfiguration,
  rules: AuthorizationConfigurationRules,
  path: FieldPath,
): CheckedWebhook {
  if (type !== 'Webhook')
    return {
      matchConditions: [],
      errors:
        webhook === undefined
          ? []
          : [fieldInvalid(path.child('webhook'), 'non-null', 'may only be specified when type=Webhook')],
    };
  if (webhook === undefined)
    return { matchConditions: [], errors: [fieldRequired(path.child('webhook'), 'required when type=Webhook')] };
  const { matchConditions, errors } = compileConditions(webhook, rules, path);
  return {
    matchConditions,
    errors: [
      ...validateDuration(webhook.timeout, path.child('timeout'), 'must be > 0s and <= 30s', timeoutNanosMax),
      ...validateDuration(webhook.authorizedTTL, path.child('authorizedTTL'), 'must be > 0s'),
      ...validateDuration(webhook.unauthorizedTTL, path.child('unauthorizedTTL'), 'must be > 0s'),
      ...oneOf(webhook.subjectAccessReviewVersion, path.child('subjectAccessReviewVersion'), ['v1', 'v1beta1']),
      ...validateConditionVersion(webhook, path.child('matchConditionSubjectAccessReviewVersion')),
      ...oneOf(webhook.failurePolicy, path.child('failurePolicy'), ['NoOpinion', 'Deny']),
      ...validateConnection(webhook.connectionInfo, rules, path.child('connectionInfo')),
      ...errors,
    ],
  };
}

const timeoutNanosMax = 30_000_000_000n;

function validateDuration(text: string, path: FieldPath, detail: string, nanosMax?: bigint): readonly FieldError[] {
  const nanos = nanosOf(text);
  if (nanos === 0n) return [fieldRequired(path)];
  return nanos === undefined || nanos < 0n || (nanosMax !== undefined && nanos > nanosMax)
    ? [fieldInvalid(path, text, detail)]
    : [];
}

/** Returns undefined for text that is no duration; a configuration may not come from a parsed file. */
function nanosOf(text: string): bigint | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}

function oneOf(value: string, path: FieldPath, supported: readonly string[]): readonly FieldError[] {
  if (value === '') return [fieldRequired(path)];
  return supported.includes(value) ? [] : [fieldNotSupported(path, value, supported)];
}

function validateConditionVersion(
  { matchConditionSubjectAccessReviewVersion: version, matchConditions }: WebhookConfiguration,
  path: FieldPath,
): readonly FieldError[] {
  if (version === '')
    return matchConditions.length === 0 ? [] : [fieldRequired(path, 'required if match conditions are specified')];
  return version === 'v1' ? [] : [fieldNotSupported(path, version, ['v1'])];
}

function validateConnection(
  { type, kubeConfigFile = '' }: WebhookConnectionInfo,
  rules: AuthorizationConfigurationRules,
  path: FieldPath,
): readonly FieldError[] {
  const file = path.child('kubeConfigFile');
  const typeErrors = oneOf(type, path.child('type'), ['InClusterConfig', 'KubeConfigFile']);
  if (typeErrors.length > 0) return typeErrors;
  if (type === 'InClusterConfig')
    return kubeConfigFile === ''
      ? []
      : [fieldInvalid(file, kubeConfigFile, 'can only be set when type=KubeConfigFile')];
  if (kubeConfigFile === '') return [fieldRequired(file)];
  if (!isAbsolute(kubeConfigFile)) return [fieldInvalid(file, kubeConfigFile, 'must be an absolute path')];
  const problem = rules.fileProblem?.(kubeConfigFile);
  return problem === undefined ? [] : [fieldInvalid(file, kubeConfigFile, problem)];
}

/** Accepts absolute paths of POSIX and of Windows. */
function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^(?:[a-z]:)?[\\/]/i.test(path);
}

function compileConditions(
  { matchConditions }: WebhookConfiguration,
  { expressions = celExpressions() }: AuthorizationConfigurationRules,
  path: FieldPath,
): CheckedWebhook {
  const list = path.child('matchConditions');
  if (matchConditions.length > conditionsMax)
    return { matchConditions: [], errors: [fieldTooMany(list, matchConditions.length, conditionsMax)] };
  const seen = new Set<string>();
  const compiled: CompiledExpression[] = [];
  const errors = matchConditions.flatMap(({ expression }, index) => {
    const at = list.index(index).child('expression');
    if (expression.trim() === '') return [fieldRequired(at)];
    if (seen.has(expression)) return [fieldDuplicate(at, expression)];
    seen.add(expression);
    const result = compileAt(expressions, expression, matchConditionEnvironment(), at);
    if (result.compiled) compiled.push(result.compiled);
    return result.errors;
  });
  return { matchConditions: compiled, errors };
}

const conditionsMax = 64;

function nameProblems(
  authorizers: readonly AuthorizerConfiguration[],
  requiredTypes: readonly string[],
): readonly string[] {
  const others = authorizers.filter(({ type }) => type !== 'Webhook');
  const missing = requiredTypes.filter((type) => !others.some((each) => each.type === type));
  return [
    ...others
      .filter(({ type, name }) => name !== type.toLowerCase())
      .map(({ type, name }) => `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`),
    ...(missing.length > 0 ? [`missing required types: [${missing.toSorted().join(' ')}]`] : []),
  ];
}
