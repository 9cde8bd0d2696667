// Tokens of ServiceAccounts: how they are issued, what they authenticate, and attempts to forge them.
// Texts of errors are a real server's.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { EMPTY } from 'rxjs';
import t, { type Test } from 'tap';
import type { Authenticated, TokenIssuer, TokenSubject } from '../../lib/auth/index.js';
import { bearerTokens, withAuthenticatedGroup } from '../../lib/auth/index.js';
import type { KeySource, SigningKey, TokenIssuerOptions } from '../../lib/auth/node/index.js';
import {
  jwkOf,
  keyOfJwk,
  legacyToken,
  parseJws,
  registeredClaims,
  serviceAccountKeys,
  serviceAccountTokens,
  signJws,
  signingKey,
  tokenIssuer,
  tokenLengthMax,
  unverifiedIssuer,
  verificationKey,
  verifyJws,
} from '../../lib/auth/node/index.js';
import type { Client } from '../../lib/client/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { ServiceAccountSecretsActivity } from '../../lib/controllers/index.js';
import { serviceAccountSecrets } from '../../lib/controllers/index.js';
import type { ApiObject, Frozen, JsonObject, ObjectReader, VirtualClock } from '../../lib/core/index.js';
import { encodeBase64, firstOf, isApiError, printTime, random, virtualClock } from '../../lib/core/index.js';
import type { Secret, ServiceAccount, TokenRequest } from '../../lib/core/types/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import type { AuditEvent, ServerOptions } from '../../lib/server/index.js';
import { createAuthority } from '../../lib/server/node/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { fc, runs } from '../support/properties.js';

const issuer = 'https://issuer.example';
const start = Date.parse('2026-01-01T00:00:00Z') / 1000;
const rsa = pemOf('rsa');
const otherRsa = pemOf('rsa');
const curves = { ES256: pemOf('P-256'), ES384: pemOf('P-384'), ES512: pemOf('P-521') };
const rsaKey = signingKey(rsa);

function pemOf(kind: string): string {
  const { privateKey } =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: kind });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function part(content: unknown): string {
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64url');
}

