// Validates and compiles the rules and mappings of a JWT authenticator. Types of results are checked at evaluation in
// claim-mapping.ts, because claims may have any type. As apiserver/pkg/apis/apiserver/validation/validation.go:
// validateClaimValidationRules, validateClaimMappings, validateUserValidationRules.
import {
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  field,
  listOf,
  mapOf,
  scalars,
  structType,
  validateDomainPrefixedPath,
} from '../../core/index.js';
import type { FieldError, FieldPath } from '../../core/index.js';
import type {
  ClaimMappings,
  ClaimOrExpression,
  ClaimValidationRule,
  ExtraMapping,
  JwtAuthenticator,
  PrefixedClaimOrExpression,
  UserValidationRule,
} from './authentication-configuration.js';
import { compileAt } from './expressions.js';
import type { CompiledExpression, ExpressionCompiler, ExpressionEnvironment } from './expressions.js';

/** The compiled expressions of a JWT authenticator. */
export interface JwtExpressions {
  readonly claimRules: readonly CompiledRule[];
  readonly username?: CompiledExpression;
  readonly groups?: CompiledExpression;
  readonly uid?: CompiledExpression;
  readonly extra: readonly { readonly key: string; readonly value: CompiledExpression }[];
  readonly userRules: readonly CompiledRule[];
}

/** A rule that must be true, and the message if it is not. */
export interface CompiledRule {
  readonly expression: CompiledExpression;
  readonly message: string;
}

/** Validates and compiles. The result is usable only if there are no errors. */
export function compileJwtExpressions(
  { claimValidationRules = [], claimMappings, userValidationRules = [] }: JwtAuthenticator,
  compiler: ExpressionCompiler,
  path: FieldPath,
): { readonly expressions: JwtExpressions; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const compilation: Compilation = {
    errors,
    compile: (source, environment, at) => {
      const result = compileAt(compiler, source, environment, at);
      errors.push(...result.errors);
      return result.compiled;
    },
  };
  const claimRules = compileClaimRules(claimValidationRules, compilation, path.child('claimValidationRules'));
  const mappings = compileMappings(claimMappings, claimRules, compilation, path.child('claimMappings'));
  const userRules = compileUserRules(userValidationRules, compilation, path.child('userValidationRules'));
  return { expressions: { claimRules, ...mappings, userRules }, errors };
}

/** Collects errors. */
interface Compilation {
  readonly errors: FieldError[];
  readonly compile: (
    source: string,
    environment: ExpressionEnvironment,
    path: FieldPath,
  ) => CompiledExpression | undefined;
}

const claims = mapOf(scalars.json);
const userInfo = structType('kubernetes.UserInfo', () => [
  field('username', scalars.string),
  field('uid', scalars.string),
  field('groups', listOf(scalars.string)),
  field('extra', mapOf(listOf(scalars.string))),
]);
const overClaims: ExpressionEnvironment = { variables: { claims }, result: 'any' };
const ruleOverClaims: ExpressionEnvironment = { variables: { claims }, result: 'bool' };
const ruleOverUser: ExpressionEnvironment = { variables: { user: userInfo }, result: 'bool' };

function compileClaimRules(
  rules: readonly ClaimValidationRule[],
  { errors, compile }: Compilation,
  path: FieldPath,
): readonly CompiledRule[] {
  const seenClaims = new Set<string>();
  const seenExpressions = new Set<string>();
  return rules.flatMap(({ claim = '', requiredValue = '', expression = '', message = '' }, index) => {
    const at = path.index(index);
    if (claim !== '' && expression !== '') {
      errors.push(fieldInvalid(at, claim, "claim and expression can't both be set"));
    } else if (claim !== '') {
      if (message !== '')
        errors.push(fieldInvalid(at.child('message'), message, 'may not be specified when claim is set'));
      if (seenClaims.has(claim)) errors.push(fieldDuplicate(at.child('claim'), claim));
      seenClaims.add(claim);
    } else if (expression !== '') {
      if (requiredValue !== '')
        errors.push(
          fieldInvalid(at.child('requiredValue'), requiredValue, 'may not be specified when expression is set'),
        );
      return compileRule(
        { expression, message },
        seenExpressions,
        ruleOverClaims,
        { errors, compile },
        at.child('expression'),
      );
    } else {
      errors.push(fieldRequired(at, 'claim or expression is required'));
    }
    return [];
  });
}

function compileUserRules(
  rules: readonly UserValidationRule[],
  compilation: Compilation,
  path: FieldPath,
): readonly CompiledRule[] {
  const seen = new Set<string>();
  return rules.flatMap(({ expression, message = '' }, index) => {
    const at = path.index(index).child('expression');
    if (expression !== '') return compileRule({ expression, message }, seen, ruleOverUser, compilation, at);
    compilation.errors.push(fieldRequired(at));
    return [];
  });
}

