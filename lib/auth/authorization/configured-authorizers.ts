// From an AuthorizationConfiguration to those who decide, and from one to the next while the server runs. A later file
// counts only if it is whole and good: whatever is wrong with it is told, and those before it go on deciding.
// As kubernetes/pkg/kubeapiserver/authorizer/reload.go.
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

/** What authorizers are made of. */
export interface AuthorizerParts extends AuthorizationConfigurationRules {
  readonly clock: Clock;
  readonly random: Random;
  /** Those that live as long as the server, by type. One that is missing cannot be configured. */
  readonly standing: Readonly<Partial<Record<StandingType, Authorizer>>>;
  /** Calls a webhook, once for each time it is called: trying again is added to it. */
  connect(webhook: ConnectedWebhook): WebhookCall | Promise<WebhookCall>;
}

/** Types whose authorizers follow objects or files of their own. */
export type StandingType = 'Node' | 'RBAC' | 'ABAC';

/** A webhook to be connected. */
export interface ConnectedWebhook {
  readonly name: string;
  readonly connection: WebhookConnectionInfo;
  readonly timeoutMs: number;
}

/** Those whom a configuration names, in order. Rejects with `AuthorizationConfigurationError`, or as `connect` does. */
export async function authorizersFrom(
  configuration: AuthorizationConfiguration,
  parts: AuthorizerParts,
): Promise<readonly Authorizer[]> {
  const authorizers: Authorizer[] = [];
  for (const each of compileAuthorizationConfiguration(configuration, parts))
    authorizers.push(await authorizerOf(each, parts));
  return authorizers;
}

/** The same, and who is told of files that were not obeyed. */
export interface ReloadingParts extends AuthorizerParts {
  /** Told why a file was not obeyed. */
  report?(problem: string): void;
}

/**
 * The authorizer of each text of the file in turn. The first text must be good, or it fails. Later ones are skipped
 * where they are not, where they lack a type of the first other than Webhook, or where they want one that the server
 * did not start with. Never completes before `text$` does; nothing is left of it when it is unsubscribed.
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

/** What a running server may still be told: it keeps what it started with, and gains no more. */
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