/** A token as an attacker would write it: any header, any signature. */
function forged(
  header: unknown,
  claims: unknown,
  signatureOf: (signed: string) => Buffer = () => Buffer.alloc(0),
): string {
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${signatureOf(signed).toString('base64url')}`;
}

/** Objects that tokens are about, and what is known of them. */
class World implements ObjectReader {
  readonly objects = new Map<string, ApiObject>();
  broken = '';

  put(resource: string, object: ApiObject): void {
    this.objects.set(`${resource}/${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`, object);
  }

  get<T extends ApiObject>(
    { resource }: { readonly resource: string },
    name: string,
    namespace = '',
  ): Promise<Frozen<T> | undefined> {
    if (resource === this.broken) return Promise.reject(new Error('the store is away'));
    return Promise.resolve(this.objects.get(`${resource}/${namespace}/${name}`) as Frozen<T> | undefined);
  }

  changes(): typeof EMPTY {
    return EMPTY;
  }
}

interface Scene {
  readonly world: World;
  readonly clock: VirtualClock;
  readonly keys: ReturnType<typeof serviceAccountKeys>;
  readonly marked: string[];
  authenticate(token: string, audiences?: readonly string[]): Promise<Authenticated | undefined>;
}

const robot: ApiObject = { metadata: { name: 'robot', namespace: 'ns', uid: 'robot-uid' } };

function scene(
  source: KeySource = { signing: rsa },
  more: {
    readonly apiAudiences?: readonly string[];
    readonly lookup?: boolean;
    readonly markUsed?: () => Promise<never>;
  } = {},
): Scene {
  const [world, clock, keys, marked] = [new World(), virtualClock(), serviceAccountKeys(source), [] as string[]];
  world.put('serviceaccounts', robot);
  world.put('pods', { metadata: { name: 'p', namespace: 'ns', uid: 'pod-uid' } });
  world.put('secrets', { metadata: { name: 's', namespace: 'ns', uid: 'secret-uid' } });
  world.put('nodes', { metadata: { name: 'n', uid: 'node-uid' } });
  const markUsed = (secret: Frozen<Secret>, day: string): Promise<void> => {
    marked.push(`${secret.metadata?.name ?? ''} ${day}`);
    return Promise.resolve();
  };
  const known = bearerTokens(
    serviceAccountTokens({ keys, issuers: [issuer, 'https://older.example'], reader: world, clock, markUsed, ...more }),
  );
  return {
    world,
    clock,
    keys,
    marked,
    authenticate: async (token, audiences) => {
      const header = (name: string): string | undefined => (name === 'authorization' ? `Bearer ${token}` : undefined);
      return await firstOf(known({ header, audiences }), undefined);
    },
  };
}

const bound: JsonObject = {
  aud: [issuer],
  exp: start + 3600,
  iat: start,
  iss: issuer,
  jti: 'an-id',
  'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'robot-uid' } },
  nbf: start,
  sub: 'system:serviceaccount:ns:robot',
};

/** Claims with other claims of Kubernetes' own. */
function boundTo(own: JsonObject): JsonObject {
  return { ...bound, 'kubernetes.io': { ...(bound['kubernetes.io'] as JsonObject), ...own } };
}

const legacy: JsonObject = {
  iss: 'kubernetes/serviceaccount',
  'kubernetes.io/serviceaccount/namespace': 'ns',
  'kubernetes.io/serviceaccount/secret.name': 'tok',
  'kubernetes.io/serviceaccount/service-account.name': 'robot',
  'kubernetes.io/serviceaccount/service-account.uid': 'robot-uid',
  sub: 'system:serviceaccount:ns:robot',
};

const cryptographic = { name: 'AuthenticationError', message: 'go-jose/go-jose: error in cryptographic primitive' };
const nobodys = { name: 'AuthenticationError', message: 'invalid bearer token' };

t.test('each algorithm verifies what its own key signed, and nothing else', (t) => {
  const keys: readonly SigningKey[] = [rsaKey, ...Object.values(curves).map((pem) => signingKey(pem))];
  for (const key of keys) {
    const jws = parseJws(signJws(bound, key));
    if (jws === undefined) return t.fail('a token of our own cannot be read');
    t.equal(jws.kid, key.kid);
    for (const other of keys) {
      const verification = verifyJws(jws, other);
      t.equal(verification.verified, other === key, `${jws.alg} by ${other.algorithms[0] ?? ''}`);
      if (verification.verified) t.strictSame(verification.claims, bound);
      else t.equal(verification.problem, 'unfit key');
    }
  }
  return t.end();
});

t.test('RSA keys verify all of RS and PS, for who allows it', (t) => {
  for (const [alg, digest] of [
    ['RS384', 'sha384'],
    ['RS512', 'sha512'],
    ['PS256', 'sha256'],
    ['PS384', 'sha384'],
    ['PS512', 'sha512'],
  ] as const) {
    const padding = alg.startsWith('PS') ? 6 : 1;
    const token = forged({ alg }, bound, (signed) =>
      sign(digest, Buffer.from(signed), { key: rsaKey.privateKey, padding }),
    );
    const jws = parseJws(token);
    if (jws === undefined) return t.fail('a token cannot be read');
    t.ok(verifyJws(jws, rsaKey).verified, alg);
    t.strictSame(verifyJws(jws, rsaKey, ['RS256', 'ES256']), { verified: false, problem: 'unsupported algorithm' });
  }
  return t.end();
});

t.test('what is not a compact JWS of a JSON object is no token', (t) => {
  const good = signJws(bound, rsaKey);
  const [header = '', payload = '', signature = ''] = good.split('.');
  const bad: Readonly<Record<string, string>> = {
    empty: '',
    'one part': header,
    'two parts': `${header}.${payload}`,
    'four parts': `${good}.`,
    'a sea of dots': '.'.repeat(100_000),
    padding: `${header}.${payload}.${signature}=`,
    'a line break': `${header}.${payload}\n.${signature}`,
    'digits of plain base64': `${header}.${payload}.${signature.replace(/^./, '+')}`,
    'bits left over': `${header}.${payload}.${signature.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))}`,
    'a header that is a list': `${part([])}.${payload}.${signature}`,
    'a header without an algorithm': `${part({ kid: 'x' })}.${payload}.${signature}`,
    'an algorithm that is no text': `${part({ alg: ['RS256'] })}.${payload}.${signature}`,
    'a key that is no text': `${part({ alg: 'RS256', kid: 3 })}.${payload}.${signature}`,
    'an algorithm twice': `${part('{"alg":"RS256","alg":"none"}')}.${payload}.${signature}`,
    'a claim twice': `${header}.${part('{"iss":"a","iss":"b"}')}.${signature}`,
    'a claim twice, deeper': `${header}.${part('{"a":[{"b":1,"b":2}]}')}.${signature}`,
    'bytes that are no text': `${header}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.${signature}`,
    'a byte order mark': `${header}.${part('\ufeff{}')}.${signature}`,
    'the JSON form': JSON.stringify({ protected: header, payload, signature }),
    'too long': `${header}.${part({ ...bound, more: 'x'.repeat(tokenLengthMax) })}.${signature}`,
  };
  for (const [name, token] of Object.entries(bad)) t.equal(parseJws(token), undefined, name);
  t.equal(unverifiedIssuer(good), issuer);
  t.equal(unverifiedIssuer(`!.${payload}.!`), issuer, 'the issuer decides whose token it is, also of a broken one');
  t.equal(unverifiedIssuer(`${header}.${part({ iss: 3 })}.`), undefined);
  t.equal(unverifiedIssuer('x'), undefined);
  const deep = parseJws(`${header}.${part(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)}.${signature}`);
  t.ok(deep, 'depth alone breaks nothing');
  t.equal(parseJws(forged('{"alg":"RS256","__proto__":{"kid":"x"}}', {}))?.kid, '');
  t.end();
});

t.test('keys are published and read back, and those that sign no tokens are refused', (t) => {
  for (const key of [rsaKey, ...Object.values(curves).map((pem) => signingKey(pem))]) {
    const jwk = jwkOf(key);
    const read = keyOfJwk(JSON.parse(JSON.stringify(jwk)));
    t.equal(read?.kid, key.kid);
    t.strictSame(read?.algorithms, [jwk.alg]);
    t.ok(read?.publicKey.equals(key.publicKey));
    t.notMatch(Object.keys(jwk), ['d'], 'nothing private');
    t.strictSame(
      Object.keys(jwk),
      jwk.kty === 'RSA' ? ['use', 'kty', 'kid', 'alg', 'n', 'e'] : ['use', 'kty', 'kid', 'crv', 'alg', 'x', 'y'],
    );
  }
  const jwk = jwkOf(rsaKey) as unknown as JsonObject;
  const unfit: readonly unknown[] = [
    null,
    'x',
    {},
    { ...jwk, use: 'enc' },
    { ...jwk, alg: 'HS256' },
    { ...jwk, alg: 'ES256' },
    { ...jwk, n: 3 },
    { kty: 'oct', k: 'AAAA' },
    { kty: 'EC', crv: 'secp256k1', x: 'AA', y: 'AA' },
  ];
  for (const each of unfit) t.equal(keyOfJwk(each), undefined, JSON.stringify(each).slice(0, 40));
  t.equal(keyOfJwk({ ...jwk, kid: undefined })?.kid, '');
  t.throws(() => verificationKey(generateKeyPairSync('ed25519').publicKey), {
    name: 'TypeError',
    message: 'keys of type ed25519 sign no tokens',
  });
  t.throws(() => verificationKey(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey), {
    message: 'keys of type ec secp256k1 sign no tokens',
  });
  t.throws(() => verificationKey(generateKeyPairSync('rsa', { modulusLength: 512 }).publicKey), {
    message: 'RSA keys of 512 bits sign no tokens',
  });
  t.end();
});

t.test('registered claims are read by their types', (t) => {
  t.strictSame(registeredClaims({ iss: 'i', sub: 's', aud: 'a', exp: 1.9, nbf: -1, iat: null, jti: 'j' }), {
    issuer: 'i',
    subject: 's',
    audiences: ['a'],
    id: 'j',
    expiry: 1,
    notBefore: -1,
  });
  t.strictSame(registeredClaims({}), { issuer: '', subject: '', audiences: [], id: '' });
  for (const wrong of [
    { iss: 1 },
    { sub: [] },
    { jti: {} },
    { aud: 3 },
    { aud: ['a', 3] },
    { exp: '1' },
    { nbf: true },
    { iat: {} },
  ] as const)
    t.equal(registeredClaims(wrong), undefined, JSON.stringify(wrong));
  t.end();
});

t.test('key files hold any number of keys of any form', (t) => {
  const authority = createAuthority({ now: start * 1000 });
  const publicPem = rsaKey.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
  const keys = serviceAccountKeys({
    signing: curves.ES256,
    verification: [`a comment\n${publicPem}${parameters}${otherRsa}`, authority.certificate],
  });
  t.strictSame(
    keys.verification.map(({ algorithms: [first] }) => first),
    ['RS256', 'RS256', 'ES256', 'ES256'],
  );
  t.equal(keys.verification[0]?.kid, rsaKey.kid);
  t.equal(keys.candidates('').length, 4);
  t.strictSame(
    keys.candidates(rsaKey.kid).map(({ kid }) => kid),
    [rsaKey.kid],
  );
  t.strictSame(keys.candidates('unknown'), []);
  t.equal(serviceAccountKeys({ signing: rsa, verification: [publicPem] }).verification.length, 1, 'one key is one key');
  t.throws(() => serviceAccountKeys({}), { message: 'no keys of service accounts were given' });
  for (const none of ['', parameters, '-----BEGIN PUBLIC KEY-----\nAAAA'])
    t.throws(() => serviceAccountKeys({ verification: [none] }), {
      message: 'data does not contain any valid RSA or ECDSA public keys',
    });
  t.throws(() =>
    serviceAccountKeys({ verification: ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'] }),
  );
  t.throws(() => keys.replace({ signing: 'nonsense' }));
  t.equal(keys.candidates('').length, 4, 'what could not be read replaces nothing');
  t.end();
});

t.test('attacks on the signature are refused', async (t) => {
  const { authenticate } = scene({ signing: rsa, verification: [curves.ES256] });
  const publicPem = rsaKey.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const publicDer = rsaKey.publicKey.export({ type: 'spki', format: 'der' });
  const hmac = (secret: string | Buffer) => (signed: string) => createHmac('sha256', secret).update(signed).digest();
  const { kid } = rsaKey;
  const ec = signingKey(curves.ES256);
  const byRsa =
    (digest: string, padding = 1) =>
    (signed: string) =>
      sign(digest, Buffer.from(signed), { key: rsaKey.privateKey, padding });
  const wrong: Readonly<Record<string, string>> = {
    'alg none': forged({ alg: 'none', kid }, bound),
    'alg None, with a signature': forged({ alg: 'None', kid }, bound, byRsa('sha256')),
    'alg empty': forged({ alg: '', kid }, bound, byRsa('sha256')),
    'the name of a method': forged({ alg: 'constructor', kid }, bound, byRsa('sha256')),
    'HS256 with the public key as its secret': forged({ alg: 'HS256', kid }, bound, hmac(publicPem)),
    'HS256 with its bytes': forged({ alg: 'HS256', kid }, bound, hmac(publicDer)),
    'HS256 under the name of RS256': forged({ alg: 'RS256', kid }, bound, hmac(publicPem)),
    'ES256 for an RSA key': signJws(bound, { ...ec, kid }),
    'RS256 for an elliptic key': signJws(bound, { ...rsaKey, kid: ec.kid }),
    'PS256, which no signer uses': forged({ alg: 'PS256', kid }, bound, byRsa('sha256', 6)),
    'RS512, which no signer uses': forged({ alg: 'RS512', kid }, bound, byRsa('sha512')),
    'something critical': forged({ alg: 'RS256', kid, crit: ['b64'], b64: false }, bound, byRsa('sha256')),
    'nothing critical, but said': forged({ alg: 'RS256', kid, crit: [] }, bound, byRsa('sha256')),
    'a stranger under a known name': signJws(bound, { ...signingKey(otherRsa), kid }),
    'a stranger without a name': signJws(bound, { ...signingKey(otherRsa), kid: '' }),
    'a key of its own in the header': forged({ alg: 'RS256', jwk: jwkOf(signingKey(otherRsa)) }, bound, (signed) =>
      sign('sha256', Buffer.from(signed), signingKey(otherRsa).privateKey),
    ),
    'no signature': forged({ alg: 'RS256', kid }, bound),
    'the zeros of a careless verifier': forged({ alg: 'ES256', kid: ec.kid }, bound, () => Buffer.alloc(64)),
    'an elliptic signature in DER': forged({ alg: 'ES256', kid: ec.kid }, bound, (signed) =>
      sign('sha256', Buffer.from(signed), ec.privateKey),
    ),
  };
  for (const [name, token] of Object.entries(wrong)) await t.rejects(authenticate(token), cryptographic, name);
  await t.rejects(
    authenticate(signJws(bound, signingKey(otherRsa))),
    { message: 'invalid signature, no keys found' },
    'a foreign key',
  );
  for (const none of [
    `${signJws(bound, rsaKey)}.x`,
    JSON.stringify({ payload: part(bound) }),
    signJws({ ...bound, more: 'x'.repeat(tokenLengthMax) }, rsaKey),
  ])
    await t.rejects(authenticate(none), nobodys, 'no token at all');
  t.match(
    await authenticate(signJws(bound, { ...rsaKey, kid: '' })),
    { user: { username: 'system:serviceaccount:ns:robot' } },
    'without a name all keys are tried',
  );
});

t.test('any change of a single byte of a token is refused', async (t) => {
  for (const pem of [rsa, curves.ES256]) {
    const { authenticate } = scene({ signing: pem });
    const token = signJws(bound, signingKey(pem));
    t.ok(await authenticate(token));
    const change = fc
      .record({
        at: fc.nat(token.length - 1),
        to: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      })
      .filter(({ at, to }) => token.charAt(at) !== to);
    await fc.assert(
      fc.asyncProperty(change, async ({ at, to }) => {
        const outcome = await authenticate(`${token.slice(0, at)}${to}${token.slice(at + 1)}`).then(
          () => 'taken',
          () => 'refused',
        );
        return outcome === 'refused';
      }),
      { numRuns: runs(1000) },
    );
  }
});

t.test('a bound token says who it is for whom it is meant', async (t) => {
  const { authenticate } = scene();
  const user = {
    username: 'system:serviceaccount:ns:robot',
    uid: 'robot-uid',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
  };
  const credential = { 'authentication.kubernetes.io/credential-id': ['JTI=an-id'] };
  t.strictSame(await authenticate(signJws(bound, rsaKey)), {
    user: { ...user, extra: credential },
    audiences: [issuer],
  });
  t.strictSame(
    (await authenticate(signJws({ ...bound, aud: issuer, jti: '' }, rsaKey)))?.user,
    user,
    'one audience need be no list, and an id need not be',
  );
  t.strictSame(
    (await authenticate(signJws({ ...bound, aud: ['x', 'y', issuer] }, rsaKey), ['y', 'z', 'x', 'y']))?.audiences,
    ['y', 'x', 'y'],
    'in the order in which they were asked for',
  );
  const whole = await authenticate(
    signJws(boundTo({ pod: { name: 'p', uid: 'pod-uid' }, node: { name: 'n', uid: 'another' } }), rsaKey),
  );
  t.strictSame(whole?.user.extra, {
    ...credential,
    'authentication.kubernetes.io/node-name': ['n'],
    'authentication.kubernetes.io/node-uid': ['another'],
    'authentication.kubernetes.io/pod-name': ['p'],
    'authentication.kubernetes.io/pod-uid': ['pod-uid'],
  });
  t.strictSame(
    (await authenticate(signJws(boundTo({ pod: { name: 'p', uid: 'pod-uid' }, node: { name: 'n' } }), rsaKey)))?.user
      .extra?.['authentication.kubernetes.io/node-uid'],
    undefined,
  );
  t.ok(Object.isFrozen(whole?.user.extra));
  t.match(
    await authenticate(signJws({ ...bound, iss: 'https://older.example' }, rsaKey)),
    { user },
    'the issuer of before counts too',
  );
  await t.rejects(
    authenticate(signJws({ ...bound, iss: `${issuer}/` }, rsaKey)),
    nobodys,
    'an issuer is compared to the letter',
  );
  await t.rejects(authenticate(signJws({ ...bound, iss: [issuer] }, rsaKey)), nobodys);
});

t.test('a token for other audiences is refused, and one without audience is for this server alone', async (t) => {
  const { authenticate } = scene({ signing: rsa }, { apiAudiences: ['api', 'api2'] });
  await t.rejects(authenticate(signJws(bound, rsaKey)), {
    message: `token audiences ["${issuer}"] is invalid for the target audiences ["api" "api2"]`,
  });
  await t.rejects(authenticate(signJws({ ...bound, aud: ['api'] }, rsaKey), ['vault']), {
    message: 'token audiences ["api"] is invalid for the target audiences ["vault"]',
  });
  const { aud: _none, ...unaddressed } = bound;
  for (const claims of [unaddressed, { ...bound, aud: [] }]) {
    const found = await authenticate(signJws(claims, rsaKey));
    t.strictSame(found?.audiences, ['api', 'api2']);
    t.strictSame(found?.annotations, { 'authentication.k8s.io/legacy-token': 'system:serviceaccount:ns:robot' });
    await t.rejects(authenticate(signJws(claims, rsaKey), ['vault']), {
      message: 'token audiences ["api" "api2"] is invalid for the target audiences ["vault"]',
    });
  }
  const nameless = scene({ signing: rsa }, { apiAudiences: [] });
  t.equal(
    (await nameless.authenticate(signJws(bound, rsaKey)))?.audiences,
    undefined,
    'a server without a name asks for none',
  );
});

t.test('times are kept, with a minute to spare', async (t) => {
  const expired = { message: 'service account token has expired' };
  const { authenticate, clock } = scene();
  const token = signJws({ ...bound, exp: start + 600, nbf: start + 60, iat: start + 60 }, rsaKey);
  t.ok(await authenticate(token), 'a minute too early');
  await t.rejects(authenticate(signJws({ ...bound, nbf: start + 61 }, rsaKey)), {
    message: 'service account token is not valid yet',
  });
  await t.rejects(authenticate(signJws({ ...bound, iat: start + 61 }, rsaKey)), {
    message: 'service account token is issued in the future',
  });
  await clock.advanceTo((start + 660) * 1000);
  t.ok(await authenticate(token), 'a minute too late');
  await clock.advance(1);
  await t.rejects(authenticate(token), expired);
  for (const wrong of [
    { exp: '9' },
    { aud: 1 },
    { 'kubernetes.io': 3 },
    { 'kubernetes.io': { namespace: [] } },
    { 'kubernetes.io': { pod: 'p' } },
    { 'kubernetes.io': { warnafter: 'x' } },
  ] as const) {
    await t.rejects(
      authenticate(signJws({ ...bound, exp: start + 9999, ...wrong }, rsaKey)),
      { message: 'service account token claims could not be read' },
      JSON.stringify(wrong),
    );
  }
});

t.test('a token ends with its account and with what it is bound to', async (t) => {
  const invalidated = { message: 'service account token has been invalidated' };
  const kinds = { pod: 'ns', secret: 'ns', node: '' } as const;
  for (const [kind, namespace] of Object.entries(kinds)) {
    const { authenticate, world, clock } = scene();
    const name = kind.charAt(0);
    const token = signJws(boundTo({ [kind]: { name, uid: `${kind}-uid` } }), rsaKey);
    const stored = (metadata: object): void =>
      world.put(`${kind}s`, { metadata: { name, namespace, uid: `${kind}-uid`, ...metadata } });
    t.ok(await authenticate(token), kind);
    stored({ uid: 'another' });
    await t.rejects(authenticate(token), {
      message: `${kind} UID (another) does not match service account ${kind} ref claim (${kind}-uid)`,
    });
    stored({ deletionTimestamp: printTime(clock.now()) });
    await clock.advance(60_000);
    t.ok(await authenticate(token), `${kind}: a minute to say farewell`);
    await clock.advance(1);
    await t.rejects(authenticate(token), invalidated, `${kind}: and no more`);
    world.objects.clear();
    world.put('serviceaccounts', robot);
    await t.rejects(authenticate(token), invalidated, `${kind}: gone`);
    world.broken = `${kind}s`;
    await t.rejects(authenticate(token), invalidated, `${kind}: not to be read`);
    await t.rejects(authenticate(signJws(boundTo({ [kind]: {} }), rsaKey)), invalidated, `${kind}: without a name`);
  }
  const { authenticate, world, clock } = scene();
  const token = signJws(bound, rsaKey);
  world.put('serviceaccounts', { metadata: { ...robot.metadata, uid: 'another' } });
  await t.rejects(authenticate(token), { message: 'service account UID (another) does not match claim (robot-uid)' });
  world.put('serviceaccounts', { metadata: { ...robot.metadata, deletionTimestamp: printTime(clock.now() - 61_000) } });
  await t.rejects(authenticate(token), { message: 'service account ns/robot has been deleted' });
  world.objects.clear();
  await t.rejects(authenticate(token), { message: 'serviceaccounts "robot" not found' });
  world.broken = 'serviceaccounts';
  await t.rejects(authenticate(token), { message: 'the store is away' });
});

t.test('a token in use longer than it was asked for is noted', async (t) => {
  const { authenticate, clock } = scene();
  const token = signJws(boundTo({ warnafter: start + 60 }), rsaKey);
  await clock.advance(60_000);
  t.equal((await authenticate(token))?.annotations, undefined);
  await clock.advance(5_500);
  t.strictSame((await authenticate(token))?.annotations, {
    'authentication.k8s.io/stale-token': 'subject: system:serviceaccount:ns:robot, seconds after warning threshold: 5',
  });
});

t.test('keys rotate without a restart', async (t) => {
  const { authenticate, keys } = scene();
  const [before, next] = [signJws(bound, rsaKey), signJws(bound, signingKey(curves.ES256))];
  await t.rejects(authenticate(next), { message: 'invalid signature, no keys found' });
  keys.replace({ signing: rsa, verification: [curves.ES256] });
  t.ok(await authenticate(next), 'known before it signs');
  keys.replace({ signing: curves.ES256, verification: [rsa] });
  t.ok(await authenticate(before), 'tokens of the old key live on');
  t.equal(keys.signing?.kid, signingKey(curves.ES256).kid);
  keys.replace({ signing: curves.ES256 });
  await t.rejects(authenticate(before), { message: 'invalid signature, no keys found' });
});

t.test('a token of a Secret counts as long as the Secret holds it', async (t) => {
  const invalidated = { message: 'Token has been invalidated' };
  const { authenticate, world, marked, clock } = scene();
  const token = signJws(legacy, rsaKey);
  const stored = (metadata: object = {}, content = token): void =>
    world.put('secrets', {
      metadata: { name: 'tok', namespace: 'ns', uid: 'tok-uid', ...metadata },
      data: { token: encodeBase64(Buffer.from(content)) },
    } as Secret);
  await t.rejects(authenticate(token), invalidated);
  stored();
  t.strictSame(await authenticate(token), {
    user: {
      username: 'system:serviceaccount:ns:robot',
      uid: 'robot-uid',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
    },
    audiences: [issuer, 'https://older.example'],
    annotations: {
      'authentication.k8s.io/legacy-token': 'system:serviceaccount:ns:robot',
      'authentication.k8s.io/legacy-token-manual-secret': 'tok',
    },
  });
  t.strictSame(marked, ['tok 2026-01-01']);
  await clock.advance('400d');
  t.ok(await authenticate(token), 'it never expires');
  stored({ deletionTimestamp: printTime(clock.now()) });
  await t.rejects(authenticate(token), invalidated, 'a Secret that is being deleted holds nothing');
  for (const other of [token.slice(0, -1), `${token} `, '']) {
    stored({}, other);
    await t.rejects(authenticate(token), { message: "Token does not match server's copy" });
  }
  stored();
  world.put('serviceaccounts', { metadata: { ...robot.metadata, uid: 'another' } });
  await t.rejects(authenticate(token), { message: 'ServiceAccount UID (another) does not match claim (robot-uid)' });
  world.put('serviceaccounts', { metadata: { ...robot.metadata, deletionTimestamp: printTime(clock.now()) } });
  await t.rejects(authenticate(token), { message: 'ServiceAccount ns/robot has been deleted' });
  world.objects.delete('serviceaccounts/ns/robot');
  await t.rejects(authenticate(token), { message: 'serviceaccounts "robot" not found' });
  world.broken = 'secrets';
  await t.rejects(authenticate(token), invalidated);
});

t.test('tokens of Secrets are noted by the day, warned of, and can be switched off', async (t) => {
  const { authenticate, world, marked } = scene();
  const token = signJws(legacy, rsaKey);
  const stored = (labels: Record<string, string>): void =>
    world.put('secrets', {
      metadata: { name: 'tok', namespace: 'ns', labels },
      data: { token: encodeBase64(Buffer.from(token)) },
    } as Secret);
  for (const day of ['2026-01-01', '2026-01-02']) {
    stored({ 'kubernetes.io/legacy-token-last-used': day });
    t.ok(await authenticate(token));
  }
  t.strictSame(marked, [], 'today, or by a clock that is ahead');
  stored({ 'kubernetes.io/legacy-token-last-used': '2025-12-31' });
  world.put('serviceaccounts', { ...robot, secrets: [{ name: 'tok' }] } as ServiceAccount);
  t.match(await authenticate(token), {
    warnings: [
      'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
    ],
    annotations: { 'authentication.k8s.io/legacy-token-autogenerated-secret': 'tok' },
  });
  t.strictSame(marked, ['tok 2026-01-01']);
  stored({ 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' });
  await t.rejects(authenticate(token), {
    message:
      "the token in secret ns/tok for service account ns/robot has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token",
  });
  const failing = scene({ signing: rsa }, { markUsed: () => Promise.reject(new Error('read only')) });
  failing.world.put('secrets', {
    metadata: { name: 'tok', namespace: 'ns' },
    data: { token: encodeBase64(Buffer.from(token)) },
  } as Secret);
  t.ok(await failing.authenticate(token), 'a failure to write the label does not reject the token');
});

t.test('what a token of a Secret must say', async (t) => {
  const { authenticate } = scene({ signing: rsa }, { lookup: false });
  t.match(
    await authenticate(signJws(legacy, rsaKey)),
    { user: { uid: 'robot-uid' } },
    'without a look-up the signature is enough',
  );
  const prefix = 'kubernetes.io/serviceaccount';
  const wrong: readonly (readonly [JsonObject, string])[] = [
    [{ sub: '' }, 'sub claim is missing'],
    [{ [`${prefix}/namespace`]: '' }, 'namespace claim is missing'],
    [{ [`${prefix}/secret.name`]: '' }, 'secretName claim is missing'],
    [{ [`${prefix}/service-account.name`]: null }, 'serviceAccountName claim is missing'],
    [{ [`${prefix}/service-account.uid`]: '' }, 'serviceAccountUID claim is missing'],
    [{ [`${prefix}/service-account.uid`]: 3 }, 'service account token claims could not be read'],
    [{ sub: 'system:serviceaccount:ns:another' }, 'sub claim is invalid'],
    [{ sub: 'system:serviceaccount:other:robot' }, 'sub claim is invalid'],
    [{ sub: 'robot' }, 'sub claim is invalid'],
    [{ aud: ['x'] }, `token audiences ["x"] is invalid for the target audiences ["${issuer}" "https://older.example"]`],
  ];
  for (const [claims, message] of wrong)
    await t.rejects(authenticate(signJws({ ...legacy, ...claims }, rsaKey)), { message });
  await t.rejects(
    authenticate(signJws({ ...bound, iss: 'kubernetes/serviceaccount' }, rsaKey)),
    { message: 'namespace claim is missing' },
    'a bound token is not taken for one',
  );
});

const account: Frozen<ServiceAccount> = { metadata: { name: 'robot', namespace: 'ns', uid: 'robot-uid' } };

function issuerWith(options: Partial<TokenIssuerOptions> = {}): TokenIssuer {
  return tokenIssuer({
    keys: serviceAccountKeys({ signing: rsa }),
    issuer,
    clock: virtualClock(),
    random: random(1),
    ...options,
  });
}

/** The claims of a token, none of which are checked. */
function claimsOf(token: string): JsonObject {
  return parseJws(token)?.unverified ?? {};
}

function credentialOf(token: string): string {
  return `JTI=${claimsOf(token).jti as string}`;
}

t.test('an issuer writes the claims of Kubernetes', async (t) => {
  const issue = async (
    subject: Partial<TokenSubject> = {},
    options: Partial<TokenIssuerOptions> = {},
  ): Promise<JsonObject> =>
    claimsOf(
      (
        await issuerWith(options).issue({
          serviceAccount: account,
          audiences: [issuer],
          expirationSeconds: 3600,
          ...subject,
        })
      ).token,
    );
  const pod = { kind: 'Pod', object: { metadata: { name: 'p', uid: 'pod-uid' } } } as const;
  const { jti, ...rest } = await issue();
  t.match(jti, /^[0-9a-f]{8}-/);
  t.strictSame({ ...rest, jti: 'an-id' }, bound);
  t.strictSame(Object.keys(await issue()), ['aud', 'exp', 'iat', 'iss', 'jti', 'kubernetes.io', 'nbf', 'sub']);
  const own = async (...request: Parameters<typeof issue>): Promise<unknown> =>
    (await issue(...request))['kubernetes.io'];
  const serviceaccount = { name: 'robot', uid: 'robot-uid' };
  t.strictSame(await own({ boundTo: { ...pod, node: { name: 'n', uid: 'node-uid' } } }), {
    namespace: 'ns',
    node: { name: 'n', uid: 'node-uid' },
    pod: { name: 'p', uid: 'pod-uid' },
    serviceaccount,
  });
  t.strictSame(await own({ boundTo: { ...pod, node: { name: 'n' } } }), {
    namespace: 'ns',
    node: { name: 'n' },
    pod: { name: 'p', uid: 'pod-uid' },
    serviceaccount,
  });
  t.strictSame(await own({ boundTo: { kind: 'Secret', object: { metadata: { name: 's', uid: 'secret-uid' } } } }), {
    namespace: 'ns',
    secret: { name: 's', uid: 'secret-uid' },
    serviceaccount,
  });
  t.strictSame(await own({ boundTo: { kind: 'Node', object: { metadata: { name: 'n', uid: 'node-uid' } } } }), {
    namespace: 'ns',
    node: { name: 'n', uid: 'node-uid' },
    serviceaccount,
  });
  const lives = async (...request: Parameters<typeof issue>): Promise<unknown> => {
    const claims = await issue(...request);
    return [Number(claims.exp) - start, (claims['kubernetes.io'] as JsonObject).warnafter];
  };
  const year = 365 * 24 * 3600;
  t.strictSame(
    await lives({ boundTo: pod, expirationSeconds: 3607 }),
    [year, start + 3607],
    'what kubelets ask for lives for a year',
  );
  t.strictSame(await lives({ boundTo: pod, expirationSeconds: 3608 }), [3608, undefined]);
  t.strictSame(await lives({ expirationSeconds: 3607 }), [3607, undefined], 'only of pods');
  t.strictSame(
    await lives({ boundTo: pod, expirationSeconds: 3607, audiences: [issuer, 'vault'] }),
    [3607, undefined],
    'only for this server',
  );
  t.strictSame(await lives({ boundTo: pod, expirationSeconds: 3607 }, { extendExpiration: false }), [3607, undefined]);
  t.strictSame(
    await lives({ boundTo: pod, expirationSeconds: 7200 }, { maxExpirationSeconds: 3607 }),
    [year, start + 3607],
    'what is shortened to it is it',
  );
});

t.test('an issuer says what it granted', async (t) => {
  const issued = await issuerWith({ maxExpirationSeconds: 7200 }).issue({
    serviceAccount: account,
    audiences: ['x'],
    expirationSeconds: 10_000,
  });
  t.match(issued, {
    expirationSeconds: 7200,
    expirationTimestamp: '2026-01-01T02:00:00Z',
    warnings: ['requested expiration of 10000 seconds shortened to 7200 seconds'],
  });
  t.equal(issued.credentialId, credentialOf(issued.token));
  t.equal(
    (await issuerWith().issue({ serviceAccount: account, audiences: [], expirationSeconds: 600 })).warnings,
    undefined,
  );
  t.strictSame(issuerWith().defaultAudiences, [issuer]);
  t.strictSame(issuerWith({ apiAudiences: ['api'] }).defaultAudiences, ['api']);
  for (const unpublished of [
    'kubernetes/serviceaccount',
    'http://plain.example',
    'https://x.example?a=b',
    'https://x.example#a',
  ])
    t.equal(issuerWith({ issuer: unpublished }).discovery, undefined, unpublished);
  const voiceless = serviceAccountKeys({ verification: [rsa] });
  t.throws(
    () => issuerWith({ keys: voiceless }).issue({ serviceAccount: account, audiences: [], expirationSeconds: 600 }),
    { message: /failed to generate token/ },
  );
  t.throws(() => legacyToken(voiceless, {}, account), { message: 'there is no key to sign tokens with' });
});

interface Cluster {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly keys: ReturnType<typeof serviceAccountKeys>;
  readonly events: AuditEvent[];
  ask(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
  ): Promise<{
    readonly code: number;
    readonly warnings: string;
    readonly headers: Headers;
    readonly body: JsonObject;
  }>;
}

/** A server with tokens, an account, a pod of it on a node, and a pod of another account. */
async function cluster(
  t: Test,
  options: Partial<TokenIssuerOptions> = {},
  more: Partial<ServerOptions> = {},
): Promise<Cluster> {
  const clock = virtualClock();
  const keys = serviceAccountKeys({ signing: rsa, verification: [curves.ES256] });
  const server = createServer({
    store: memoryStore({ clock }),
    clock,
    random: random(1),
    audit: { rules: [{ level: 'Metadata' }] },
    tokens: (tools) => tokenIssuer({ keys, issuer, clock: tools.clock, random: tools.random, ...options }),
    authenticators: ({ reader, clock: time }) => [
      withAuthenticatedGroup(
        bearerTokens([
          (token) => [
            token === 'admin'
              ? { user: { username: 'admin', groups: ['system:masters'] }, audiences: [issuer] }
              : undefined,
          ],
          ...serviceAccountTokens({ keys, issuers: [issuer], reader, clock: time }),
        ]),
      ),
    ],
    ...more,
  });
  t.teardown(() => server.close());
  const events: AuditEvent[] = [];
  server.audit$.subscribe((event) => events.push(event));
  const handle = fetchHandler(server, { clock, random: random(2) });
  const client = inProcessClient(server.handler, { user: { username: 'admin', groups: ['system:masters'] } });
  await client.kind('v1', 'Namespace').create({ metadata: { name: 'ns' } });
  await client
    .kind('v1', 'ServiceAccount')
    .in('ns')
    .create({ metadata: { name: 'robot' } });
  await client.kind('v1', 'Node').create({ metadata: { name: 'n' } });
  const containers = [{ name: 'c', image: 'i' }];
  await client
    .kind('v1', 'Pod')
    .in('ns')
    .create({ metadata: { name: 'p' }, spec: { containers, serviceAccountName: 'robot', nodeName: 'n' } });
  await client
    .kind('v1', 'Pod')
    .in('ns')
    .create({ metadata: { name: 'lost' }, spec: { containers, serviceAccountName: 'robot', nodeName: 'gone' } });
  await client
    .kind('v1', 'Pod')
    .in('ns')
    .create({ metadata: { name: 'foreign' }, spec: { containers, serviceAccountName: 'other' } });
  await client
    .kind('v1', 'Secret')
    .in('ns')
    .create({ metadata: { name: 's' } });
  return {
    clock,
    client,
    keys,
    events,
    ask: async (method, path, body, token = 'admin') => {
      const headers = {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      };
      const response = await handle(
        new Request(`http://x${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }),
        { remoteAddress: '127.0.0.1' },
      );
      return {
        code: response.status,
        warnings: response.headers.get('Warning') ?? '',
        headers: response.headers,
        body: (await response.json()) as JsonObject,
      };
    },
  };
}

