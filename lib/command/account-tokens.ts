// Tokens of the service accounts that controllers act as. A controller requests a token with its first request, and a
// new one when a fifth of its validity is left; an account that does not exist is created. As
// k8s.io/controller-manager/pkg/clientbuilder/client_builder_dynamic.go.
import type { Client } from '../client/index.js';
import { isApiError, parseTime } from '../core/index.js';
import type { Clock, Frozen } from '../core/index.js';
import type { TokenRequest } from '../core/types/index.js';

/** Returns the Authorization header of a service account. Called before every request. */
export function accountAuthorization(
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  clock: Clock,
): () => Promise<string> {
  let token: AccountToken | undefined;
  let renewing: Promise<AccountToken> | undefined;
  const renew = async (): Promise<AccountToken> => {
    const requestedAtMs = clock.now();
    const { token: issued = '', expirationTimestamp } = (await requestToken(client, namespace, name)).status ?? {};
    if (issued === '' || expirationTimestamp === undefined)
      throw new Error(`the server has issued no token for ${namespace}/${name}`);
    const validMs = parseTime(expirationTimestamp) - requestedAtMs;
    return { header: `Bearer ${issued}`, renewAtMs: requestedAtMs + validMs * renewedAfter };
  };
  return async () => {
    if (token !== undefined && clock.now() < token.renewAtMs) return token.header;
    // Requests that start meanwhile wait for the same token.
    renewing ??= renew().finally(() => (renewing = undefined));
    token = await renewing;
    return token.header;
  };
}

interface AccountToken {
  readonly header: string;
  readonly renewAtMs: number;
}

/** The validity of a token in seconds, and the part of it after which the token is renewed. */
const expirationSeconds = 3_600;
const renewedAfter = 0.8;

async function requestToken(client: Client, namespace: string, name: string): Promise<Frozen<TokenRequest>> {
  const accounts = client.kind('v1', 'ServiceAccount').in(namespace);
  const request = { spec: { audiences: [], expirationSeconds } };
  try {
    return await accounts.token.create(name, request);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
  try {
    await accounts.create({ metadata: { name } });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
  return accounts.token.create(name, request);
}
