// Validates an AuthenticationConfiguration, with the messages of Kubernetes, and compiles its expressions. As
// apiserver/pkg/apis/apiserver/validation/validation.go.
import {
  fieldDuplicate,
  fieldErrorsText,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  fieldTooMany,
  parseGoUrl,
} from '../../core/index.js';
import type { FieldError, FieldPath } from '../../core/index.js';
import type {
  AnonymousConfiguration,
  AuthenticationConfiguration,
  JwtAuthenticator,
  JwtIssuer,
} from './authentication-configuration.js';
import { compileJwtExpressions } from './jwt-expressions.js';
import type { JwtExpressions } from './jwt-expressions.js';
import { celExpressions } from './cel-expressions.js';
import type { ExpressionCompiler } from './expressions.js';

/** Dependencies of the validation. */
export interface AuthenticationConfigurationRules {
  /** Compiles expressions. Default: CEL. */
  readonly expressions?: ExpressionCompiler;
  /** Issuers that must not be configured: those of service accounts. */
  readonly disallowedIssuers?: readonly string[];
  /** Returns why a PEM bundle is unusable. Without it, certificates are not checked. */
  certificatesProblem?(pem: string): string | undefined;
}

/** A validated JWT authenticator with its expressions compiled. */
export interface CompiledJwtAuthenticator {
  readonly configuration: JwtAuthenticator;
  readonly expressions: JwtExpressions;
}

/** An invalid configuration. */
export class AuthenticationConfigurationError extends Error {
  override readonly name = 'AuthenticationConfigurationError';
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[]) {
    super(`invalid authentication configuration: ${fieldErrorsText(errors)}`);
    this.errors = errors;
  }
}

/** Returns all problems of a configuration. */
export function validateAuthenticationConfiguration(
  configuration: AuthenticationConfiguration,
  rules: AuthenticationConfigurationRules = {},
): readonly FieldError[] {
  return check(configuration, rules).errors;
}

/** Validates and compiles a configuration. Throws `AuthenticationConfigurationError`. */
export function compileAuthenticationConfiguration(
  configuration: AuthenticationConfiguration,
  rules: AuthenticationConfigurationRules = {},
): readonly CompiledJwtAuthenticator[] {
  const { compiled, errors } = check(configuration, rules);
  if (errors.length > 0) throw new AuthenticationConfigurationError(errors);
  return compiled;
}

interface Checked {
  readonly compiled: readonly CompiledJwtAuthenticator[];
  readonly errors: readonly FieldError[];
}

function check(
  { jwt = [], anonymous = {} }: AuthenticationConfiguration,
  rules: AuthenticationConfigurationRules,
): Checked {
  const path = fieldPath('jwt');
  if (jwt.length > jwtMax) return { compiled: [], errors: [fieldTooMany(path, jwt.length, jwtMax)] };
  const compiled: CompiledJwtAuthenticator[] = [];
  const errors: FieldError[] = [];
  const urls = new Set<string>();
  const discoveryUrls = new Set<string>();
  for (const [index, configuration] of jwt.entries()) {
    const at = path.index(index);
    const { issuer } = configuration;
    const { expressions, errors: wrong } = compileJwtExpressions(
      configuration,
      rules.expressions ?? celExpressions(),
      at,
    );
    errors.push(...validateIssuer(issuer, rules, at.child('issuer')), ...wrong);
    errors.push(...repeated(issuer.url, urls, at.child('issuer').child('url')));
    if (issuer.discoveryURL)
      errors.push(...repeated(issuer.discoveryURL, discoveryUrls, at.child('issuer').child('discoveryURL')));
    compiled.push({ configuration, expressions });
  }
  return { compiled, errors: [...errors, ...validateAnonymous(anonymous)] };
}

const jwtMax = 64;

function repeated(value: string, seen: Set<string>, path: FieldPath): readonly FieldError[] {
  if (seen.has(value)) return [fieldDuplicate(path, value)];
  seen.add(value);
  return [];
}