const tokenPath = '/api/v1/namespaces/ns/serviceaccounts/robot/token';
const reviewPath = '/apis/authentication.k8s.io/v1/tokenreviews';

t.test('a token request is checked in the order of a real server', async (t) => {
  const { ask, client } = await cluster(t);
  const { metadata } = await client.kind('v1', 'ServiceAccount').in('ns').get('robot');
  const nobody = tokenPath.replace('robot', 'nobody');
  const ref = (boundObjectRef: object): object => ({ spec: { boundObjectRef } });
  const prefix = 'TokenRequest.authentication.k8s.io';
  const refused: readonly (readonly [path: string, body: object, code: number, message: string])[] = [
    [
      tokenPath,
      { metadata: { namespace: 'x', name: 'x' } },
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      nobody,
      { metadata: { name: 'x' } },
      422,
      `${prefix} "nobody" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified`,
    ],
    [nobody, { spec: { expirationSeconds: 1 } }, 404, 'serviceaccounts "nobody" not found'],
    [
      tokenPath,
      { metadata: { uid: 'x' }, spec: { expirationSeconds: 1 } },
      409,
      `Operation cannot be fulfilled on ${prefix} "robot": the UID in the token request (x) does not match the UID of the service account (${metadata.uid})`,
    ],
    [
      tokenPath,
      { spec: { expirationSeconds: 599 } },
      422,
      `${prefix} "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes`,
    ],
    [
      tokenPath,
      { spec: { expirationSeconds: 0, boundObjectRef: {} } },
      422,
      `${prefix} "" is invalid: spec.expirationSeconds: Invalid value: 0: may not specify a duration less than 10 minutes`,
    ],
    [
      tokenPath,
      { spec: { expirationSeconds: 2 ** 32 + 1 } },
      422,
      `${prefix} "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds`,
    ],
    [tokenPath, ref({}), 400, 'cannot bind token to object of type /, Kind='],
    [
      tokenPath,
      ref({ kind: 'ConfigMap', apiVersion: 'v1', name: 'x' }),
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    [
      tokenPath,
      ref({ kind: 'Pod', apiVersion: 'apps/v1', name: 'p' }),
      400,
      'cannot bind token to object of type apps/v1, Kind=Pod',
    ],
    [
      tokenPath,
      ref({ kind: 'constructor', apiVersion: 'v1', name: 'p' }),
      400,
      'cannot bind token to object of type /v1, Kind=constructor',
    ],
    [tokenPath, ref({ kind: 'Secret', apiVersion: 'v1' }), 400, 'Name parameter required.'],
    [
      tokenPath,
      ref({ kind: 'Pod', apiVersion: 'v1', name: '../ns/p' }),
      400,
      'Name parameter invalid: "../ns/p": may not contain \'/\'',
    ],
    [
      tokenPath,
      ref({ kind: 'Node', apiVersion: 'v1', name: '..' }),
      400,
      'Name parameter invalid: "..": may not be \'..\'',
    ],
    [tokenPath, ref({ kind: 'Pod', apiVersion: 'v2', name: 'nope' }), 404, 'pods "nope" not found'],
    [tokenPath, ref({ kind: 'Node', apiVersion: 'v1', name: 'nope' }), 404, 'nodes "nope" not found'],
    [tokenPath, ref({ kind: 'Secret', apiVersion: 'v1', name: 'nope' }), 404, 'secrets "nope" not found'],
    [
      tokenPath,
      ref({ kind: 'Pod', apiVersion: 'v1', name: 'foreign', uid: 'z' }),
      400,
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ],
    [
      tokenPath,
      ref({ kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'z' }),
      409,
      'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (z) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      tokenPath,
      { kind: 'Pod', apiVersion: 'v1' },
      400,
      'Pod in version "v1" cannot be handled as a TokenRequest: converting (v1.Pod) to (authentication.TokenRequest): unknown conversion',
    ],
  ];
  for (const [path, body, code, message] of refused) {
    const answer = await ask('POST', path, body);
    t.strictSame([answer.code, answer.body.message], [code, message]);
  }
  t.strictSame(
    (await ask('POST', tokenPath, ref({ kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'z' }))).body.details,
    { name: 'p', kind: 'Pod' },
  );
  t.equal((await ask('GET', tokenPath)).code, 405);
});

t.test('a token request is answered with itself, complete, and the token works', async (t) => {
  const { ask, client, events } = await cluster(t, { maxExpirationSeconds: 7200 });
  const { uid } = (await client.kind('v1', 'ServiceAccount').in('ns').get('robot')).metadata;
  const { code, body } = await ask('POST', tokenPath, {
    metadata: { labels: { a: 'b' }, creationTimestamp: '2001-01-01T00:00:00Z' },
    status: { token: 'x' },
  });
  t.equal(code, 201);
  const { token } = body.status as { readonly token: string };
  t.strictSame(body, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: 'robot', namespace: 'ns', uid, creationTimestamp: '2026-01-01T00:00:00Z', labels: { a: 'b' } },
    spec: { audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null },
    status: { token, expirationTimestamp: '2026-01-01T01:00:00Z' },
  });
  const credential = credentialOf(token);
  t.match(events.at(-1), {
    objectRef: { subresource: 'token' },
    annotations: { 'authentication.kubernetes.io/issued-credential-id': credential },
  });
  t.notMatch(JSON.stringify(events), token, 'a log is no place for tokens');
  t.match((await ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, token)).body.status, {
    userInfo: {
      username: 'system:serviceaccount:ns:robot',
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [credential] },
    },
  });
  const shortened = await ask('POST', tokenPath, {
    spec: { expirationSeconds: 10_000, audiences: ['vault', 'vault'] },
  });
  t.match(shortened.warnings, 'requested expiration of 10000 seconds shortened to 7200 seconds');
  t.match(shortened.body, {
    spec: { expirationSeconds: 7200, audiences: ['vault', 'vault'] },
    status: { expirationTimestamp: '2026-01-01T02:00:00Z' },
  });
  const elsewhere = (shortened.body.status as { readonly token: string }).token;
  t.equal((await ask('GET', '/api/v1/nodes', undefined, elsewhere)).code, 401, 'a token for others is none here');
});

