// AuthorizationConfiguration of apiserver.config.k8s.io: the authorizers of a server and their order. This file has its
// types and parser; validation is in authorization-configuration-validation.ts. As
// apiserver/pkg/apis/apiserver/v1/types.go; v1beta1 and v1alpha1 have the same fields.
import {
  DecodeError,
  decodeValue,
  errorText,
  field,
  listOf,
  parseDuration,
  parseYaml,
  printDuration,
  scalars,
  structType,
  typeMetaOf,
} from '../../core/index.js';
import type { Field, StructType } from '../../core/index.js';

/** The configuration of a server's authorizers. */
export interface AuthorizationConfiguration {
  /** The authorizers in the order in which they are called. */
  readonly authorizers: readonly AuthorizerConfiguration[];
}

/** One authorizer. */
export interface AuthorizerConfiguration {
  /** One of `authorizerTypes`. */
  readonly type: string;
  /** A DNS subdomain; except for webhooks, the type in lower case. */
  readonly name: string;
  /** Required for type Webhook, forbidden for others. */
  readonly webhook?: WebhookConfiguration;
}

/** The configuration of a webhook. Durations as Go prints them. */
export interface WebhookConfiguration {
  /** How long allowed decisions are cached. Default 5m. */
  readonly authorizedTTL: string;
  /** True if allowed decisions are cached. Default true. */
  readonly cacheAuthorizedRequests: boolean;
  /** How long other decisions are cached. Default 30s. */
  readonly unauthorizedTTL: string;
  /** True if other decisions are cached. Default true. */
  readonly cacheUnauthorizedRequests: boolean;
  /** Time limit of a call, at most 30s. */
  readonly timeout: string;
  readonly subjectAccessReviewVersion: string;
  /** Version of the reviews in match conditions: v1. Required if there are match conditions. */
  readonly matchConditionSubjectAccessReviewVersion: string;
  readonly failurePolicy: string;
  readonly connectionInfo: WebhookConnectionInfo;
  /** At most 64. */
  readonly matchConditions: readonly { readonly expression: string }[];
}

/** The location of a webhook. */
export interface WebhookConnectionInfo {
  /** `KubeConfigFile` or `InClusterConfig`. */
  readonly type: string;
  readonly kubeConfigFile?: string;
}

/**
 * Parses the configuration, YAML or JSON, and applies defaults. Unknown and repeated fields are errors. Throws
 * `DecodeError`.
 */
export async function parseAuthorizationConfiguration(text: string): Promise<AuthorizationConfiguration> {
  if (text === '') return { authorizers: [] };
  const { value, problems: repeated } = await parseYaml(text);
  const { apiVersion = '', kind = '' } = typeMetaOf(value);
  if (kind === '') throw new DecodeError("Object 'Kind' is missing in the authorization configuration");
  if (apiVersion === '') throw new DecodeError("Object 'apiVersion' is missing in the authorization configuration");
  if (kind !== 'AuthorizationConfiguration' || !apiVersions.includes(apiVersion)) {
    throw new DecodeError(
      `no kind "${kind}" is registered for version "${apiVersion}": expected AuthorizationConfiguration of ${apiVersions.join(', ')}`,
    );
  }
  const { object, problems } = decodeValue(configurationType, value);
  const all = [...repeated, ...problems];
  if (all.length > 0) throw new DecodeError(`strict decoding error: ${all.join(', ')}`);
  // The type that was just decoded.
  const { authorizers = [] } = object as { readonly authorizers?: readonly AuthorizerDocument[] };
  return {
    authorizers: authorizers.map(({ webhook, ...rest }) => ({
      ...rest,
      ...(webhook && { webhook: completed(webhook) }),
    })),
  };
}

/** The decoded form, before defaults. */
type AuthorizerDocument = Omit<AuthorizerConfiguration, 'webhook'> & { readonly webhook?: WebhookDocument };
type WebhookDocument = Pick<
  WebhookConfiguration,
  'connectionInfo' | 'subjectAccessReviewVersion' | 'matchConditionSubjectAccessReviewVersion' | 'failurePolicy'
> &
  Partial<WebhookConfiguration>;

/** Applies defaults. As SetDefaults_WebhookConfiguration of apiserver/pkg/apis/apiserver/v1/defaults.go. */
function completed(webhook: WebhookDocument): WebhookConfiguration {
  return {
    ...webhook,
    authorizedTTL: durationOr(webhook.authorizedTTL, '5m0s'),
    cacheAuthorizedRequests: webhook.cacheAuthorizedRequests ?? true,
    unauthorizedTTL: durationOr(webhook.unauthorizedTTL, '30s'),
    cacheUnauthorizedRequests: webhook.cacheUnauthorizedRequests ?? true,
    timeout: durationOr(webhook.timeout, '0s'),
    matchConditions: webhook.matchConditions ?? [],
  };
}

function durationOr(text: string | undefined, otherwise: string): string {
  if (text === undefined) return otherwise;
  try {
    const nanos = parseDuration(text);
    return nanos === 0n ? otherwise : printDuration(nanos);
  } catch (cause) {
    throw new DecodeError(errorText(cause), { cause });
  }
}

const apiVersions: readonly string[] = ['v1', 'v1beta1', 'v1alpha1'].map(
  (version) => `apiserver.config.k8s.io/${version}`,
);

const text = (name: string): Field => field(name, scalars.string);
const alwaysText = (name: string): Field => field(name, scalars.string, { presence: 'always' });
/** A field whose absence differs from its zero value. */
const optional = (name: string, shape: Field['shape']): Field => field(name, shape, { presence: 'pointer' });
const struct = (name: string, fields: readonly Field[]): StructType =>
  structType(`apiserver.config.k8s.io/v1.${name}`, () => fields);

const webhookType = struct('WebhookConfiguration', [
  text('authorizedTTL'),
  optional('cacheAuthorizedRequests', scalars.bool),
  text('unauthorizedTTL'),
  optional('cacheUnauthorizedRequests', scalars.bool),
  text('timeout'),
  alwaysText('subjectAccessReviewVersion'),
  alwaysText('matchConditionSubjectAccessReviewVersion'),
  alwaysText('failurePolicy'),
  field(
    'connectionInfo',
    struct('WebhookConnectionInfo', [alwaysText('type'), optional('kubeConfigFile', scalars.string)]),
    { presence: 'always' },
  ),
  field('matchConditions', listOf(struct('WebhookMatchCondition', [alwaysText('expression')]))),
]);

const configurationType = struct('AuthorizationConfiguration', [
  text('apiVersion'),
  text('kind'),
  field(
    'authorizers',
    listOf(struct('AuthorizerConfiguration', [alwaysText('type'), alwaysText('name'), field('webhook', webhookType)])),
  ),
]);
