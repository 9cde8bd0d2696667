// OpenID Connect discovery for tokens of ServiceAccounts: the issuer's configuration and its public keys. Both may be
// cached for an hour, so a new key must be published at least that long before it signs. As
// pkg/routes/openidmetadata.go and pkg/serviceaccount/openidmetadata.go.
import type { TokenDiscovery } from '../../auth/index.js';
import type { ApiResponse } from '../../core/index.js';
import { methodNotAllowed } from '../../core/index.js';
import type { DocumentRoute } from './documents.js';

/**
 * Serves `/.well-known/openid-configuration` and `/openid/v1/jwks`. The keys are published at `serverAddress` unless
 * the issuer names another URI.
 */
export function openIdRoutes(discovery: TokenDiscovery, serverAddress: () => string): readonly DocumentRoute[] {
  const { issuer } = discovery;
  // Without a known address the server is assumed to be reachable at the issuer's URL.
  const origin = (address: string): string => (address === '' ? issuer.replace(/\/$/, '') : `https://${address}`);
  const configuration = async (): Promise<object> => ({
    issuer,
    jwks_uri: discovery.jwksUri ?? `${origin(serverAddress())}${keysPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set((await discovery.keys()).map(({ alg }) => alg))].sort(),
  });
  return [
    route('/.well-known/openid-configuration', 'application/json', configuration),
    route(keysPath, 'application/jwk-set+json', async () => ({ keys: await discovery.keys() })),
  ];
}

const keysPath = '/openid/v1/jwks';

function route(path: string, contentType: string, make: () => Promise<object>): DocumentRoute {
  return {
    path,
    answer: async ({ request }): Promise<ApiResponse> => {
      if (request.info.verb !== 'get') throw methodNotAllowed();
      return {
        type: 'raw',
        code: 200,
        contentType,
        content: JSON.stringify(await make()),
        headers: { 'Cache-Control': 'public, max-age=3600' },
      };
    },
  };
}
