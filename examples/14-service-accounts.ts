// Tokens of ServiceAccounts from end to end: requested, used, published for others to verify, and revoked with the
// account.
import { createCluster, isApiError, virtualClock } from 'vivarium';
import { httpClient } from 'vivarium/client';
import { fetchHandler } from 'vivarium/server';
import type { TokenRequest } from 'vivarium/types';

const clock = virtualClock({ start: Date.parse('2026-01-01T00:00:00Z') });
const cluster = await createCluster({ clock });
const accounts = cluster.client.kind('v1', 'ServiceAccount').in('default');

await accounts.create({ metadata: { name: 'robot' } });
const { status } = await accounts
  .subresource<TokenRequest>('token')
  .create('robot', { spec: { audiences: [], expirationSeconds: 600 } });
if (typeof status !== 'object') throw new Error('the response has no token');
console.log('expires at', status.expirationTimestamp);

// The token is sent in a header, here over the wire without a socket.
const answer = fetchHandler(cluster.server);
const robot = httpClient({
  server: 'http://cluster',
  authorization: `Bearer ${status.token}`,
  transport: (url, { headers, ...init }) =>
    answer(new Request(url, { ...init, headers: headers as Record<string, string> })),
});
const me = await robot.kind('authentication.k8s.io/v1', 'SelfSubjectReview').create({});
console.log('authenticated as', me.status?.userInfo?.username);

// Others verify tokens with the keys that the cluster publishes.
const { keys } = JSON.parse(String(await cluster.client.read('/openid/v1/jwks'))) as { keys: { alg: string }[] };
console.log('published keys:', keys.map(({ alg }) => alg).join());

// A token is revoked with its account. The result of an authentication is cached for ten seconds.
await accounts.delete('robot');
await cluster.advance('11s');
await robot.read('/version').catch((error: unknown) => {
  if (!isApiError(error, 'Unauthorized')) throw error;
  console.log('afterwards:', error.message);
});
await cluster.close();

// prints:
// expires at 2026-01-01T00:10:00Z
// authenticated as system:serviceaccount:default:robot
// published keys: ES256
// afterwards: Unauthorized
