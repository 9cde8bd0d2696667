// Maps the claims of a verified token to a user, by the mappings and rules of its authenticator. Claims are decoded as
// Go does: null is the zero value, any other wrong type is an error. Pure. As
// apiserver/plugin/pkg/authenticator/token/oidc/oidc.go: getUsername, getGroups, getUID, getExtra.
import { errorText, quote, setOwn, unmarshalTypeError } from '../../core/index.js';
import type { Frozen, JsonObject, JsonValue } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { CompiledJwtAuthenticator } from './authentication-configuration-validation.js';
import { AuthenticationError } from './authentication-error.js';
import type { CompiledExpression } from './expressions.js';
import type { CompiledRule } from './jwt-expressions.js';

/** Key of `extra` with the identifier of the token. */
const credentialIdKey = 'authentication.kubernetes.io/credential-id';

/** Returns the user of the claims. Throws `AuthenticationError` if claims are missing, malformed or violate a rule. */
export function userOf({ configuration, expressions }: CompiledJwtAuthenticator, claims: JsonObject): Frozen<UserInfo> {
  const { username: byName, groups: byGroups = {}, uid: byUid = {} } = configuration.claimMappings;
  const username = expressions.username
    ? usernameBy(expressions.username, claims)
    : usernameIn(byName.claim ?? '', byName.prefix ?? '', claims);
  const groups = expressions.groups
    ? textsBy(expressions.groups, claims, 'group')
    : groupsIn(byGroups.claim ?? '', byGroups.prefix ?? '', claims);
  const uid = expressions.uid ? uidBy(expressions.uid, claims) : uidIn(byUid.claim ?? '', claims);
  const extra = extraOf({ configuration, expressions }, claims);
  checkRequiredClaims(configuration.claimValidationRules ?? [], claims);
  checkRules(expressions.claimRules, { claims }, 'claim validation expression');
  const user = { username, uid, groups, extra };
  checkRules(expressions.userRules, { user }, 'user info validation rule');
  return {
    username,
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function usernameIn(claim: string, prefix: string, claims: JsonObject): string {
  const username = textIn(claims, claim, `parse username claims ${quote(claim)}`);
  // An unverified address must not be used: users could otherwise claim the address of another user.
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified')) {
    const verified = claims.email_verified ?? false;
    if (typeof verified !== 'boolean')
      throw problem(`parse 'email_verified' claim: ${unmarshalTypeError(verified, 'value of type bool')}`);
    if (!verified) throw problem('email not verified');
  }
  return prefix + username;
}

function usernameBy(expression: CompiledExpression, claims: JsonObject): string {
  const username = evaluated(expression, { claims }, 'username claim expression');
  if (typeof username !== 'string')
    throw problem('error evaluating username claim expression: username claim expression must return a string');
  if (username === '') throw problem('empty username via CEL expression is not allowed');
  return username;
}

/** Returns a string or list of strings as a list; empty if the claim is absent. */
function groupsIn(claim: string, prefix: string, claims: JsonObject): readonly string[] {
  if (claim === '' || !Object.hasOwn(claims, claim)) return [];
  const value = claims[claim] ?? [];
  const groups = typeof value === 'string' ? [value] : listOfTexts(value);
  if (groups === undefined)
    throw problem(`parse groups claim ${quote(claim)}: ${unmarshalTypeError(value, 'value of type string')}`);
  return groups.map((group) => prefix + group);
}

function listOfTexts(value: JsonValue): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = (value as readonly JsonValue[]).map((each) => each ?? '');
  return texts.every((each) => typeof each === 'string') ? texts : undefined;
}

function uidIn(claim: string, claims: JsonObject): string {
  return claim === '' ? '' : textIn(claims, claim, `parse uid claim ${quote(claim)}`);
}

function uidBy(expression: CompiledExpression, claims: JsonObject): string {
  const uid = evaluated(expression, { claims }, 'uid claim expression');
  if (typeof uid !== 'string')
    throw problem('error evaluating uid claim expression: uid claim expression must return a string');
  return uid;
}

function extraOf(
  { expressions }: CompiledJwtAuthenticator,
  claims: JsonObject,
): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {};
  const id = Object.hasOwn(claims, 'jti') ? claims.jti : undefined;
  if (typeof id === 'string' && id !== '') extra[credentialIdKey] = [`JTI=${id}`];
  for (const { key, value } of expressions.extra) {
    const texts = textsBy(value, claims, 'extra');
    if (texts.length > 0) setOwn(extra, key, texts);
  }
  return extra;
}

/** Returns a string or list of strings as a list, without empty ones. */
function textsBy(expression: CompiledExpression, claims: JsonObject, use: 'group' | 'extra'): readonly string[] {
  const value = evaluated(expression, { claims }, `${use} claim expression`) ?? [];
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  const found: string[] = [];
  for (const text of texts) {
    if (typeof text !== 'string') {
      const which = use === 'extra' ? `${expression.source}: ` : '';
      throw problem(
        `error evaluating ${use} claim expression: ${which}expression must return a string or a list of strings`,
      );
    }
    if (text !== '') found.push(text);
  }
  return found;
}

function checkRequiredClaims(
  rules: readonly { readonly claim?: string; readonly requiredValue?: string }[],
  claims: JsonObject,
): void {
  for (const { claim = '', requiredValue = '' } of rules) {
    if (claim === '') continue;
    if (!Object.hasOwn(claims, claim)) throw problem(`required claim ${claim} not present in ID token`);
    const value = textIn(claims, claim, `parse claim ${claim}`);
    if (value !== requiredValue)
      throw problem(`required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`);
  }
}

function checkRules(rules: readonly CompiledRule[], variables: Readonly<Record<string, unknown>>, what: string): void {
  for (const { expression, message } of rules) {
    const holds = evaluated(expression, variables, what);
    if (typeof holds !== 'boolean')
      throw problem(`error evaluating ${what}: validation expression must return a boolean`);
    if (!holds)
      throw problem(`error evaluating ${what}: validation expression '${expression.source}' failed: ${message}`);
  }
}

function evaluated(
  expression: CompiledExpression,
  variables: Readonly<Record<string, unknown>>,
  what: string,
): unknown {
  try {
    return expression.evaluate(variables);
  } catch (error) {
    throw problem(`error evaluating ${what}: expression '${expression.source}' resulted in error: ${errorText(error)}`);
  }
}

function textIn(claims: JsonObject, name: string, doing: string): string {
  if (!Object.hasOwn(claims, name)) throw problem(`${doing}: claim not present`);
  const value = claims[name] ?? '';
  if (typeof value !== 'string') throw problem(`${doing}: ${unmarshalTypeError(value, 'value of type string')}`);
  return value;
}

function problem(text: string): AuthenticationError {
  return new AuthenticationError(`oidc: ${text}`);
}