t.test('tokens for pods name the node, and end with the pod', async (t) => {
  const { ask, client } = await cluster(t);
  const issue = async (kind: string, name: string): Promise<string> => {
    const { body } = await ask('POST', tokenPath, {
      spec: { expirationSeconds: 3607, boundObjectRef: { kind, apiVersion: 'v1', name } },
    });
    t.match(body, { spec: { expirationSeconds: 3607 }, status: { expirationTimestamp: '2026-01-01T01:00:07Z' } });
    return (body.status as { readonly token: string }).token;
  };
  const { uid } = (await client.kind('v1', 'Node').get('n')).metadata;
  const token = await issue('Pod', 'p');
  t.match(claimsOf(token), {
    exp: start + 365 * 24 * 3600,
    'kubernetes.io': { node: { name: 'n', uid }, pod: { name: 'p' }, warnafter: start + 3607 },
  });
  t.strictSame((claimsOf(await issue('Pod', 'lost'))['kubernetes.io'] as JsonObject).node, { name: 'gone' });
  const ofSecret = await issue('Secret', 's');
  const ofNode = await issue('Node', 'n');
  const works = async (each: string): Promise<number> => (await ask('GET', '/api/v1/nodes', undefined, each)).code;
  for (const each of [token, ofSecret, ofNode]) t.equal(await works(each), 200);
  await client.kind('v1', 'Pod').in('ns').delete('p', { gracePeriodSeconds: 0 });
  await client.kind('v1', 'Secret').in('ns').delete('s');
  await client.kind('v1', 'Node').delete('n');
  for (const each of [token, ofSecret, ofNode]) t.equal(await works(each), 401);
});

