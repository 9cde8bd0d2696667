// Tokens of ServiceAccounts from end to end: asked for, used, published for others to verify, and ended with the
// account.
import { generateKeyPairSync } from 'node:crypto';
import { isApiError, virtualClock } from 'vivarium';
import { administrator, bearerTokens, unionTokenAuthenticator, withAuthenticatedGroup } from 'vivarium/auth';
import { cachedTokens, serviceAccountKeys, serviceAccountTokens, tokenIssuer } from 'vivarium/auth/node';
import { httpClient, inProcessClient } from 'vivarium/client';
import { createServer, fetchHandler } from 'vivarium/server';
import { memoryStore } from 'vivarium/storage';
import type { TokenRequest } from 'vivarium/types';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keys = serviceAccountKeys({ signing: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() });
const issuer = 'https://cluster.example';

const clock = virtualClock({ start: Date.parse('2026-01-01T00:00:00Z') });
const store = memoryStore({ clock });
const server = createServer({
  store,
  clock,
  tokens: ({ random }) => tokenIssuer({ keys, issuer, clock, random }),
  authenticators: (tools) => {
    const known = unionTokenAuthenticator(serviceAccountTokens({ ...tools, keys, issuers: [issuer] }));
    return [withAuthenticatedGroup(bearerTokens([cachedTokens(known, { clock })]))];
  },
});
const admin = inProcessClient(server.handler, { user: administrator });
const accounts = admin.kind('v1', 'ServiceAccount').in('default');

await accounts.create({ metadata: { name: 'robot' } });
const { status } = await accounts
  .subresource<TokenRequest>('token')
  .create('robot', { spec: { audiences: [], expirationSeconds: 600 } });
if (typeof status !== 'object') throw new Error('no token was made');
console.log('good until', status.expirationTimestamp);

// The token goes where tokens go: into a header.
const answer = fetchHandler(server);
const robot = httpClient({
  server: 'http://cluster',
  authorization: `Bearer ${status.token}`,
  transport: (url, { headers, ...init }) =>
    answer(new Request(url, { ...init, headers: headers as Record<string, string> })),
});
const me = await robot.kind('authentication.k8s.io/v1', 'SelfSubjectReview').create({});
console.log('known as', me.status?.userInfo?.username);

// Whoever trusts the issuer verifies tokens alone, with the keys that it publishes.
const { keys: published } = JSON.parse(String(await robot.read('/openid/v1/jwks'))) as { keys: { alg: string }[] };
console.log(
  'keys published:',
  published.map(({ alg }) => alg),
);

// A token ends with its account. What was found out a moment ago counts for ten seconds more.
await accounts.delete('robot');
await clock.advance('11s');
await robot.read('/version').catch((error: unknown) => {
  if (!isApiError(error, 'Unauthorized')) throw error;
  console.log('afterwards:', error.message);
});

await server.close();
await store.close();

// prints:
// good until 2026-01-01T00:10:00Z
// known as system:serviceaccount:default:robot
// keys published: [ 'ES256' ]
// afterwards: Unauthorized
