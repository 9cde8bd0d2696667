// Creates the authorizers of an AuthorizationConfiguration, and replaces them when the configuration changes. A later
// configuration is used only if it is valid as a whole; otherwise its problem is reported and the present authorizers
// stay. As kubernetes/pkg/kubeapiserver/authorizer/reload.go.
import { concatMap, defer } from 'rxjs';
import type { Observable } from 'rxjs';
import { deepEqual, errorText, parseDurationMs } from '../../core/index.js';
import type { Clock, Random } from '../../core/index.js';
import { retryingCall } from '../../webhook/index.js';
import type { WebhookCall } from '../../webhook/index.js';
import type { Authorizer } from '../authorizer.js';
import { alwaysAllow, alwaysDeny } from './always.js';
import type { AuthorizationConfiguration, WebhookConnectionInfo } from './authorization-configuration.js';
import { parseAuthorizationConfiguration } from './authorization-configuration.js';
import type { AuthorizationConfigurationRules, CompiledAuthorizer } from './authorization-configuration-validation.js';
import {
  AuthorizationConfigurationError,
  compileAuthorizationConfiguration,
} from './authorization-configuration-validation.js';
import { unionAuthorizer } from './union.js';
import { webhookAuthorizer } from './webhook.js';

/** Dependencies of configured authorizers. */
export interface AuthorizerParts extends AuthorizationConfigurationRules {
  readonly clock: Clock;
  readonly random: Random;
  /**
   * The authorizers that live as long as the server, by type. A configuration that names a missing type is rejected.
   */
  readonly standing: Readonly<Partial<Record<StandingType, Authorizer>>>;
  /** Connects to a webhook. Each call of the result is one attempt; retries are added to it. */
  connect(webhook: ConnectedWebhook): WebhookCall | Promise<WebhookCall>;
}

/** Types whose authorizers watch objects or files themselves, so that they outlive a configuration. */
export type StandingType = 'Node' | 'RBAC' | 'ABAC';

/** A webhook of a configuration. */
export interface ConnectedWebhook {
  readonly name: string;
  readonly connection: WebhookConnectionInfo;
  readonly timeoutMs: number;
}

/**
 * Returns the authorizers of a configuration in its order. Rejects with `AuthorizationConfigurationError`, or with the
 * error of `connect`.
 */
export async function authorizersFrom(
  configuration: AuthorizationConfiguration,
  parts: AuthorizerParts,
): Promise<readonly Authorizer[]> {
  const authorizers: Authorizer[] = [];
  for (const each of compileAuthorizationConfiguration(configuration, parts))
    authorizers.push(await authorizerOf(each, parts));
  return authorizers;
}

/** Dependencies of reloading authorizers. */
export interface ReloadingParts extends AuthorizerParts {
  /** Called with the reason why a configuration was ignored. */
  report?(problem: string): void;
}

/**
 * Emits the authorizer of each configuration. Fails if the first is invalid. Later ones are skipped if they are
 * invalid, lack a type of the first other than Webhook, or name a type that the server did not start with. Completes
 * with `text$`.
 */
export function authorizationFrom(text$: Observable<string>, parts: ReloadingParts): Observable<Authorizer> {
  return defer(() => {
    let loaded: AuthorizationConfiguration | undefined;
    let rules: AuthorizerParts = parts;
    const load = async (text: string): Promise<readonly Authorizer[]> => {
      const first = loaded === undefined;
      const configuration = await loadAuthorizationConfiguration(text);
      if (deepEqual(configuration, loaded)) return [];
      const authorizers = await authorizersFrom(configuration, rules);
      loaded = configuration;
      if (first) rules = startedWith(configuration, parts);
      return [unionAuthorizer(authorizers)];
    };
    const loadLater = async (text: string): Promise<readonly Authorizer[]> => {
      try {
        return await load(text);
      } catch (error) {
        parts.report?.(`reloading authorization config: ${errorText(error)}`);
        return [];
      }
    };
    return text$.pipe(
      concatMap((text) => (loaded === undefined ? load(text) : loadLater(text))),
      concatMap((authorizers) => authorizers),
    );
  });
}

async function loadAuthorizationConfiguration(text: string): Promise<AuthorizationConfiguration> {
  try {
    return await parseAuthorizationConfiguration(text);
  } catch (error) {
    throw new AuthorizationConfigurationError([
      `failed to load AuthorizationConfiguration from file: ${errorText(error)}`,
    ]);
  }
}

/** Returns why a configuration cannot replace the first: it must keep the types of the first and add none. */
function startedWith({ authorizers }: AuthorizationConfiguration, parts: AuthorizerParts): AuthorizerParts {
  const types = authorizers.map(({ type }) => type).filter((type) => type !== 'Webhook');
  const standing = Object.fromEntries(Object.entries(parts.standing).filter(([type]) => types.includes(type)));
  return { ...parts, standing, requiredTypes: types };
}

async function authorizerOf(
  { type, name, webhook, matchConditions }: CompiledAuthorizer,
  parts: AuthorizerParts,
): Promise<Authorizer> {
  if (type === 'AlwaysAllow') return alwaysAllow;
  if (type === 'AlwaysDeny') return alwaysDeny;
  if (webhook === undefined) return standingOf(type as StandingType, parts); // validated: the only types left
  const { clock, random } = parts;
  const call = await parts.connect({
    name,
    connection: webhook.connectionInfo,
    timeoutMs: parseDurationMs(webhook.timeout),
  });
  return webhookAuthorizer(retryingCall(call, { clock, random }), {
    clock,
    version: webhook.subjectAccessReviewVersion === 'v1' ? 'v1' : 'v1beta1',
    authorizedTtlMs: webhook.cacheAuthorizedRequests ? parseDurationMs(webhook.authorizedTTL) : 0,
    unauthorizedTtlMs: webhook.cacheUnauthorizedRequests ? parseDurationMs(webhook.unauthorizedTTL) : 0,
    failurePolicy: webhook.failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion',
    matchConditions,
  });
}

function standingOf(type: StandingType, { standing }: AuthorizerParts): Authorizer {
  const authorizer = standing[type];
  if (authorizer === undefined)
    throw new AuthorizationConfigurationError([
      `authorizer type ${type} is not allowed if it was not enabled at initial server startup`,
    ]);
  return authorizer;
}