function compileRule(
  { expression, message }: Required<UserValidationRule>,
  seen: Set<string>,
  environment: ExpressionEnvironment,
  { errors, compile }: Compilation,
  path: FieldPath,
): readonly CompiledRule[] {
  if (seen.has(expression)) {
    errors.push(fieldDuplicate(path, expression));
    return [];
  }
  seen.add(expression);
  const compiled = compile(expression, environment, path);
  return compiled === undefined ? [] : [{ expression: compiled, message }];
}

type MappingExpressions = Pick<JwtExpressions, 'username' | 'groups' | 'uid' | 'extra'>;

function compileMappings(
  mappings: ClaimMappings,
  claimRules: readonly CompiledRule[],
  compilation: Compilation,
  path: FieldPath,
): MappingExpressions {
  const { errors } = compilation;
  const username = compilePrefixed(mappings.username, compilation, path.child('username'));
  const { claim = '', expression = '' } = mappings.username;
  if (claim === '' && expression === '')
    errors.push(fieldRequired(path.child('username'), 'claim or expression is required'));
  const groups = compilePrefixed(mappings.groups ?? {}, compilation, path.child('groups'));
  const uid = compileUid(mappings.uid ?? {}, compilation, path.child('uid'));
  const extra = compileExtra(mappings.extra ?? [], compilation, path.child('extra'));
  const withExpressions = [
    ...(username ? [username] : []),
    ...extra.map(({ value }) => value),
    ...claimRules.map((rule) => rule.expression),
  ];
  if (
    username?.selects('claims', 'email') === true &&
    !withExpressions.some((each) => each.selects('claims', 'email_verified'))
  ) {
    errors.push(fieldInvalid(path.child('username').child('expression'), expression, unverifiedEmail));
  }
  return { ...(username && { username }), ...(groups && { groups }), ...(uid && { uid }), extra };
}

const unverifiedEmail =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';

function compilePrefixed(
  { claim = '', prefix, expression = '' }: PrefixedClaimOrExpression,
  { errors, compile }: Compilation,
  path: FieldPath,
): CompiledExpression | undefined {
  if (claim !== '' && expression !== '') {
    errors.push(fieldInvalid(path, '', "claim and expression can't both be set"));
  } else if (expression !== '') {
    if (prefix !== undefined)
      errors.push(fieldInvalid(path.child('prefix'), prefix, 'may not be specified when expression is set'));
    const compiled = compile(expression, overClaims, path.child('expression'));
    return prefix === undefined ? compiled : undefined;
  } else if (claim !== '' && prefix === undefined) {
    errors.push(
      fieldRequired(
        path.child('prefix'),
        'prefix is required when claim is set. It can be set to an empty string to disable prefixing',
      ),
    );
  }
  return undefined;
}

function compileUid(
  { claim = '', expression = '' }: ClaimOrExpression,
  { errors, compile }: Compilation,
  path: FieldPath,
): CompiledExpression | undefined {
  if (expression === '') return undefined;
  if (claim === '') return compile(expression, overClaims, path.child('expression'));
  errors.push(fieldInvalid(path, '', "claim and expression can't both be set"));
  return undefined;
}

function compileExtra(
  mappings: readonly ExtraMapping[],
  { errors, compile }: Compilation,
  path: FieldPath,
): JwtExpressions['extra'] {
  const seen = new Set<string>();
  return mappings.flatMap(({ key, valueExpression }, index) => {
    const at = path.index(index);
    const atKey = at.child('key');
    errors.push(...validateDomainPrefixedPath(key, atKey));
    if (key !== key.toLowerCase()) errors.push(fieldInvalid(atKey, key, 'must be lowercase'));
    if (isReserved(key))
      errors.push(
        fieldInvalid(atKey, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use'),
      );
    if (seen.has(key)) {
      errors.push(fieldDuplicate(atKey, key));
      return [];
    }
    seen.add(key);
    if (valueExpression === '') {
      errors.push(fieldRequired(at.child('valueExpression')));
      return [];
    }
    const value = compile(valueExpression, overClaims, at.child('valueExpression'));
    return value === undefined ? [] : [{ key, value }];
  });
}

function isReserved(key: string): boolean {
  const slash = key.indexOf('/');
  const domain = slash < 0 ? '' : key.slice(0, slash);
  return ['kubernetes.io', 'k8s.io'].some((reserved) => domain === reserved || domain.endsWith(`.${reserved}`));
}
