// The file that says who decides about access, and in which order: AuthorizationConfiguration of
// apiserver.config.k8s.io. Here are its types and its reading; what else has to be true of it is in
// authorization-configuration-validation.ts. As apiserver/pkg/apis/apiserver/v1/types.go; v1beta1 and v1alpha1 are the
// same to the letter.
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

/** Who decides. */
export interface AuthorizationConfiguration {
  /** Asked in this order. */
  readonly authorizers: readonly AuthorizerConfiguration[];
}

/** One who decides. */
export interface AuthorizerConfiguration {
  /** One of `authorizerTypes`. */
  readonly type: string;
  /** A DNS subdomain; of all but webhooks the type in lower case. */
  readonly name: string;
  /** Of webhooks, and only of them. */
  readonly webhook?: WebhookConfiguration;
}

/** How a webhook is asked. Durations as Go prints them. */
export interface WebhookConfiguration {
  /** Default 5m. */
  readonly authorizedTTL: string;
  /** Default true. */
  readonly cacheAuthorizedRequests: boolean;
  /** Default 30s. */
  readonly unauthorizedTTL: string;
  /** Default true. */
  readonly cacheUnauthorizedRequests: boolean;
  /** At most 30s. */
  readonly timeout: string;
  readonly subjectAccessReviewVersion: string;
  /** Must be v1 where there are match conditions. */
  readonly matchConditionSubjectAccessReviewVersion: string;
  readonly failurePolicy: string;
  readonly connectionInfo: WebhookConnectionInfo;
  /** At most 64. */
  readonly matchConditions: readonly { readonly expression: string }[];
}

/** Where the webhook is. */
export interface WebhookConnectionInfo {
  /** `KubeConfigFile` or `InClusterConfig`. */
  readonly type: string;
  readonly kubeConfigFile?: string;
}

/**
 * Reads the file, YAML or JSON, and fills in defaults. Unknown and repeated fields are refused. Throws `DecodeError`.
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
  // the type that was just decoded
  const { authorizers = [] } = object as { readonly authorizers?: readonly AuthorizerDocument[] };
  return {
    authorizers: authorizers.map(({ webhook, ...rest }) => ({
      ...rest,
      ...(webhook && { webhook: completed(webhook) }),
    })),
  };
}

/** As written: what may be left out is. */
type AuthorizerDocument = Omit<AuthorizerConfiguration, 'webhook'> & { readonly webhook?: WebhookDocument };
type WebhookDocument = Pick<
  WebhookConfiguration,
  'connectionInfo' | 'subjectAccessReviewVersion' | 'matchConditionSubjectAccessReviewVersion' | 'failurePolicy'
> &
  Partial<WebhookConfiguration>;

/** As SetDefaults_WebhookConfiguration of apiserver/pkg/apis/apiserver/v1/defaults.go. */
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
/** Whose absence is something of its own. */
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