t.test('mutating and validating admission see the token request', async (t) => {
  const seen: string[] = [];
  const { ask } = await cluster(
    t,
    {},
    {
      admission: [
        {
          name: 'shortener',
          handles: { operations: ['CREATE'], resources: ['serviceaccounts'], subresources: ['token'] },
          mutate: ({ kind, object }) => {
            seen.push(`mutate ${kind.kind}`);
            return { ...object, spec: { expirationSeconds: 700 } };
          },
          validate: ({ kind, object }) => {
            seen.push(`validate ${kind.kind} ${String((object as TokenRequest).spec?.expirationSeconds)}`);
          },
        },
      ],
    },
  );
  t.equal((await ask('POST', tokenPath, {})).code, 201);
  t.strictSame(seen, ['mutate TokenRequest', 'validate TokenRequest 700']);
});

t.test('reviews of tokens say for whom they are', async (t) => {
  const { ask, client } = await cluster(t);
  const requested = await ask('POST', tokenPath, { spec: { audiences: [issuer, 'vault'] } });
  const { token } = requested.body.status as { readonly token: string };
  const review = async (spec: object): Promise<unknown> => (await ask('POST', reviewPath, { spec })).body.status;
  const user = {
    username: 'system:serviceaccount:ns:robot',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
  };
  t.match(await review({ token }), { authenticated: true, user, audiences: [issuer] });
  t.match(await review({ token, audiences: [] }), { authenticated: true, audiences: [issuer] });
  t.match(await review({ token, audiences: ['x', 'vault'] }), { authenticated: true, audiences: ['vault'] });
  t.strictSame(await review({ token, audiences: ['x'] }), {
    user: {},
    error: `[invalid bearer token, token audiences ["${issuer}" "vault"] is invalid for the target audiences ["x"]]`,
  });
  t.strictSame(await review({ token: 'x y' }), { user: {}, error: 'invalid bearer token' });
  for (const body of [{}, { spec: {} }, { spec: { token: '' } }])
    t.match(await ask('POST', reviewPath, body), {
      code: 400,
      body: { message: 'token is required for TokenReview in authentication' },
    });
  t.match(
    await ask('POST', reviewPath, { spec: { token: 'admin', audiences: ['x'] } }),
    { code: 500, body: { message: 'Internal error occurred: error validating audiences' } },
    'an authenticator that does not mind audiences is broken',
  );
  await client.kind('v1', 'ServiceAccount').in('ns').delete('robot');
  t.strictSame(await review({ token }), {
    user: {},
    error: '[invalid bearer token, serviceaccounts "robot" not found]',
  });
});

