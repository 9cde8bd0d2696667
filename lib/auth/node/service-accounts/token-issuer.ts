// Issues the tokens of the TokenRequest API. Claims are in alphabetical order, as Kubernetes writes them. A pod token
// requested for 3607 seconds, as kubelets do, is valid for a year and only annotated in the audit log after that time,
// so that programs which never read the file again continue to work. As pkg/serviceaccount/claims.go and
// pkg/registry/core/serviceaccount/storage/token.go.
import { internalError, printTime } from '../../../core/index.js';
import type { ApiObject, Clock, Frozen, JsonObject, Random } from '../../../core/index.js';
import type { BoundObject, TokenDiscovery, TokenIssuer } from '../../service-accounts/token-issuer.js';
import { signJws } from '../jws.js';
import { jwkOf } from '../signature-key.js';
import type { ServiceAccountKeys } from './keys.js';

/** Options of an issuer. */
export interface TokenIssuerOptions {
  readonly keys: ServiceAccountKeys;
  /** Issuer of the tokens. Published for discovery only if it is an https URL. */
  readonly issuer: string;
  /** Audiences of tokens that request none. Default: the issuer. */
  readonly apiAudiences?: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum lifetime in seconds, as --service-account-max-token-expiration. Default: none. */
  readonly maxExpirationSeconds?: number;
  /** True if pod tokens of the usual lifetime are extended to a year. Default true. */
  readonly extendExpiration?: boolean;
  /** URL at which the keys are published, if it is not this server's. */
  readonly jwksUri?: string;
}

/** Creates an issuer. */
export function tokenIssuer(options: TokenIssuerOptions): TokenIssuer {
  const {
    keys,
    issuer,
    apiAudiences = [issuer],
    clock,
    random,
    maxExpirationSeconds = Infinity,
    extendExpiration = true,
  } = options;
  const discovery = discoveryOf(options);
  return {
    defaultAudiences: apiAudiences,
    ...(discovery && { discovery }),
    issue: ({ serviceAccount, audiences, expirationSeconds: asked, boundTo }) => {
      const { signing } = keys;
      if (signing === undefined)
        throw internalError(new Error('failed to generate token: there is no key to sign it with'));
      const now = clock.now();
      const granted = Math.min(asked, maxExpirationSeconds);
      const isExtended =
        extendExpiration &&
        boundTo?.kind === 'Pod' &&
        granted === usualSeconds &&
        audiences.every((each) => apiAudiences.includes(each));
      const nowSeconds = Math.floor(now / 1000);
      const { namespace = '', name = '' } = serviceAccount.metadata ?? {};
      const id = random.uuid();
      const claims: JsonObject = {
        aud: [...audiences],
        exp: nowSeconds + (isExtended ? extendedSeconds : granted),
        iat: nowSeconds,
        iss: issuer,
        jti: id,
        'kubernetes.io': {
          namespace,
          ...boundClaims(boundTo),
          serviceaccount: referenceTo(serviceAccount),
          ...(isExtended && { warnafter: nowSeconds + granted }),
        },
        nbf: nowSeconds,
        sub: `system:serviceaccount:${namespace}:${name}`,
      };
      return {
        token: signJws(claims, signing),
        expirationSeconds: granted,
        expirationTimestamp: printTime(now + granted * 1000),
        credentialId: `JTI=${id}`,
        ...(granted < asked && {
          warnings: [`requested expiration of ${asked} seconds shortened to ${granted} seconds`],
        }),
      };
    },
  };
}

/** The lifetime that kubelets request, by which their tokens are recognised. */
const usualSeconds = 3607;
const extendedSeconds = 365 * 24 * 3600;

/** Returns the claims of the bound object. */
function boundClaims(boundTo: BoundObject | undefined): JsonObject {
  switch (boundTo?.kind) {
    case 'Pod': {
      const { node } = boundTo;
      return {
        ...(node && { node: { name: node.name, ...(node.uid !== undefined && { uid: node.uid }) } }),
        pod: referenceTo(boundTo.object),
      };
    }
    case 'Secret':
      return { secret: referenceTo(boundTo.object) };
    case 'Node':
      return { node: referenceTo(boundTo.object) };
    default:
      return {};
  }
}

function referenceTo({ metadata = {} }: Frozen<ApiObject>): JsonObject {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

function discoveryOf({ keys, issuer, jwksUri }: TokenIssuerOptions): TokenDiscovery | undefined {
  if (!URL.canParse(issuer)) return undefined;
  const { protocol, search, hash } = new URL(issuer);
  if (protocol !== 'https:' || search !== '' || hash !== '') return undefined;
  return { issuer, ...(jwksUri !== undefined && { jwksUri }), keys: () => keys.verification.map(jwkOf) };
}