function validateAnonymous({ enabled = false, conditions = [] }: AnonymousConfiguration): readonly FieldError[] {
  if (enabled || conditions.length === 0) return [];
  const printed = conditions.map(({ path }) => ({ Path: path }));
  return [
    fieldInvalid(
      fieldPath('anonymous', 'conditions'),
      printed,
      'enabled should be set to true when conditions are defined',
    ),
  ];
}

function validateIssuer(
  issuer: JwtIssuer,
  rules: AuthenticationConfigurationRules,
  path: FieldPath,
): readonly FieldError[] {
  return [
    ...(issuer.url === ''
      ? [fieldRequired(path.child('url'))]
      : validateUrl(issuer.url, rules.disallowedIssuers ?? [], path.child('url'))),
    ...validateDiscoveryUrl(issuer, path.child('discoveryURL')),
    ...validateAudiences(issuer, path),
    ...validateCertificates(issuer, rules, path.child('certificateAuthority')),
    ...validateEgress(issuer, path.child('egressSelectorType')),
  ];
}

function validateDiscoveryUrl({ url, discoveryURL = '' }: JwtIssuer, path: FieldPath): readonly FieldError[] {
  if (discoveryURL === '') return [];
  const same = url !== '' && withoutSlashes(url) === withoutSlashes(discoveryURL);
  return [
    ...(same ? [fieldInvalid(path, discoveryURL, 'discoveryURL must be different from URL')] : []),
    ...validateUrl(discoveryURL, [], path),
  ];
}

function withoutSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

function validateUrl(text: string, disallowed: readonly string[], path: FieldPath): readonly FieldError[] {
  const problems: string[] = [];
  if (disallowed.includes(text))
    problems.push(`URL must not overlap with disallowed issuers: [${[...new Set(disallowed)].sort().join(' ')}]`);
  const parsed = parseGoUrl(text);
  if ('error' in parsed) {
    problems.push(parsed.error);
  } else {
    const { scheme, user, query, fragment } = parsed.url;
    if (scheme !== 'https') problems.push('URL scheme must be https');
    if (user !== undefined) problems.push('URL must not contain a username or password');
    if (query !== '') problems.push('URL must not contain a query');
    if (fragment !== '') problems.push('URL must not contain a fragment');
  }
  return problems.map((problem) => fieldInvalid(path, text, problem));
}

function validateAudiences(
  {
    audiences = [],
    audienceMatchPolicy: policy = '',
  }: Omit<JwtIssuer, 'audienceMatchPolicy'> & { readonly audienceMatchPolicy?: string },
  path: FieldPath,
): readonly FieldError[] {
  const list = path.child('audiences');
  if (audiences.length === 0) return [fieldRequired(list, `at least one ${list.toString()} is required`)];
  const seen = new Set<string>();
  const errors = audiences.flatMap((audience, index) => [
    ...(audience === '' ? [fieldRequired(list.index(index))] : []),
    ...repeated(audience, seen, list.index(index)),
  ]);
  const at = path.child('audienceMatchPolicy');
  if (policy === 'MatchAny' || (policy === '' && audiences.length === 1)) return errors;
  const rule =
    audiences.length > 1
      ? 'audienceMatchPolicy must be MatchAny for multiple audiences'
      : 'audienceMatchPolicy must be empty or MatchAny for single audience';
  return [...errors, fieldInvalid(at, policy, rule)];
}

function validateCertificates(
  { certificateAuthority = '' }: JwtIssuer,
  rules: AuthenticationConfigurationRules,
  path: FieldPath,
): readonly FieldError[] {
  const problem = certificateAuthority === '' ? undefined : rules.certificatesProblem?.(certificateAuthority);
  return problem === undefined ? [] : [fieldInvalid(path, '<omitted>', problem)];
}

function validateEgress(
  { egressSelectorType = '' }: Omit<JwtIssuer, 'egressSelectorType'> & { readonly egressSelectorType?: string },
  path: FieldPath,
): readonly FieldError[] {
  if (egressSelectorType === '' || egressSelectorType === 'controlplane' || egressSelectorType === 'cluster') return [];
  return [fieldInvalid(path, egressSelectorType, 'egress selector must be either controlplane or cluster')];
}