t.test('strangers find the keys', async (t) => {
  const { ask, keys } = await cluster(t, {}, { serverAddress: 'api.example:6443' });
  const configuration = await ask('GET', '/.well-known/openid-configuration');
  t.equal(configuration.headers.get('Content-Type'), 'application/json');
  t.equal(configuration.headers.get('Cache-Control'), 'public, max-age=3600');
  t.strictSame(
    JSON.stringify(configuration.body),
    JSON.stringify({
      issuer,
      jwks_uri: 'https://api.example:6443/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    }),
  );
  const published = await ask('GET', '/openid/v1/jwks');
  t.equal(published.headers.get('Content-Type'), 'application/jwk-set+json');
  t.equal(published.headers.get('Cache-Control'), 'public, max-age=3600');
  t.strictSame(published.body, { keys: keys.verification.map(jwkOf) });
  const { body } = await ask('POST', tokenPath, {});
  const jws = parseJws((body.status as { readonly token: string }).token);
  const key = (published.body.keys as readonly unknown[]).map(keyOfJwk).find((each) => each?.kid === jws?.kid);
  t.ok(jws && key && verifyJws(jws, key).verified, 'and can verify tokens by them');
  keys.replace({ signing: rsa });
  t.strictSame((await ask('GET', '/openid/v1/jwks')).body, { keys: [jwkOf(rsaKey)] }, 'the keys of now');
  t.equal((await ask('POST', '/openid/v1/jwks', {})).code, 405);
  const nowhere = await cluster(t);
  t.match((await nowhere.ask('GET', '/.well-known/openid-configuration')).body, {
    jwks_uri: `${issuer}/openid/v1/jwks`,
  });
  const own = await cluster(t, { jwksUri: 'https://keys.example/jwks' });
  t.match((await own.ask('GET', '/.well-known/openid-configuration')).body, { jwks_uri: 'https://keys.example/jwks' });
  const paths = (await ask('GET', '/')).body.paths as readonly string[];
  t.ok(paths.includes('/openid/v1/jwks') && paths.includes('/.well-known/openid-configuration'));
});

const tokenSecret = (name: string, annotations: Record<string, string> = {}): Secret => ({
  type: 'kubernetes.io/service-account-token',
  metadata: { name, annotations: { 'kubernetes.io/service-account.name': 'robot', ...annotations } },
});

/** What the tokens controller emits besides `reconciled`. */
type DidToSecrets = Exclude<ServiceAccountSecretsActivity, { readonly type: 'reconciled' }>;
const didTo =
  (outcomes: DidToSecrets[]) =>
  (activity: ServiceAccountSecretsActivity): void => {
    if (activity.type !== 'reconciled') outcomes.push(activity);
  };

t.test('the tokens controller fills Secrets, and the tokens work', async (t) => {
  const { ask, client, clock, keys } = await cluster(t);
  const outcomes: DidToSecrets[] = [];
  const running = serviceAccountSecrets({
    client,
    clock,
    random: random(3),
    rootCa: () => 'the authority',
    sign: (secret, of) => legacyToken(keys, secret, of),
  })
    .run()
    .subscribe(didTo(outcomes));
  const secrets = client.kind('v1', 'Secret').in('ns');
  await secrets.create(tokenSecret('tok'));
  await clock.settled();
  const filled = await secrets.get('tok');
  const { uid } = (await client.kind('v1', 'ServiceAccount').in('ns').get('robot')).metadata;
  const text = (key: string): string => Buffer.from(filled.data?.[key] ?? '', 'base64').toString();
  t.match(filled.metadata.annotations, {
    'kubernetes.io/service-account.name': 'robot',
    'kubernetes.io/service-account.uid': uid,
  });
  t.strictSame([text('ca.crt'), text('namespace')], ['the authority', 'ns']);
  t.match((await ask('POST', reviewPath, { spec: { token: text('token') } })).body.status, {
    authenticated: true,
    user: { username: 'system:serviceaccount:ns:robot', uid },
  });
  t.strictSame(
    outcomes,
    [{ type: 'filled', secret: { namespace: 'ns', name: 'tok' } }],
    'its own write is no reason for another',
  );
  await secrets.update({ ...filled, data: { ...filled.data, 'ca.crt': encodeBase64(Buffer.from('another')) } });
  await clock.settled();
  t.strictSame((await secrets.get('tok')).data, filled.data, 'the authority is put back, the token stays');
  await secrets.create({ metadata: { name: 'plain' } });
  await clock.settled();
  t.equal((await secrets.get('plain')).data, undefined, 'other Secrets are left alone');
  running.unsubscribe();
  await clock.settled();
  t.equal(clock.pending, 0, 'nothing is left behind');
});

t.test('the tokens controller clears away what has no account', async (t) => {
  const { client, clock } = await cluster(t);
  const [secrets, accounts] = [client.kind('v1', 'Secret').in('ns'), client.kind('v1', 'ServiceAccount').in('ns')];
  await secrets.create(tokenSecret('of-nobody', { 'kubernetes.io/service-account.name': 'nobody' }));
  await secrets.create(tokenSecret('of-another', { 'kubernetes.io/service-account.uid': 'before' }));
  await secrets.create(tokenSecret('tok'));
  const outcomes: DidToSecrets[] = [];
  const running = serviceAccountSecrets({
    client,
    clock,
    random: random(3),
    sign: () => Promise.resolve('a-token'),
  })
    .run()
    .subscribe(didTo(outcomes));
  await clock.settled();
  const names = async (): Promise<readonly string[]> =>
    (await secrets.list({ fieldSelector: 'type=kubernetes.io/service-account-token' })).items.map(
      ({ metadata }) => metadata.name,
    );
  t.strictSame(await names(), ['tok'], 'also one created while no controller ran');
  t.equal((await secrets.get('tok')).data?.['ca.crt'], undefined, 'no authority, none');
  await secrets.create(tokenSecret('second'));
  const robotAccount = await accounts.get('robot');
  await accounts.update({ ...robotAccount, secrets: [{ name: 'second' }, { name: 'tok' }] });
  await clock.settled();
  await secrets.delete('second');
  await clock.settled();
  t.strictSame((await accounts.get('robot')).secrets, [{ name: 'tok' }]);
  await accounts.delete('robot');
  await clock.settled();
  t.strictSame(await names(), []);
  t.strictSame(outcomes.map((did) => `${did.type} ${'secret' in did ? did.secret.name : ''}`).sort(), [
    'deleted of-another',
    'deleted of-nobody',
    'deleted tok',
    'filled second',
    'filled tok',
    'unlisted second',
  ]);
  running.unsubscribe();
});

t.test('the tokens controller tries again, and says so', async (t) => {
  const { client, clock } = await cluster(t);
  let fails = 2;
  const outcomes: DidToSecrets[] = [];
  const sign = (): string => {
    fails -= 1;
    if (fails >= 0) throw new Error('no key yet');
    return 'a-token';
  };
  const running = serviceAccountSecrets({ client, clock, random: random(3), sign })
    .run()
    .subscribe(didTo(outcomes));
  await client.kind('v1', 'Secret').in('ns').create(tokenSecret('tok'));
  await clock.advance(100);
  t.match(outcomes, [
    { type: 'failed', error: { message: 'no key yet' }, retryInMs: 5 },
    { type: 'failed', retryInMs: 10 },
    { type: 'filled' },
  ]);
  running.unsubscribe();
});

t.test('a server without an issuer has no tokens to give', async (t) => {
  const clock = virtualClock();
  const server = createServer({ store: memoryStore({ clock }), clock, random: random(1) });
  const client = inProcessClient(server.handler);
  await client
    .kind('v1', 'ServiceAccount')
    .in('default')
    .create({ metadata: { name: 'robot' } });
  const refusal = await client
    .kind('v1', 'ServiceAccount')
    .in('default')
    .subresource('token')
    .create('robot', {})
    .catch((error: unknown) => error);
  t.ok(isApiError(refusal, 'NotFound'));
  await server.close();
});
