// Makes the tokens that the TokenRequest API hands out. Their claims stand in alphabetical order, as Kubernetes writes
// them. A token for a pod that asks for 3607 seconds, which is what kubelets ask for, lives for a year and only begins
// to be noted in audits after that time: programs that never read the file again go on working. As
// pkg/serviceaccount/claims.go and the second half of pkg/registry/core/serviceaccount/storage/token.go.
import { internalError, printTime } from '../../../core/index.js';
import type { ApiObject, Clock, Frozen, JsonObject, Random } from '../../../core/index.js';
import type { BoundObject, TokenDiscovery, TokenIssuer } from '../../service-accounts/token-issuer.js';
import { signJws } from '../jws.js';
import { jwkOf } from '../signature-key.js';
import type { ServiceAccountKeys } from './keys.js';

/** What an issuer is made of. */
export interface TokenIssuerOptions {
  readonly keys: ServiceAccountKeys;
  /** What tokens name as their issuer. Only that of an https URL is published for strangers. */
  readonly issuer: string;
  /** For whom tokens are that name nobody; the issuer unless said otherwise. */
  readonly apiAudiences?: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  /** No token lives longer; as --service-account-max-token-expiration, which has no default. */
  readonly maxExpirationSeconds?: number;
  /** Whether tokens of pods live for a year where they ask for the usual time, as they do unless said otherwise. */
  readonly extendExpiration?: boolean;
  /** Where the keys are published, if not by this server. */
  readonly jwksUri?: string;
}

/** An issuer of tokens. */
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

/** An hour and a bit, by which the tokens of kubelets are known. */
const usualSeconds = 3607;
const extendedSeconds = 365 * 24 * 3600;

/** What the token is bound to. */
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
