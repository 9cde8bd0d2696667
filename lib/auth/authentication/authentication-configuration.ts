// AuthenticationConfiguration of apiserver.config.k8s.io: trusted JWT issuers and anonymous authentication. This file
// has its types and parser; validation is in authentication-configuration-validation.ts. As
// apiserver/pkg/apis/apiserver/v1/types.go; v1beta1 and v1alpha1 have the same fields.
import {
  DecodeError,
  decodeValue,
  field,
  listOf,
  parseYaml,
  scalars,
  structType,
  typeMetaOf,
} from '../../core/index.js';
import type { Field, JsonValue, StructType } from '../../core/index.js';
import type { AnonymousOptions } from './authenticator-decorators.js';

/** The configuration of JWT and anonymous authentication. An empty field equals an absent one, except for prefixes. */
export interface AuthenticationConfiguration {
  /** At most 64. A token is verified by the first whose issuer it names. */
  readonly jwt?: readonly JwtAuthenticator[];
  /** Overrides `--anonymous-auth`. Cannot change while the server runs. */
  readonly anonymous?: AnonymousConfiguration;
}

/** Anonymous authentication. */
export interface AnonymousConfiguration {
  readonly enabled?: boolean;
  /** The only paths for which it is allowed. Default: all. */
  readonly conditions?: readonly { readonly path: string }[];
}

/** A JWT authenticator: an issuer and the mapping of its claims. */
export interface JwtAuthenticator {
  readonly issuer: JwtIssuer;
  readonly claimValidationRules?: readonly ClaimValidationRule[];
  readonly claimMappings: ClaimMappings;
  readonly userValidationRules?: readonly UserValidationRule[];
}

/** The issuer of tokens. */
export interface JwtIssuer {
  /** Must equal `iss` of tokens and `issuer` of the discovery document. */
  readonly url: string;
  /** URL of the discovery document, if it is not below `url`. */
  readonly discoveryURL?: string;
  /** Authorities of the issuer's serving certificate, in PEM. Default: those of the system. */
  readonly certificateAuthority?: string;
  readonly audiences?: readonly string[];
  /** Required if there are several audiences. */
  readonly audienceMatchPolicy?: 'MatchAny';
  readonly egressSelectorType?: 'controlplane' | 'cluster';
}

/** A claim that must have a value, or an expression over `claims` that must be true. */
export interface ClaimValidationRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

/** The mapping of claims to the fields of a user. */
export interface ClaimMappings {
  readonly username: PrefixedClaimOrExpression;
  readonly groups?: PrefixedClaimOrExpression;
  readonly uid?: ClaimOrExpression;
  readonly extra?: readonly ExtraMapping[];
}

/** A claim, or an expression over `claims`. */
export interface ClaimOrExpression {
  readonly claim?: string;
  readonly expression?: string;
}

/** A claim with its required, possibly empty prefix, or an expression. */
export interface PrefixedClaimOrExpression extends ClaimOrExpression {
  readonly prefix?: string;
}

/** A key of `extra` and the expression of its values. */
export interface ExtraMapping {
  readonly key: string;
  readonly valueExpression: string;
}

/** An expression over `user` that must be true. */
export interface UserValidationRule {
  readonly expression: string;
  readonly message?: string;
}

/** Parses the configuration, YAML or JSON. Unknown and repeated fields are errors. Throws `DecodeError`. */
export async function parseAuthenticationConfiguration(text: string): Promise<AuthenticationConfiguration> {
  if (text === '') throw new DecodeError('empty config data');
  const { value, problems: repeated } = await parseYaml(text);
  checkKind(value);
  const { object, problems } = decodeValue(configurationType, value);
  const all = [...repeated, ...problems];
  if (all.length > 0) throw new DecodeError(`strict decoding error: ${all.join(', ')}`);
  const { jwt, anonymous } = object as AuthenticationConfiguration; // the type that was just decoded
  return { ...(jwt && { jwt }), ...(anonymous && { anonymous }) };
}

/**
 * Returns the options of anonymous authentication; undefined if it is disabled. `--anonymous-auth` applies if the
 * configuration does not set it.
 */
export function anonymousOf({ anonymous }: AuthenticationConfiguration, byFlag = true): AnonymousOptions | undefined {
  if (anonymous === undefined) return byFlag ? {} : undefined;
  if (anonymous.enabled !== true) return undefined;
  const { conditions = [] } = anonymous;
  return conditions.length === 0 ? {} : { paths: conditions.map(({ path }) => path) };
}

function checkKind(document: JsonValue): void {
  const { apiVersion = '', kind = '' } = typeMetaOf(document);
  if (kind === '') throw new DecodeError("Object 'Kind' is missing in the authentication configuration");
  if (apiVersion === '') throw new DecodeError("Object 'apiVersion' is missing in the authentication configuration");
  if (kind !== 'AuthenticationConfiguration' || !apiVersions.includes(apiVersion)) {
    throw new DecodeError(
      `no kind "${kind}" is registered for version "${apiVersion}": expected AuthenticationConfiguration of ${apiVersions.join(', ')}`,
    );
  }
}

const apiVersions: readonly string[] = ['v1', 'v1beta1', 'v1alpha1'].map(
  (version) => `apiserver.config.k8s.io/${version}`,
);

/** A string that is empty if absent. */
const text = (name: string): Field => field(name, scalars.string);
/** A string whose absence differs from the empty string. */
const optionalText = (name: string): Field => field(name, scalars.string, { presence: 'pointer' });
const texts = (name: string): Field => field(name, listOf(scalars.string));
const struct = (name: string, fields: readonly Field[]): StructType =>
  structType(`apiserver.config.k8s.io/v1.${name}`, () => fields);
/** A structure that is present even if the document has none. */
const always = (name: string, type: StructType): Field => field(name, type, { presence: 'always' });
const alwaysText = (name: string): Field => field(name, scalars.string, { presence: 'always' });

const prefixedType = struct('PrefixedClaimOrExpression', [text('claim'), optionalText('prefix'), text('expression')]);

const jwtType = struct('JWTAuthenticator', [
  always(
    'issuer',
    struct('Issuer', [
      alwaysText('url'),
      text('discoveryURL'),
      text('certificateAuthority'),
      texts('audiences'),
      text('audienceMatchPolicy'),
      text('egressSelectorType'),
    ]),
  ),
  field(
    'claimValidationRules',
    listOf(struct('ClaimValidationRule', [text('claim'), text('requiredValue'), text('expression'), text('message')])),
  ),
  always(
    'claimMappings',
    struct('ClaimMappings', [
      always('username', prefixedType),
      field('groups', prefixedType),
      field('uid', struct('ClaimOrExpression', [text('claim'), text('expression')])),
      field('extra', listOf(struct('ExtraMapping', [alwaysText('key'), alwaysText('valueExpression')]))),
    ]),
  ),
  field('userValidationRules', listOf(struct('UserValidationRule', [alwaysText('expression'), text('message')]))),
]);

const configurationType = struct('AuthenticationConfiguration', [
  text('apiVersion'),
  text('kind'),
  field('jwt', listOf(jwtType)),
  field(
    'anonymous',
    struct('AnonymousAuthConfig', [
      field('enabled', scalars.bool),
      field('conditions', listOf(struct('AnonymousAuthCondition', [alwaysText('path')]))),
    ]),
  ),
]);
