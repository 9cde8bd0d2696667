// Attacks on authentication and authorization, one test for each class, on a whole server and mostly over the wire.
// Each has to be refused with the code and the message of a real server, leave the store as it was, be recorded in the
// audit log, and reveal no secret.
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import {
  bearerTokens,
  isSameSecret,
  orAnonymous,
  tokenFile,
  webhookAuthorizer,
  webhookTokens,
  withAuthenticatedGroup,
} from '../../lib/auth/index.js';
import { signJws, signingKey } from '../../lib/auth/node/index.js';
import { systemClock } from '../../lib/core/index.js';
import type { Clock, JsonObject, ApiRequest } from '../../lib/core/index.js';
import type { PolicyRule } from '../../lib/core/types/index.js';
import { createAuthority } from '../../lib/server/node/index.js';
import { webhookCall } from '../../lib/webhook/index.js';
import type { WebhookCall } from '../../lib/webhook/index.js';
import { nodeWebhookTransport } from '../../lib/webhook/node/index.js';
import {
  accountKey,
  accountPem,
  admin,
  alice,
  bob,
  clients,
  core,
  denied,
  files,
  forbidden,
  forged,
  inDefault,
  issuer,
  part,
  podOn,
  presenting,
  proxies,
  rbac,
  rbacGroup,
  rule,
  scene,
  secret,
  unknown,
  withRobot,
} from '../support/attacked-server.js';
import type { Answer, Question } from '../support/attacked-server.js';
import {
  authority,
  client,
  clientAuth,
  commonName,
  isAuthority,
  isNoAuthority,
  issue,
  now,
  organization,
  purposes,
  serverAuth,
} from '../support/certificates.js';

// Tokens.

t.test('a token cannot choose how it is verified', async (t) => {
  const { scene, claims } = await withRobot(t);
  const { kid } = accountKey;
  const publicKey = createPublicKey(accountPem);
  const asSecret = [
    publicKey.export({ type: 'spki', format: 'pem' }) as string,
    (publicKey.export({ type: 'spki', format: 'pem' }) as string).trim(),
    publicKey.export({ type: 'spki', format: 'der' }),
    JSON.stringify(publicKey.export({ format: 'jwk' })),
    '',
  ];
  for (const [alg, hash] of [
    ['HS256', 'sha256'],
    ['HS384', 'sha384'],
    ['HS512', 'sha512'],
  ] as const) {
    for (const key of asSecret)
      await unknown(
        t,
        scene,
        { as: forged({ alg, kid }, claims, (signed) => createHmac(hash, key).update(signed).digest()) },
        `${alg} with the public key`,
      );
  }
  for (const alg of [
    'none',
    'None',
    'NONE',
    'nOnE',
    '',
    'RS256 ',
    'rs256',
    'HS256,RS256',
    '__proto__',
    'constructor',
  ]) {
    await unknown(t, scene, { as: forged({ alg, kid }, claims) }, `without a signature as ${alg}`);
    await unknown(
      t,
      scene,
      { as: forged({ alg, kid }, claims, (signed) => sign('sha256', Buffer.from(signed), accountPem)) },
      `signed, but as ${alg}`,
    );
  }
  for (const alg of [['RS256'], null, 256, {}, undefined])
    await unknown(
      t,
      scene,
      { as: forged({ alg, kid }, claims, (signed) => sign('sha256', Buffer.from(signed), accountPem)) },
      'an algorithm that is no text',
    );
  for (const [alg, hash] of [
    ['RS384', 'sha384'],
    ['RS512', 'sha512'],
    ['ES256', 'sha256'],
    ['PS256', 'sha256'],
  ] as const)
    await unknown(
      t,
      scene,
      { as: forged({ alg, kid }, claims, (signed) => sign(hash, Buffer.from(signed), accountPem)) },
      `the right key as ${alg}`,
    );
  const pss = forged({ alg: 'PS256', kid }, claims, (signed) =>
    sign('sha256', Buffer.from(signed), { key: accountPem, padding: 6, saltLength: 32 }),
  );
  await unknown(t, scene, { as: pss }, 'PS256, which Kubernetes never signs with');
  const zero = forged({ alg: 'ES256', kid }, claims, () => Buffer.alloc(64));
  await unknown(t, scene, { as: zero }, 'a signature of zeros');
});

t.test('a token cannot bring its own key', async (t) => {
  const { scene, claims } = await withRobot(t);
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ownPem = own.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const byOwn = (signed: string): Buffer => sign('sha256', Buffer.from(signed), ownPem);
  const ownKid = signingKey(ownPem).kid;
  for (const header of [
    { kid: accountKey.kid },
    { kid: ownKid },
    {},
    { kid: '' },
    { kid: '../../../../dev/null' },
    { kid: '__proto__' },
    { kid: ownKid, jwk: own.publicKey.export({ format: 'jwk' }) },
    { jwk: own.publicKey.export({ format: 'jwk' }) },
    { jku: 'https://evil.example/keys', kid: ownKid },
    { x5u: 'https://evil.example/certificate' },
    { x5c: [Buffer.from(client(clients).raw).toString('base64')] },
  ]) {
    await unknown(
      t,
      scene,
      { as: forged({ alg: 'RS256', ...header }, claims, byOwn) },
      JSON.stringify(header).slice(0, 80),
    );
  }
  const right = (signed: string): Buffer => sign('sha256', Buffer.from(signed), accountPem);
  await unknown(
    t,
    scene,
    { as: forged({ alg: 'RS256', kid: ownKid }, claims, right) },
    'the right key under the name of another',
  );
  await unknown(t, scene, { as: forged({ alg: 'RS256', kid: [accountKey.kid] }, claims, right) }, 'a list of keys');
  await unknown(
    t,
    scene,
    { as: forged({ alg: 'RS256', kid: accountKey.kid, crit: ['exp'] }, claims, right) },
    'an unknown critical extension',
  );
  await unknown(
    t,
    scene,
    { as: forged({ alg: 'RS256', b64: false, kid: accountKey.kid, crit: ['b64'] }, claims, right) },
    'a payload that is not encoded',
  );
});

t.test('a token is taken in one form only', async (t) => {
  const { scene, token, claims } = await withRobot(t);
  const [header = '', payload = '', signature = ''] = token.split('.');
  const serialized = JSON.stringify({ protected: header, payload, signature }).replaceAll(' ', '');
  const twice = `${part('{"alg":"RS256","alg":"none"}')}.${payload}.`;
  for (const other of [
    serialized,
    `${token}.`,
    `.${token}`,
    `${token}..`,
    `${header}.${payload}`,
    `${header}.${payload}.`,
    `${token}=`,
    `${header}=.${payload}.${signature}`,
    `${token}%00`,
    twice,
    '.'.repeat(100_000),
    `${header}${'.'.repeat(1000)}`,
  ])
    await unknown(t, scene, { as: other }, other.slice(0, 60));
  const doubled = forged(
    { alg: 'RS256', kid: accountKey.kid },
    JSON.stringify(claims).replace('{', '{"sub":"system:serviceaccount:kube-system:default",'),
    (signed) => sign('sha256', Buffer.from(signed), accountPem),
  );
  await unknown(t, scene, { as: doubled }, 'a claim that is there twice');
});

t.test('a token counts for whom, by whom and when it was meant', async (t) => {
  const { scene, claims } = await withRobot(t);
  const seconds = now / 1000;
  const spoilt = (more: JsonObject): string => signJws({ ...claims, ...more }, accountKey);
  for (const [why, more] of [
    ['for others', { aud: ['https://other.example'] }],
    ['for nearly the same', { aud: [`${issuer}/`] }],
    ['for a text that contains it', { aud: [` ${issuer}`, `${issuer} `, issuer.toUpperCase(), ''] }],
    ['for an object', { aud: { [issuer]: true } }],
    ['for a list of lists', { aud: [[issuer]] }],
    ['expired', { exp: seconds - 61 }],
    ['expired long ago', { exp: 0 }],
    ['expired in text', { exp: `${seconds + 3600}` }],
    ['expired before time began', { exp: -1e300 }],
    ['not yet valid', { nbf: seconds + 61 }],
    ['issued in the future', { iat: seconds + 61 }],
    ['by another issuer', { iss: 'https://other.example' }],
    ['by the issuer with a slash', { iss: `${issuer}/` }],
    ['by the issuer in capitals', { iss: issuer.toUpperCase() }],
    ['by a list of issuers', { iss: [issuer] }],
    ['without issuer', { iss: '' }],
    ['by the legacy issuer, without its claims', { iss: 'kubernetes/serviceaccount' }],
    ['without an account', { 'kubernetes.io': { namespace: 'default' } }],
    [
      'of an account elsewhere',
      {
        'kubernetes.io': {
          namespace: 'kube-system',
          serviceaccount: (claims['kubernetes.io'] as JsonObject).serviceaccount ?? null,
        },
      },
    ],
    [
      'of an account by path',
      {
        'kubernetes.io': {
          namespace: 'kube-system/../default',
          serviceaccount: (claims['kubernetes.io'] as JsonObject).serviceaccount ?? null,
        },
      },
    ],
    ['with claims of the wrong type', { 'kubernetes.io': 'default' }],
  ] as const) {
    await unknown(t, scene, { as: spoilt(more) }, why);
  }
  t.equal(
    (await scene.ask('GET', '/version', { as: spoilt({ exp: seconds - 59, nbf: seconds + 59 }) })).code,
    200,
    'clocks may be a minute apart',
  );
  await scene.clock.advance(3_661_000 + 60_000);
  await unknown(t, scene, { as: spoilt({}) }, 'the good one, an hour later');
});

t.test('the user of a token is the account that its claims name', async (t) => {
  const { scene, claims } = await withRobot(t);
  const boasting = signJws(
    {
      ...claims,
      sub: 'system:admin',
      groups: ['system:masters'],
      'kubernetes.io': { ...(claims['kubernetes.io'] as JsonObject), groups: ['system:masters'] },
    },
    accountKey,
  );
  const { body } = await scene.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    as: boasting,
    body: {},
  });
  t.match(body, {
    status: {
      userInfo: {
        username: 'system:serviceaccount:default:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    },
  });
});

t.test('a token ends with the account, pod, secret or node that it is of', async (t) => {
  const { scene, token } = await withRobot(t);
  const { make, ask, clock, tokenFor } = scene;
  const works = async (as: string, why: string): Promise<void> =>
    void t.equal((await ask('GET', '/version', { as })).code, 200, why);
  const remove = async (path: string, query = ''): Promise<void> =>
    void t.equal((await ask('DELETE', `${path}${query}`, { as: admin })).code, 200, path);
  const past = async (): Promise<void> => clock.advance(10_001);
  await make(`${core}/nodes`, { metadata: { name: 'a' } });
  await make(inDefault('secrets'), secret('s'));
  await make(inDefault('pods'), podOn('p', 'a', { serviceAccountName: 'robot', terminationGracePeriodSeconds: 30 }));
  const bound = async (kind: string, name: string): Promise<string> =>
    tokenFor('robot', { boundObjectRef: { kind, apiVersion: 'v1', name } });
  const [ofPod, ofSecret, ofNode] = [await bound('Pod', 'p'), await bound('Secret', 's'), await bound('Node', 'a')];
  for (const each of [ofPod, ofSecret, ofNode]) await works(each, 'while it is there');

  await remove(inDefault('secrets/s'));
  await make(inDefault('secrets'), secret('s'));
  await past();
  await unknown(t, scene, { as: ofSecret }, 'a Secret of the same name is another');

  await remove(inDefault('pods/p'));
  await past();
  await works(ofPod, 'a pod may say farewell');
  await clock.advance(30_000 + 60_000 + 1000);
  await unknown(t, scene, { as: ofPod }, 'a pod that should have gone a minute ago');
  await remove(inDefault('pods/p'), '?gracePeriodSeconds=0');
  await make(inDefault('pods'), podOn('p', 'a', { serviceAccountName: 'robot' }));
  await unknown(t, scene, { as: ofPod }, 'a pod of the same name is another');

  await remove(`${core}/nodes/a`);
  await make(`${core}/nodes`, { metadata: { name: 'a' } });
  await past();
  await unknown(t, scene, { as: ofNode }, 'a node of the same name is another');

  await works(token, 'all that is nothing to the account');
  await remove(inDefault('serviceaccounts/robot'));
  await past();
  await unknown(t, scene, { as: token }, 'the account is gone');
  await make(inDefault('serviceaccounts'), { metadata: { name: 'robot' } });
  await unknown(t, scene, { as: token }, 'an account of the same name is another');
  await works(await tokenFor('robot'), 'which has tokens of its own');
});

t.test('a token cannot be bound to what is not the account’s', async (t) => {
  const { scene } = await withRobot(t);
  await scene.make(inDefault('pods'), podOn('others', 'a', { serviceAccountName: 'default' }));
  await scene.make(inDefault('serviceaccounts'), { metadata: { name: 'default' } });
  const asking = (spec: JsonObject, metadata: JsonObject = {}): [string, string, Question] => [
    'POST',
    inDefault('serviceaccounts/robot/token'),
    { as: admin, body: { metadata, spec } },
  ];
  await denied(
    t,
    scene,
    asking({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'others' } }),
    400,
    /cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name/,
  );
  await denied(t, scene, asking({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'others', uid: 'x' } }), 400);
  await denied(
    t,
    scene,
    asking({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: '../default/others' } }),
    400,
    /may not contain '\/'/,
  );
  await denied(t, scene, asking({ boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'x' } }), 400);
  await denied(t, scene, asking({}, { name: 'default' }), 422);
  await denied(t, scene, asking({}, { namespace: 'kube-system' }), 400);
});

t.test('bootstrap tokens are taken whole and right, or not at all', async (t) => {
  const made = await scene(t);
  const kept = (id: string, more: Record<string, string> = {}): JsonObject => ({
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      ...more,
    },
  });
  const secrets = `${core}/namespaces/kube-system/secrets`;
  await made.make(secrets, kept('abcdef'));
  t.equal((await made.ask('GET', '/version', { as: 'abcdef.0123456789abcdef' })).code, 200);
  for (const wrong of [
    'abcdef.0123456789abcdeg',
    'abcdef.0123456789abcde',
    'abcdef.0123456789abcdef0',
    'ABCDEF.0123456789abcdef',
    'abcdef.0123456789abcdef.',
    'abcdef.0123456789abcdef.x',
    '.0123456789abcdef',
    'abcdef.',
    '../abc.0123456789abcdef',
  ])
    await unknown(t, made, { as: wrong }, wrong);
  const spoilt: Readonly<Record<string, Record<string, string>>> = {
    badsig: { 'usage-bootstrap-authentication': 'false' },
    badcap: { 'usage-bootstrap-authentication': 'TRUE' },
    expird: { expiration: new Date(now).toISOString() },
    noname: { 'token-id': 'abcdef' },
    master: { 'auth-extra-groups': 'system:masters' },
    second: { 'auth-extra-groups': 'system:bootstrappers:ok,system:masters' },
    notime: { expiration: 'never' },
  };
  for (const [id, more] of Object.entries(spoilt)) {
    await made.make(secrets, kept(id, more));
    await unknown(t, made, { as: `${id}.0123456789abcdef` }, JSON.stringify(more));
  }
  await made.make(inDefault('secrets'), kept('elsewh'));
  await unknown(t, made, { as: 'elsewh.0123456789abcdef' }, 'a Secret of another namespace');
  await made.make(secrets, { ...kept('opaque'), type: 'Opaque' });
  await unknown(t, made, { as: 'opaque.0123456789abcdef' }, 'a Secret of another type');
});

t.test('a token that was taken back is refused after ten seconds at most, and for others at once', async (t) => {
  const { scene, token } = await withRobot(t);
  const review = async (audiences?: readonly string[]): Promise<JsonObject> =>
    (
      await scene.make('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token, ...(audiences && { audiences: [...audiences] }) },
      })
    ).body.status as JsonObject;
  t.match(await review(), { authenticated: true, audiences: [issuer] });
  t.match(
    await review(['https://other.example']),
    { user: {}, error: /token audiences \["https:\/\/issuer.example"\] is invalid for the target audiences/ },
    'what is remembered is remembered for its audiences',
  );
  t.match(await review(), { authenticated: true });
  t.equal((await scene.ask('DELETE', inDefault('serviceaccounts/robot'), { as: admin })).code, 200);
  await scene.clock.advance(9_999);
  t.equal((await scene.ask('GET', '/version', { as: token })).code, 200, 'still remembered');
  await scene.clock.advance(1);
  await unknown(t, scene, { as: token }, 'ten seconds later');
  const { authenticated, error } = await review();
  t.notOk(authenticated);
  t.match(error, /serviceaccounts "robot" not found/, 'a token review reports the reason');
});

t.test('every secret is compared by the one constant-time function', async (t) => {
  // What a comparison costs cannot be tested by time, only what it does: it looks at every place, whatever it found.
  const looks = (one: string, other: string): number => {
    let count = 0;
    const counted = (text: string): string =>
      ({ length: text.length, charCodeAt: (at: number) => (count++, text.charCodeAt(at)) }) as unknown as string;
    isSameSecret(counted(one), counted(other));
    return count;
  };
  const right = 'secret-of-admin';
  const work = [right, 'Xecret-of-admin', 'secret-of-admiX', 'XXXXXXXXXXXXXXX'].map((guess) => looks(right, guess));
  t.strictSame(
    new Set(work),
    new Set([2 * right.length]),
    'equal work for the right one, a nearly right one and a wrong one',
  );
  for (const file of [
    'authentication/credentials-file',
    'authentication/basic-auth',
    'authentication/bootstrap-tokens',
    'node/service-accounts/legacy-tokens',
  ]) {
    t.match(readFileSync(`lib/auth/${file}.ts`, 'utf8'), /(?:isSameSecret|timingSafeEqual)\(/, file);
  }
});

// What requests carry besides.

t.test('headers cannot smuggle anybody in', async (t) => {
  const made = await scene(t);
  const proxied = {
    'X-Remote-User': 'admin',
    'X-Remote-Group': 'system:masters',
    'X-Remote-Uid': '0',
    'X-Remote-Extra-Scopes': 'all',
  };
  const anonymous = /^secrets is forbidden: User "system:anonymous" cannot list resource "secrets"/;
  const list = `${core}/secrets`;
  await forbidden(t, made, ['GET', list, { headers: proxied }], anonymous);
  await forbidden(t, made, ['GET', list, { headers: proxied, verbatim: true }], anonymous);
  await forbidden(
    t,
    made,
    ['GET', list, { as: alice, headers: { ...proxied, 'x-remote-user': 'admin', X_Remote_User: 'admin' } }],
    /User "alice"/,
  );
  await forbidden(
    t,
    made,
    ['GET', list, { headers: proxied, certificate: presenting(client(clients)) }],
    /User "alice"/,
  );
  await unknown(
    t,
    made,
    { headers: proxied, certificate: presenting(client(proxies)) },
    'a certificate for proxies, of no proxy that is allowed',
  );
  const front = client(proxies, { name: [[commonName, 'front']] });
  t.equal(
    (await made.ask('GET', list, { headers: proxied, certificate: presenting(front) })).code,
    200,
    'the proxy is believed',
  );
  for (const cn of ['front ', 'Front', 'front\u0000', 'front,front'])
    await unknown(
      t,
      made,
      { headers: proxied, certificate: presenting(client(proxies, { name: [[commonName, cn]] })) },
      `a proxy called ${JSON.stringify(cn)}`,
    );
  await unknown(t, made, { headers: {}, certificate: presenting(front) }, 'a proxy certificate authenticates no user');

  // Of several headers the first counts, and whatever does not look like a token is none.
  const both = (...values: readonly string[]): Question => ({ verbatim: true, headers: { Authorization: values } });
  await unknown(t, made, both('Bearer wrong', `Bearer ${admin}`), 'the first is wrong');
  await forbidden(t, made, ['GET', list, both(`Bearer ${alice}`, `Bearer ${admin}`)], /User "alice"/);
  await forbidden(t, made, ['GET', list, both(`Bearer ${alice} Bearer ${admin}`)], /User "alice"/);
  await forbidden(t, made, ['GET', list, both(`bEARER ${alice}`)], /User "alice"/);
  await unknown(t, made, both(`Bearer ${alice}, Bearer ${admin}`), 'two tokens in one header');
  await unknown(
    t,
    made,
    { headers: { Authorization: [`Bearer ${alice}`, `Bearer ${admin}`] } },
    'two headers joined into one',
  );
  await unknown(t, made, both(`Bearer "${admin}"`), 'a quoted token');
  for (const none of [`Token ${admin}`, `Bearer  ${admin}`, `Bearer\t${admin}`, `Bearer:${admin}`, admin, 'Bearer'])
    await forbidden(t, made, ['GET', list, both(none)], anonymous);
  await forbidden(t, made, ['GET', `${list}?access_token=${admin}&token=${admin}`], anonymous);
  await forbidden(
    t,
    made,
    [
      'GET',
      list,
      {
        headers: {
          Cookie: `token=${admin}; Authorization=Bearer ${admin}`,
          'X-Authorization': `Bearer ${admin}`,
          'Proxy-Authorization': `Bearer ${admin}`,
        },
      },
    ],
    anonymous,
  );

  const request = (...headers: readonly string[]): Promise<string> =>
    made.say(`GET ${list} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers);
  t.match(await request('Authorization: Bearer wrong', ` Bearer ${admin}`), /^HTTP\/1\.1 4\d\d /, 'a folded header');
  t.match(await request('Authorization : Bearer x'), /^HTTP\/1\.1 400 /, 'a space before the colon');
  t.match(await request(`X-A: b\rAuthorization: Bearer ${admin}`), /^HTTP\/1\.1 4\d\d /, 'a bare carriage return');
  t.match(
    await request(`X-A: b\nAuthorization: Bearer ${admin}`).then((text) => text.split('\r\n')[0]),
    /^HTTP\/1\.1 (200|400) /,
    'a bare line feed ends a line, or nothing does',
  );
  t.match(await request('Content-Length: 5', 'Transfer-Encoding: chunked'), /^HTTP\/1\.1 400 /, 'two lengths');
});

t.test('a WebSocket brings one token', async (t) => {
  const made = await scene(t);
  const carrier = (token: string): string =>
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
  const upgrade = (protocols: string): Promise<string> =>
    made.say(
      `GET ${core}/secrets?watch=true HTTP/1.1`,
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Sec-WebSocket-Protocol: ${protocols}`,
    );
  for (const wrong of [
    `${carrier(alice)}, ${carrier(admin)}, v4`,
    carrier(admin),
    `${carrier('wrong')}, v4`,
    `${carrier(admin)}=, v4`,
    `base64url.bearer.authorization.k8s.io.${admin}, v4`,
  ])
    t.match(await upgrade(wrong), /^HTTP\/1\.1 401 [^]*"message":"Unauthorized"/, wrong.slice(0, 80));
  t.match(await upgrade(`${carrier(alice)}, v4`), /^HTTP\/1\.1 403 [^]*User \\"alice\\" cannot watch/);
  t.match(
    await made.say(
      `GET ${core}/secrets HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Sec-WebSocket-Protocol: ${carrier(admin)}, v4`,
    ),
    /^HTTP\/1\.1 403 [^]*system:anonymous/,
    'without an upgrade it is no token',
  );
});

t.test('a certificate counts with everything that vouches for it', async (t) => {
  const made = await scene(t);
  const master = {
    name: [
      [organization, 'system:masters'],
      [commonName, 'admin'],
    ],
  } as const;
  const good = client(clients, master);
  t.equal((await made.ask('GET', `${core}/secrets`, { certificate: presenting(good) })).code, 200);
  const stranger = authority('stranger');
  const namesake = authority('clients');
  const short = authority('short', { by: clients, extensions: [isAuthority(0)] });
  const below = authority('below', { by: short });
  const leaf = client(clients, { name: [[commonName, 'eve']], extensions: [isNoAuthority()] });
  for (const [why, certificate] of [
    ['of an unknown authority', presenting(client(stranger, master))],
    ['which it brings along', presenting(client(stranger, master), stranger)],
    ['of an authority of the same name', presenting(client(namesake, master), namesake)],
    ['of the authority for proxies', presenting(client(proxies, master))],
    ['signed by itself', presenting(issue({ ...master, extensions: [purposes(clientAuth)] }))],
    ['expired', presenting(client(clients, { ...master, untilMs: now - 1000 }))],
    ['not yet valid', presenting(client(clients, { ...master, fromMs: now + 1000 }))],
    ['for servers', presenting(client(clients, { ...master, extensions: [purposes(serverAuth)] }))],
    ['signed by a client', presenting(client(leaf, master), leaf)],
    ['too far from the root', presenting(client(below, master), below, short)],
    ['unreadable', { raw: good.raw.subarray(0, 100), intermediates: [] }],
  ] as const) {
    await unknown(t, made, { certificate }, why);
  }
  await unknown(
    t,
    made,
    {
      certificate: presenting(client(clients, { ...master, untilMs: now - 1000 })),
      headers: { 'X-Remote-User': 'admin' },
    },
    'headers do not help it',
  );
  t.equal(
    (await made.ask('GET', '/version', { as: alice, certificate: presenting(client(stranger, master)) })).code,
    200,
    'a good token stands beside a bad certificate',
  );
  await forbidden(
    t,
    made,
    ['GET', `${core}/secrets`, { as: alice, certificate: presenting(client(stranger, master)) }],
    /User "alice"/,
  );
});

t.test('wrong credentials are never taken for none', async (t) => {
  const made = await scene(t);
  t.equal((await made.ask('GET', '/version')).code, 200, 'anonymous requests may read the version');
  await forbidden(t, made, ['GET', '/'], 'forbidden: User "system:anonymous" cannot get path "/"');
  await unknown(t, made, { as: 'wrong' }, 'a token');
  await unknown(t, made, { as: 'a.b.c' }, 'a token that looks like one');
  await unknown(
    t,
    made,
    { headers: { Authorization: `Basic ${Buffer.from('paul:wrong').toString('base64')}` } },
    'a password',
  );
  await unknown(
    t,
    made,
    { headers: { Authorization: `Basic ${Buffer.from('nobody:correct-horse-battery').toString('base64')}` } },
    'a name',
  );
  await unknown(
    t,
    made,
    { as: 'wrong', headers: { 'Impersonate-User': 'system:anonymous' } },
    'not even by impersonating the anonymous user',
  );
});

// In whose name.

t.test('impersonation is limited to the granted users and groups', async (t) => {
  const made = await scene(t);
  await made.grant('alice', [
    rule([''], ['users'], ['impersonate'], ['bob']),
    rule([''], ['groups'], ['impersonate'], ['dev']),
    rule(['authentication.k8s.io'], ['userextras/scopes'], ['impersonate'], ['view']),
  ]);
  await made.grant('bob', [rule([''], ['users', 'groups'], ['impersonate'])]);
  await made.make(inDefault('secrets'), secret('s'));
  const list = inDefault('secrets');
  const asAlice = (headers: NonNullable<Question['headers']>): readonly ['GET', string, Question] => [
    'GET',
    list,
    { as: alice, headers },
  ];
  const may = async (headers: NonNullable<Question['headers']>): Promise<unknown> =>
    (await made.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { as: alice, headers, body: {} })).body
      .status;
  t.strictSame(
    await may({ 'Impersonate-User': 'bob', 'Impersonate-Group': 'dev', 'Impersonate-Extra-Scopes': 'view' }),
    { userInfo: { username: 'bob', groups: ['dev', 'system:authenticated'], extra: { scopes: ['view'] } } },
    'what she may',
  );
  const cannot = (what: string): RegExp =>
    new RegExp(`is forbidden: User "alice" cannot impersonate resource "${what}"`);
  for (const [headers, what] of [
    [{ 'Impersonate-User': 'admin' }, 'users'],
    [{ 'Impersonate-User': 'Bob' }, 'users'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Group': 'system:masters' }, 'groups'],
    [{ 'impersonate-user': 'bob', 'IMPERSONATE-GROUP': 'system:masters' }, 'groups'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Group': ['dev', 'system:masters'] }, 'groups'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Group': 'system:nodes' }, 'groups'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Uid': 'u-admin' }, 'uids'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Extra-Scopes': ['view', 'all'] }, 'userextras/scopes'],
    [
      { 'Impersonate-User': 'bob', 'Impersonate-Extra-authentication.kubernetes.io%2fnode-name': 'a' },
      'userextras/authentication.kubernetes.io/node-name',
    ],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Extra-__proto__': 'x' }, 'userextras/__proto__'],
    [{ 'Impersonate-User': 'system:serviceaccount:kube-system:default' }, 'serviceaccounts'],
    [{ 'Impersonate-User': 'system:node:a' }, 'users'],
    [{ 'Impersonate-User': 'system:anonymous' }, 'users'],
  ] as const) {
    const answer = await denied(t, made, asAlice(headers), 403);
    t.match(answer.body.message, cannot(what), JSON.stringify(headers));
    t.match(made.events.at(-1), { user: { username: 'alice' } });
    t.equal(made.events.at(-1)?.impersonatedUser, undefined, 'no user was impersonated');
    t.equal(
      (await made.ask(...(['GET', list, { as: alice, headers, verbatim: true }] as const))).code,
      403,
      'over a socket',
    );
  }
  // Through a user who may impersonate all: alice becomes bob, and the chain ends there.
  await denied(t, made, asAlice({ 'Impersonate-User': ['bob', 'admin'], 'Impersonate-Group': 'system:masters' }), 403);
  await forbidden(
    t,
    made,
    ['GET', list, { as: alice, verbatim: true, headers: { 'Impersonate-User': ['bob', 'admin'] } }],
    /^secrets is forbidden: User "bob" cannot list/,
  );
  t.match(made.events.at(-1), { user: { username: 'alice' }, impersonatedUser: { username: 'bob' } });
  for (const headers of [
    { 'Impersonate-Group': 'system:masters' },
    { 'Impersonate-Uid': '1' },
    { 'Impersonate-Extra-Scopes': 'view' },
    { 'Impersonate-User': '', 'Impersonate-Group': 'dev' },
  ])
    await denied(t, made, asAlice(headers), 400, /without impersonating a user name$/);
  await forbidden(t, made, asAlice({ 'Impersonate-Unknown': 'x' }), /User "alice" cannot list/);
});

t.test('constrained impersonation requires all of its rights', async (t) => {
  const made = await scene(t);
  await made.make(inDefault('secrets'), secret('s'));
  await made.grant('alice', [
    rule(['authentication.k8s.io'], ['users', 'groups'], ['impersonate:user-info']),
    rule([''], ['secrets'], ['impersonate-on:user-info:get']),
  ]);
  await made.grant('reader', [rule([''], ['secrets'], ['get', 'list', 'delete'])]);
  const reader = { 'Impersonate-User': 'reader' };
  t.equal((await made.ask('GET', inDefault('secrets/s'), { as: alice, headers: reader })).code, 200, 'what is allowed');
  await denied(t, made, ['GET', inDefault('secrets'), { as: alice, headers: reader }], 403, /cannot impersonate/);
  await denied(t, made, ['DELETE', inDefault('secrets/s'), { as: alice, headers: reader }], 403, /cannot impersonate/);
  await denied(
    t,
    made,
    [
      'GET',
      inDefault('secrets/s'),
      { as: alice, headers: { 'Impersonate-User': 'x', 'Impersonate-Group': 'system:masters' } },
    ],
    403,
    /impersonat/,
  );
  await denied(
    t,
    made,
    ['GET', inDefault('secrets/s'), { as: alice, headers: { 'Impersonate-User': 'system:node:a' } }],
    403,
    /cannot impersonate/,
  );
  await denied(
    t,
    made,
    [
      'GET',
      inDefault('secrets/s'),
      { as: alice, headers: { 'Impersonate-User': 'system:serviceaccount:default:robot' } },
    ],
    403,
    /cannot impersonate/,
  );
});

// What requests are about.

t.test('paths say what they say, and nothing leads around the rules', async (t) => {
  const made = await scene(t);
  await made.make(inDefault('secrets'), secret('x'));
  await made.make(`${core}/namespaces`, { metadata: { name: 'open' } });
  await made.grant('alice', [rule([''], ['*'], ['*'])], 'open');
  // Codes and messages of a real server, for a user without rights and for an administrator.
  const cases: readonly (readonly [path: string, refusal: string, code: number])[] = [
    [
      'namespaces/default%2fsecrets',
      'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default"',
      200,
    ],
    ['namespaces/default/secrets%2fx', 'secrets "x" is forbidden: User "alice" cannot get resource "secrets"', 200],
    ['namespaces/default/secrets/%2e%2e', 'secrets ".." is forbidden', 400],
    ['namespaces/default/secrets/..', 'secrets ".." is forbidden', 400],
    [
      'namespaces/default/secrets/../pods',
      'secrets ".." is forbidden: User "alice" cannot get resource "secrets/pods"',
      404,
    ],
    [
      'namespaces/default/../open/secrets',
      '.. "open" is forbidden: User "alice" cannot get resource "../secrets"',
      404,
    ],
    [
      'namespaces/default%2f..%2fopen/secrets',
      '.. "open" is forbidden: User "alice" cannot get resource "../secrets"',
      404,
    ],
    [
      'namespaces/%2e%2e/secrets',
      'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace ".."',
      500,
    ],
    [
      'namespaces/default/secrets%252fx',
      'secrets%2fx is forbidden: User "alice" cannot list resource "secrets%2fx"',
      404,
    ],
    [
      '/namespaces/default/secrets',
      'forbidden: User "alice" cannot get resource "/default" in API group "" at the cluster scope',
      404,
    ],
    [
      'namespaces/default/secrets/',
      'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default"',
      200,
    ],
    [
      'namespaces/default/secrets//',
      'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default"',
      200,
    ],
    ['namespaces/default/Secrets', 'Secrets is forbidden: User "alice" cannot list resource "Secrets"', 404],
    [
      'namespaces/DEFAULT/secrets',
      'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "DEFAULT"',
      200,
    ],
    [
      'namespaces/OPEN/secrets',
      'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "OPEN"',
      200,
    ],
    ['namespaces/default/secrets/x%00', 'secrets "x\\x00" is forbidden', 404],
    [
      'namespaces/default%00/secrets',
      'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default\\x00"',
      200,
    ],
    ['namespaces/open%00default/secrets/x', 'secrets "x" is forbidden', 404],
    ['namespaces/default/s%D0%B5crets', 's\u0435crets is forbidden', 404],
    ['namespaces/default/pods/x/Exec', 'pods "x" is forbidden: User "alice" cannot get resource "pods/Exec"', 404],
    [
      'namespaces//secrets',
      'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" at the cluster scope',
      200,
    ],
    [
      'namespaces/default/secrets?fieldSelector=metadata.name%3D..%2Fx',
      'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default"',
      200,
    ],
  ];
  for (const [path, refusal, code] of cases) {
    const { body } = await forbidden(t, made, ['GET', `${core}/${path}`, { as: alice, verbatim: true }]);
    t.equal((body.message as string).slice(0, refusal.length), refusal, path);
    t.equal(
      (await made.ask('GET', `${core}/${path}`, { as: admin, verbatim: true })).code,
      code,
      `${path} for an administrator`,
    );
  }
  const outside: readonly (readonly [path: string, code: number])[] = [
    ['//api/v1/namespaces/default/secrets', 404],
    ['/API/v1/namespaces/default/secrets', 404],
    ['/api/V1/namespaces/default/secrets', 404],
    ['/apis//v1/secrets', 404],
    ['/api/v1/proxy/namespaces/default/pods/x', 404],
    ['/healthz/../api/v1/secrets', 404],
    ['/version/../api/v1/secrets', 404],
    ['/healthz%2f..%2fapi%2fv1%2fsecrets', 404],
  ];
  for (const [path, code] of outside) {
    await forbidden(t, made, ['GET', path, { as: alice, verbatim: true }]);
    t.equal((await made.ask('GET', path, { as: admin, verbatim: true })).code, code, `${path} for an administrator`);
  }
  // In a namespace of her own she finds nothing of others either.
  for (const path of [
    'namespaces/open/secrets/..%2f..%2fdefault%2fsecrets%2fx',
    'namespaces/open/secrets/..%2fdefault%2fx',
    'namespaces/open/secrets/%2e%2e%2fdefault%2fx',
  ])
    t.not((await made.ask('GET', `${core}/${path}`, { as: alice, verbatim: true })).code, 200, path);
  for (const selected of ['..%2Fdefault%2Fx', 'default%2Fx', '%00', '..', '%2F'])
    t.strictSame(
      (
        await made.ask('GET', `${core}/namespaces/open/secrets?fieldSelector=metadata.name%3D${selected}`, {
          as: alice,
        })
      ).body.items,
      [],
      selected,
    );
  for (const name of ['..', '.', 'a/b', 'a%2fb', 'x\u0000'])
    await denied(t, made, ['POST', `${core}/namespaces/open/secrets`, { as: alice, body: secret(name) }], 422);
  await denied(
    t,
    made,
    ['POST', `${core}/namespaces/open/secrets`, { as: alice, body: { metadata: { name: 'y', namespace: 'default' } } }],
    400,
    /does not match the namespace/,
  );
  // What belongs to no namespace is not found in one (CVE-2019-11247).
  await forbidden(t, made, ['GET', `${core}/namespaces/default/nodes`, { as: alice }], /in the namespace "default"/);
  await denied(t, made, ['GET', `${core}/namespaces/open/nodes`, { as: alice }], 404);
  await denied(
    t,
    made,
    ['POST', `${core}/namespaces/open/nodes`, { as: alice, body: { metadata: { name: 'n' } } }],
    404,
  );
  for (const path of [
    '',
    '/open',
    '/open/status',
    '/default',
    '/default/status',
    '/default/finalize',
    '?watch=true',
    '?fieldSelector=metadata.name%3Dopen',
  ]) {
    for (const method of path.startsWith('?') ? ['GET'] : ['GET', 'PUT', 'DELETE', 'POST']) {
      await denied(
        t,
        made,
        [
          method,
          `${core}/namespaces/open/namespaces${path}`,
          { as: alice, ...(method !== 'GET' && { body: { metadata: { name: 'default' } } }) },
        ],
        404,
      );
    }
  }
  await forbidden(t, made, ['GET', `${core}/watch/namespaces/default/namespaces/open`, { as: alice }]);
});

t.test('lists and watches tell of what was asked for, and that is what was allowed', async (t) => {
  const made = await scene(t);
  const { ask, make, clock } = made;
  for (const name of ['ns', 'ns2', 'n']) {
    await make(`${core}/namespaces`, { metadata: { name } });
    for (const each of ['mine', 'theirs']) await make(`${core}/namespaces/${name}/secrets`, secret(each));
  }
  await made.grant('alice', [rule([''], ['secrets'], ['list', 'watch', 'deletecollection'])], 'ns');
  await made.grant('bob', [rule([''], ['secrets'], ['get', 'list', 'watch', 'deletecollection'], ['mine'])], 'ns');
  const secrets = `${core}/namespaces/ns/secrets`;
  const found = async (as: string, query = ''): Promise<unknown> =>
    (
      (await ask('GET', `${secrets}${query}`, { as })).body.items as unknown as readonly {
        metadata: { namespace: string; name: string };
      }[]
    ).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  t.strictSame(await found(alice), ['ns/mine', 'ns/theirs']);
  for (const path of [
    `${core}/secrets`,
    `${core}/namespaces/ns2/secrets`,
    `${core}/namespaces/n/secrets`,
    `${core}/secrets?fieldSelector=metadata.namespace%3Dns`,
  ]) {
    await forbidden(t, made, ['GET', path, { as: alice }]);
    await forbidden(t, made, ['GET', `${path}${path.includes('?') ? '&' : '?'}watch=1`, { as: alice }], /cannot watch/);
  }
  t.strictSame(await found(alice, '?fieldSelector=metadata.namespace%3Dns2'), [], 'a selector does not widen');
  const page = (await ask('GET', `${core}/namespaces/ns2/secrets?limit=1`, { as: admin })).body.metadata as {
    readonly continue: string;
  };
  t.strictSame(
    await found(alice, `?limit=5&continue=${encodeURIComponent(page.continue)}`),
    ['ns/theirs'],
    'nor does the continue token of another user',
  );

  // Rights on one name.
  const one = 'fieldSelector=metadata.name%3Dmine';
  t.strictSame(await found(bob, `?${one}`), ['ns/mine']);
  t.strictSame(
    await found(bob, `?${one}&fieldSelector=metadata.name%3Dtheirs`),
    ['ns/mine'],
    'the first selector is judged, and applied',
  );
  t.strictSame(await found(bob, `?${one},metadata.name%3Dtheirs`), [], 'both hold');
  for (const query of [
    '',
    '?fieldSelector=',
    `?fieldSelector=metadata.name%3Dtheirs&${one}`,
    '?fieldSelector=metadata.name%21%3Dtheirs',
    '?FieldSelector=metadata.name%3Dmine',
    '?fieldSelector%00=metadata.name%3Dmine',
    `?${one}&limit=x`,
    `?${one}&labelSelector=%28`,
    '?fieldSelector=metadata.name%3Dmine;',
    '?fieldSelector=spec.x%3Dmine',
    '?labelSelector=metadata.name%3Dmine',
  ])
    await forbidden(t, made, ['GET', `${secrets}${query}`, { as: bob }], /cannot list resource "secrets"/);
  await forbidden(t, made, ['DELETE', `${secrets}?${one}`, { as: bob }], /cannot deletecollection/);
  await forbidden(t, made, ['GET', `${core}/watch/namespaces/ns/secrets/theirs?${one}`, { as: bob }], /cannot watch/);
  await denied(
    t,
    made,
    ['GET', `${core}/watch/namespaces/ns/secrets/mine?fieldSelector=metadata.name%3Dtheirs`, { as: bob }],
    400,
    /doesn't match requested name/,
  );

  // A watch emits events of its own namespace and name only.
  const watched = async (as: string, path: string): Promise<readonly string[]> => {
    const answer = ask(
      'GET',
      `${path}watch=1&resourceVersion=${(await made.store.revision()).toString()}&timeoutSeconds=5`,
      { as },
    );
    for (const name of ['n', 'ns2', 'ns'])
      for (const each of ['mine', 'theirs'])
        t.equal(
          (
            await ask('PATCH', `${core}/namespaces/${name}/secrets/${each}`, {
              as: admin,
              type: 'application/merge-patch+json',
              body: { metadata: { labels: { at: `${clock.now()}-${await made.store.revision()}` } } },
            })
          ).code,
          200,
        );
    await clock.advance(6_000);
    return (await answer).text
      .split('\n')
      .filter((line) => line !== '')
      .map(
        (line) => (JSON.parse(line) as { object: { metadata: { namespace: string; name: string } } }).object.metadata,
      )
      .map(({ namespace, name }) => `${namespace}/${name}`);
  };
  t.strictSame(await watched(alice, `${secrets}?`), ['ns/mine', 'ns/theirs']);
  t.strictSame(await watched(bob, `${secrets}?${one}&fieldSelector=&`), ['ns/mine']);
  t.strictSame(await watched(bob, `${core}/watch/namespaces/ns/secrets/mine?`), ['ns/mine']);
});

t.test('rights on a resource are none on its parts, nor on all of it', async (t) => {
  const made = await scene(t);
  await made.make(inDefault('configmaps'), { metadata: { name: 'c' } });
  await made.make(inDefault('pods'), podOn('p', ''));
  await made.make('/apis/apps/v1/namespaces/default/deployments', {
    metadata: { name: 'd' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  await made.grant('alice', [
    rule([''], ['pods', 'pods/*', 'Pods/exec', 'configmaps'], ['get', 'list', 'create', 'update', 'patch', 'delete']),
    rule(['apps'], ['*/scale', 'scale', 'deployments/'], ['*']),
  ]);
  await made.grant('bob', [rule([''], ['pods/log', 'pods/status', 'pods/exec'], ['*'])]);
  const pod = inDefault('pods/p');
  const cannot = (verb: string, what: string): RegExp => new RegExp(`cannot ${verb} resource "${what}"`);
  for (const part of ['exec', 'attach', 'portforward', 'eviction', 'binding', 'proxy', 'token', 'nope', '__proto__'])
    await forbidden(t, made, ['POST', `${pod}/${part}`, { as: alice, body: {} }], /cannot create resource "pods\//);
  for (const part of ['log', 'status', 'exec', 'proxy', 'ephemeralcontainers', 'resize'])
    await forbidden(t, made, ['GET', `${pod}/${part}`, { as: alice }], cannot('get', `pods/${part}`));
  for (const part of ['status', 'ephemeralcontainers', 'resize'])
    await forbidden(
      t,
      made,
      ['PUT', `${pod}/${part}`, { as: alice, body: podOn('p', 'evil') }],
      cannot('update', `pods/${part}`),
    );
  await forbidden(
    t,
    made,
    [
      'PATCH',
      `${pod}/status`,
      { as: alice, type: 'application/merge-patch+json', body: { status: { phase: 'Running' } } },
    ],
    cannot('patch', 'pods/status'),
  );
  await denied(t, made, ['POST', `${inDefault('pods')}//exec`, { as: alice, body: {}, verbatim: true }], 403);
  for (const [method, verb] of [
    ['GET', 'get'],
    ['PUT', 'update'],
    ['DELETE', 'delete'],
    ['PATCH', 'patch'],
  ] as const)
    await forbidden(t, made, [method, pod, { as: bob, ...(method !== 'GET' && { body: {} }) }], cannot(verb, 'pods'));
  await forbidden(t, made, ['GET', '/apis/apps/v1/namespaces/default/deployments/d', { as: alice }]);
  await forbidden(t, made, ['DELETE', '/apis/apps/v1/namespaces/default/deployments/d', { as: alice }]);
  t.equal(
    (await made.ask('GET', '/apis/apps/v1/namespaces/default/deployments/d/scale', { as: alice })).code,
    200,
    'what */scale is for',
  );
  await forbidden(
    t,
    made,
    ['DELETE', inDefault('configmaps'), { as: alice }],
    cannot('deletecollection', 'configmaps'),
  );
  await forbidden(
    t,
    made,
    ['DELETE', inDefault('configmaps/'), { as: alice, verbatim: true }],
    cannot('deletecollection', 'configmaps'),
  );
  for (const method of ['OPTIONS', 'FROBNICATE'])
    await forbidden(t, made, [method, inDefault('configmaps/c'), { as: alice }], /cannot {2}resource "configmaps"/);
});

t.test('an update or a patch that would create takes the right to create', async (t) => {
  const made = await scene(t);
  await made.grant('alice', [
    rule(['coordination.k8s.io'], ['leases'], ['get', 'update', 'patch']),
    rule([''], ['configmaps', 'nodes'], ['update', 'patch']),
  ]);
  const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/l';
  const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' } };
  const cannot = /cannot create resource "leases" in API group "coordination.k8s.io"/;
  await denied(t, made, ['PUT', lease, { as: alice, body }], 403, cannot);
  await denied(t, made, ['PUT', `${lease}?dryRun=All`, { as: alice, body }], 403, cannot);
  for (const type of [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
  ])
    await denied(
      t,
      made,
      [
        'PATCH',
        lease,
        { as: alice, type, body: type.includes('json-patch') ? [{ op: 'add', path: '/spec', value: {} }] : body },
      ],
      404,
    );
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
  await denied(t, made, ['PUT', inDefault('configmaps/c'), { as: alice, body: configMap }], 404);
});

t.test('whatever runs in a pod takes the right to create, also by GET', async (t) => {
  const passed: string[] = [];
  const made = await scene(t);
  made.server.nodes.register({
    exec: () => (passed.push('exec'), []),
    attach: () => (passed.push('attach'), []),
    portForward: () => (passed.push('portforward'), []),
  });
  await made.make(`${core}/nodes`, { metadata: { name: 'a' } });
  await made.make(inDefault('pods'), podOn('p', 'a'));
  await made.grant('alice', [rule([''], ['pods/exec', 'pods/attach', 'pods/portforward'], ['get'])]);
  const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket' };
  for (const kind of ['exec', 'attach', 'portforward']) {
    await denied(
      t,
      made,
      ['GET', inDefault(`pods/p/${kind}?command=id`), { as: alice, headers: upgrade }],
      403,
      `pods "p" is forbidden`,
    );
    await forbidden(
      t,
      made,
      ['POST', inDefault(`pods/p/${kind}?command=id`), { as: alice, headers: upgrade }],
      /cannot create/,
    );
  }
  t.strictSame(passed, [], 'no node has heard of it');
});

t.test('who stands behind a proxy does not learn how anybody proved who they are', async (t) => {
  const passed: ApiRequest[] = [];
  const ok = { type: 'raw', code: 200, contentType: 'text/plain', content: 'ok' } as const;
  const made = await scene(t);
  made.server.nodes.register({ proxy: (request) => (passed.push(request), Promise.resolve(ok)) });
  await made.make(`${core}/nodes`, { metadata: { name: 'a' } });
  await made.make(inDefault('pods'), podOn('p', 'a'));
  const headers = {
    'X-Remote-User': 'x',
    'X-REMOTE-GROUP': 'x',
    'x-remote-uid': 'x',
    'X-Remote-Extra-A': 'x',
    'Impersonate-User': 'bob',
    'Impersonate-Extra-A': 'x',
    Cookie: 'session=of-the-backend',
  };
  await made.grant('bob', [rule([''], ['pods/proxy'], ['get'])]);
  t.equal((await made.ask('GET', inDefault('pods/p/proxy/'), { as: admin, headers, verbatim: true })).code, 200);
  const [request] = passed;
  for (const name of [
    'authorization',
    'x-remote-user',
    'x-remote-group',
    'x-remote-uid',
    'x-remote-extra-a',
    'impersonate-user',
    'impersonate-extra-a',
    'AUTHORIZATION',
  ])
    t.equal(request?.header(name), undefined, name);
  for (const prefix of ['a', 'x-', 'impersonate', ''])
    t.notMatch(JSON.stringify(request?.headersWith?.(prefix)), /secret-of|x-remote|impersonate/i, prefix);
  t.equal(request?.header('cookie'), 'session=of-the-backend', 'which is no credential of this server');
  await forbidden(t, made, ['GET', inDefault('pods/p/proxy/'), { as: alice }]);
  await forbidden(t, made, ['POST', inDefault('pods/p/proxy/'), { as: admin, headers }], /User "bob" cannot create/);
  t.equal(passed.length, 1);
});

// Giving rights away.

t.test('rights cannot be gained by writing roles and bindings', async (t) => {
  const made = await scene(t);
  const { ask, make } = made;
  await make(`${core}/namespaces`, { metadata: { name: 'other' } });
  const all = [rule(['*'], ['*'], ['*'])];
  await made.grant('alice', [
    rule(
      [rbacGroup],
      ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings', 'roles/status', 'clusterroles/status'],
      ['get', 'create', 'update', 'patch', 'delete'],
    ),
    rule([''], ['pods'], ['get']),
    rule([''], ['secrets'], ['get'], ['one']),
  ]);
  await made.grant('alice', [rule([''], ['configmaps'], ['*'])], 'other');
  const role = (name: string, rules: readonly PolicyRule[], metadata: JsonObject = {}): JsonObject => ({
    metadata: { name, ...metadata },
    rules: rules as unknown as JsonObject[],
  });
  await make(
    `${rbac}/clusterroles`,
    role('harmless', [rule([''], ['pods'], ['get'])], { finalizers: ['example.com/hold'] }),
  );
  await make(`${rbac}/namespaces/default/roles`, role('harmless', [rule([''], ['pods'], ['get'])]));
  await make(`${rbac}/clusterroles`, {
    ...role('gathers', []),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { gather: 'me' } }] },
  });
  const grants = /is attempting to grant RBAC permissions not currently held:/;
  for (const rules of [
    all,
    [rule([''], ['pods'], ['get', 'list'])],
    [rule([''], ['pods'], ['*'])],
    [rule(['*'], ['pods'], ['get'])],
    [rule([''], ['*'], ['get'])],
    [rule([''], ['pods/exec'], ['get'])],
    [rule([''], ['*/exec'], ['get'])],
    [rule([''], ['secrets'], ['get'])],
    [rule([''], ['secrets'], ['get'], ['one', 'two'])],
    [rule([''], ['secrets'], ['get'], [''])],
    [rule([''], ['configmaps'], ['get'])],
    [rule([rbacGroup], ['clusterroles'], ['escalate'])],
    [rule([rbacGroup], ['clusterroles'], ['bind'])],
    [rule([''], ['users'], ['impersonate'])],
  ]) {
    await denied(t, made, ['POST', `${rbac}/clusterroles`, { as: alice, body: role('new', rules) }], 403, grants);
    await denied(t, made, ['PUT', `${rbac}/clusterroles/new`, { as: alice, body: role('new', rules) }], 403, grants);
    await denied(
      t,
      made,
      ['PUT', `${rbac}/clusterroles/harmless`, { as: alice, body: role('harmless', rules) }],
      403,
      grants,
    );
    await denied(
      t,
      made,
      ['POST', `${rbac}/namespaces/default/roles`, { as: alice, body: role('new', rules) }],
      403,
      grants,
    );
    for (const [type, body] of [
      ['merge-patch', { rules }],
      ['strategic-merge-patch', { rules }],
      ['json-patch', [{ op: 'replace', path: '/rules', value: rules }]],
    ] as const) {
      await denied(
        t,
        made,
        ['PATCH', `${rbac}/clusterroles/harmless`, { as: alice, type: `application/${type}+json`, body }],
        403,
        grants,
      );
      await denied(
        t,
        made,
        ['PATCH', `${rbac}/namespaces/default/roles/harmless`, { as: alice, type: `application/${type}+json`, body }],
        403,
        grants,
      );
    }
    // What only helps to collect garbage is exempt; other changes do not hide behind it.
    await denied(
      t,
      made,
      [
        'PATCH',
        `${rbac}/clusterroles/harmless`,
        { as: alice, type: 'application/merge-patch+json', body: { metadata: { finalizers: null }, rules } },
      ],
      403,
      grants,
    );
  }
  t.equal(
    (
      await ask('POST', `${rbac}/namespaces/other/roles?dryRun=All`, {
        as: alice,
        body: role('new', [rule([''], ['configmaps'], ['get'])]),
      })
    ).code,
    201,
    'what she has there',
  );
  t.equal(
    (
      await ask('PATCH', `${rbac}/clusterroles/harmless`, {
        as: alice,
        type: 'application/merge-patch+json',
        body: { metadata: { finalizers: null } },
      })
    ).code,
    200,
  );
  await denied(
    t,
    made,
    ['PUT', `${rbac}/clusterroles/harmless/status`, { as: alice, body: role('harmless', all) }],
    404,
  );

  // By gathering.
  const gathering = {
    aggregationRule: {
      clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } }],
    },
  };
  const needsAll = /must have cluster-admin privileges to use the aggregationRule/;
  await denied(
    t,
    made,
    ['POST', `${rbac}/clusterroles`, { as: alice, body: { ...role('new', []), ...gathering } }],
    403,
    needsAll,
  );
  await denied(
    t,
    made,
    ['PATCH', `${rbac}/clusterroles/harmless`, { as: alice, type: 'application/merge-patch+json', body: gathering }],
    403,
    needsAll,
  );
  await denied(
    t,
    made,
    [
      'PATCH',
      `${rbac}/clusterroles/gathers`,
      {
        as: alice,
        type: 'application/merge-patch+json',
        body: { aggregationRule: null, metadata: { labels: { a: 'b' } } },
      },
    ],
    403,
    needsAll,
  );
  await denied(
    t,
    made,
    [
      'PATCH',
      `${rbac}/clusterroles/gathers`,
      { as: alice, type: 'application/merge-patch+json', body: { metadata: { labels: { __proto__x: 'b' } } } },
    ],
    403,
    needsAll,
  );
  // By labelling a role so that another gathers it she gives only what she has; the rules are hers to have.
  await denied(
    t,
    made,
    ['POST', `${rbac}/clusterroles`, { as: alice, body: role('new', all, { labels: { gather: 'me' } }) }],
    403,
    grants,
  );

  // By binding.
  const binding = (kind: string, name: string): JsonObject => ({
    metadata: { name: 'mine' },
    roleRef: { apiGroup: rbacGroup, kind, name },
    subjects: [{ apiGroup: rbacGroup, kind: 'User', name: 'alice' }],
  });
  for (const name of ['cluster-admin', 'system:node', 'system:aggregate-to-edit']) {
    await denied(
      t,
      made,
      ['POST', `${rbac}/clusterrolebindings`, { as: alice, body: binding('ClusterRole', name) }],
      403,
      grants,
    );
    await denied(
      t,
      made,
      ['POST', `${rbac}/namespaces/default/rolebindings`, { as: alice, body: binding('ClusterRole', name) }],
      403,
      grants,
    );
    await denied(
      t,
      made,
      ['PUT', `${rbac}/clusterrolebindings/mine`, { as: alice, body: binding('ClusterRole', name) }],
      403,
      grants,
    );
  }
  await denied(
    t,
    made,
    ['POST', `${rbac}/clusterrolebindings`, { as: alice, body: binding('ClusterRole', 'missing') }],
    404,
    /"missing" not found/,
  );
  await denied(
    t,
    made,
    ['POST', `${rbac}/namespaces/default/rolebindings`, { as: alice, body: binding('Role', 'missing') }],
    404,
    /"missing" not found/,
  );
  await denied(
    t,
    made,
    ['POST', `${rbac}/namespaces/default/rolebindings`, { as: alice, body: binding('Role', '../other/harmless') }],
    400,
  );
  await denied(
    t,
    made,
    [
      'PATCH',
      `${rbac}/clusterrolebindings/cluster-admin`,
      {
        as: alice,
        type: 'application/json-patch+json',
        body: [{ op: 'add', path: '/subjects/-', value: { apiGroup: rbacGroup, kind: 'User', name: 'alice' } }],
      },
    ],
    403,
    grants,
  );
  await denied(
    t,
    made,
    [
      'PATCH',
      `${rbac}/clusterrolebindings/cluster-admin`,
      {
        as: alice,
        type: 'application/merge-patch+json',
        body: { subjects: [{ apiGroup: rbacGroup, kind: 'User', name: 'alice' }] },
      },
    ],
    403,
    grants,
  );
  await forbidden(t, made, ['GET', `${core}/secrets`, { as: alice }], /User "alice" cannot list/);
});

// Nodes.

t.test('a node reads what its own pods need, and nothing else', async (t) => {
  const made = await scene(t);
  const { make, ask } = made;
  const [nodeA, nodeB] = ['secret-of-node-a', 'secret-of-node-b'];
  for (const name of ['a', 'b']) {
    await make(`${core}/nodes`, { metadata: { name } });
    await make(inDefault('secrets'), secret(`of-${name}`));
    await make(inDefault('configmaps'), { metadata: { name: `of-${name}` } });
    await make(inDefault('serviceaccounts'), { metadata: { name: `account-${name}` } });
    await make(
      inDefault('pods'),
      podOn(`pod-${name}`, name, {
        serviceAccountName: `account-${name}`,
        volumes: [
          { name: 's', secret: { secretName: `of-${name}` } },
          { name: 'c', configMap: { name: `of-${name}` } },
        ],
      }),
    );
  }
  for (const path of ['secrets/of-a', 'configmaps/of-a', 'pods/pod-a', 'secrets?fieldSelector=metadata.name%3Dof-a'])
    t.equal((await ask('GET', inDefault(path), { as: nodeA })).code, 200, path);
  const unrelated = /no relationship found between node 'a' and this object/;
  for (const path of [
    'secrets/of-b',
    'configmaps/of-b',
    'pods/pod-b',
    'secrets/none',
    'secrets?fieldSelector=metadata.name%3Dof-b',
    'secrets?watch=1&fieldSelector=metadata.name%3Dof-b',
    'secrets?fieldSelector=metadata.name%3Dof-b&fieldSelector=metadata.name%3Dof-a',
  ])
    await forbidden(t, made, ['GET', inDefault(path), { as: nodeA }], unrelated);
  for (const path of [
    'secrets',
    'configmaps',
    'secrets/of-a%2f..%2fof-b',
    'secrets/OF-A',
    'serviceaccounts/account-b',
    'pods',
    'pods?fieldSelector=spec.nodeName%3Db',
    'pods?fieldSelector=spec.nodeName%3Db&fieldSelector=spec.nodeName%3Da',
    'pods?fieldSelector=spec.nodeName%21%3Db',
    'pods?labelSelector=spec.nodeName%3Da',
  ])
    await forbidden(t, made, ['GET', inDefault(path), { as: nodeA, verbatim: true }]);
  await forbidden(
    t,
    made,
    ['GET', `${core}/secrets?fieldSelector=metadata.name%3Dof-a`, { as: nodeA }],
    /can only read namespaced object/,
  );
  t.equal(
    (
      await ask('GET', `${core}/pods?fieldSelector=spec.nodeName%3Da&fieldSelector=spec.nodeName%3Db`, { as: nodeA })
    ).text.includes('pod-b'),
    false,
    'the first selector is judged, and applied',
  );
  await forbidden(t, made, ['GET', `${core}/nodes/b`, { as: nodeA }], /only its own Node object/);
  await forbidden(t, made, ['GET', `${core}/nodes`, { as: nodeA }]);
  await forbidden(
    t,
    made,
    ['POST', inDefault('serviceaccounts/account-b/token'), { as: nodeA, body: { spec: {} } }],
    unrelated,
  );
  await forbidden(
    t,
    made,
    ['POST', inDefault('serviceaccounts/default/token'), { as: nodeA, body: { spec: {} } }],
    unrelated,
  );
  t.equal(
    (await ask('POST', inDefault('serviceaccounts/account-a/token'), { as: nodeA, body: { spec: {} } })).code,
    201,
  );
  for (const [method, path] of [
    ['PUT', 'secrets/of-a'],
    ['DELETE', 'secrets/of-a'],
    ['DELETE', 'pods'],
    ['POST', 'pods/pod-a/exec'],
    ['PUT', 'pods/pod-a'],
    ['POST', 'serviceaccounts'],
  ] as const)
    await forbidden(t, made, [method, inDefault(path), { as: nodeA, ...(method !== 'DELETE' && { body: {} }) }]);

  // A node makes the objects of its static pods itself: those name nothing that it may read.
  const mirror = podOn(
    'mirror',
    'a',
    { volumes: [{ name: 's', secret: { secretName: 'of-b' } }], serviceAccountName: 'account-b' },
    { annotations: { 'kubernetes.io/config.mirror': 'x' } },
  );
  t.equal((await ask('POST', inDefault('pods'), { as: nodeA, body: mirror })).code, 201);
  await forbidden(t, made, ['GET', inDefault('secrets/of-b'), { as: nodeA }], unrelated);
  await forbidden(
    t,
    made,
    ['POST', inDefault('serviceaccounts/account-b/token'), { as: nodeA, body: { spec: {} } }],
    unrelated,
  );

  // A node is who has the name and the group.
  for (const as of ['secret-of-no-node', 'secret-of-no-name'])
    await forbidden(t, made, ['GET', inDefault('secrets/of-a'), { as }], /cannot get resource "secrets"/);
  for (const cn of [
    'system:node:',
    'system:node:A',
    'system:node:a ',
    'system:node:../a',
    'system:node:a,b',
    'System:node:a',
    'system:nodes:a',
    'system:node:__proto__',
  ])
    await forbidden(t, made, [
      'GET',
      inDefault('secrets/of-a'),
      {
        certificate: presenting(
          client(clients, {
            name: [
              [organization, 'system:nodes'],
              [commonName, cn],
            ],
          }),
        ),
      },
    ]);
  t.equal((await ask('DELETE', inDefault('pods/pod-a?gracePeriodSeconds=0'), { as: admin })).code, 200);
  await forbidden(t, made, ['GET', inDefault('secrets/of-a'), { as: nodeA }], unrelated);
  t.equal((await ask('GET', inDefault('secrets/of-b'), { as: nodeB })).code, 200);
});

// Webhooks.

const hookAuthority = createAuthority({ now: systemClock().now() });

t.test('a webhook that fails or responds wrongly admits no request', async (t) => {
  const elsewhere = await hook((response) =>
    response.end(
      JSON.stringify({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        status: { authenticated: true, user: { username: 'admin', groups: ['system:masters'] } },
      }),
    ),
  );
  let answer: (response: ServerResponse) => unknown = () => undefined;
  const asked = await hook((response) => answer(response));
  const node = nodeWebhookTransport({ authorities: hookAuthority.certificate });
  t.teardown(async () => {
    node.close();
    await Promise.all([asked.close(), elsewhere.close()]);
  });
  const callOn = (clock: Clock): WebhookCall =>
    webhookCall({ target: { url: asked.url }, transport: node.transport, clock, timeoutMs: 30_000 });
  const token = 'secret-for-the-webhook';
  const review = (status: JsonObject): string =>
    JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status });
  const access = (status: JsonObject): string =>
    JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', status });

  // Authentication.
  const known = await scene(t, {
    authenticators: ({ clock }) => [
      orAnonymous([
        withAuthenticatedGroup(
          bearerTokens([
            tokenFile(files.tokens ?? ''),
            webhookTokens(callOn(clock), { version: 'v1', audiences: [issuer] }),
          ]),
        ),
      ]),
    ],
  });
  answer = (response) =>
    response.end(review({ authenticated: true, user: { username: 'wanda' }, audiences: [issuer] }));
  t.equal((await known.ask('GET', '/version', { as: token })).code, 200, 'whom it knows');
  const master = { username: 'admin', groups: ['system:masters'] };
  for (const [why, each] of [
    [
      'for others',
      (response) => response.end(review({ authenticated: true, user: master, audiences: ['https://other.example'] })),
    ],
    ['not authenticated, with a user', (response) => response.end(review({ authenticated: false, user: master }))],
    [
      'with an error that holds the token',
      (response) => response.end(review({ authenticated: false, error: `no such token: ${token}` })),
    ],
    [
      'authenticated by text',
      (response) =>
        response.end(
          JSON.stringify({
            apiVersion: 'authentication.k8s.io/v1',
            kind: 'TokenReview',
            status: { authenticated: 'true', user: master },
          }),
        ),
    ],
    [
      'a user without a name',
      (response) => response.end(review({ authenticated: true, user: { groups: ['system:masters'] } })),
    ],
    ['an answer of another kind', (response) => response.end(access({ allowed: true }))],
    ['a redirect', (response) => response.writeHead(307, { Location: elsewhere.url }).end()],
    [
      'a failure that says yes',
      (response) => response.writeHead(500).end(review({ authenticated: true, user: master })),
    ],
    ['no JSON', (response) => response.end('<html>')],
    ['a broken connection', (response) => response.destroy()],
  ] satisfies readonly (readonly [string, (response: ServerResponse) => unknown])[]) {
    answer = each;
    await unknown(t, known, { as: token }, why);
  }
  answer = () => void known.clock.advance(30_001);
  await unknown(t, known, { as: token }, 'no answer in time');
  t.equal(elsewhere.count(), 0, 'the redirect was not followed');
  t.notOk(
    known.said.some((text) => text.includes(token)),
    'the token is sent nowhere else',
  );

  // Authorization.
  answer = (response) => response.end(access({ allowed: true }));
  const decided = await scene(t, {
    authorizers: ({ clock }) => [
      webhookAuthorizer(callOn(clock), { clock, version: 'v1', authorizedTtlMs: 0, unauthorizedTtlMs: 0 }),
    ],
  });
  t.equal((await decided.ask('GET', `${core}/secrets`, { as: alice })).code, 200, 'what it allows');
  for (const [why, code, each] of [
    ['both', 500, (response) => response.end(access({ allowed: true, denied: true }))],
    ['denied', 403, (response) => response.end(access({ allowed: false, denied: true, reason: 'no' }))],
    ['nothing', 403, (response) => response.end(access({ allowed: false }))],
    ['a redirect', 500, (response) => response.writeHead(302, { Location: elsewhere.url }).end()],
    ['a failure that says yes', 500, (response) => response.writeHead(503).end(access({ allowed: true }))],
    ['an answer of another kind', 500, (response) => response.end(review({ authenticated: true, user: master }))],
    ['a broken connection', 500, (response) => response.destroy()],
    ['no answer in time', 500, () => void decided.clock.advance(30_001)],
  ] satisfies readonly (readonly [string, number, (response: ServerResponse) => unknown])[]) {
    answer = each;
    const refusal = await denied(
      t,
      decided,
      ['POST', inDefault('configmaps'), { as: alice, body: { metadata: { name: 'x' } } }],
      code,
    );
    t.notMatch(refusal.text, /secret-of/, why);
  }
  t.equal(elsewhere.count(), 0, 'the redirect was not followed');
});

async function hook(
  answer: (response: ServerResponse) => unknown,
): Promise<{ readonly url: string; count(): number; close(): Promise<void> }> {
  let count = 0;
  const { key, certificate } = hookAuthority.issueServerCertificate(['127.0.0.1']);
  const server = createHttpsServer({ key, cert: certificate }, (request, response) => {
    count += 1;
    request.resume();
    request.once('end', () => answer(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/review`,
    count: () => count,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// Disclosure.

t.test('a secret appears in no response, log or event', async (t) => {
  const { scene, token } = await withRobot(t);
  const { ask, said, make } = scene;
  const [, , signature = ''] = token.split('.');
  const secrets = [
    alice,
    bob,
    admin,
    'correct-horse-battery',
    'wrong-horse-battery',
    token,
    signature,
    'fedcba9876543210',
    'secret-in-a-bad-place',
  ];
  const attempts: readonly Question[] = [
    { as: alice },
    { as: admin },
    { as: token },
    { as: `${token}x` },
    { as: token.replace('.', '..') },
    { as: 'abcdef.fedcba9876543210' },
    { as: `secret-in-a-bad-place ${'x'.repeat(50)}` },
    { as: alice, headers: { 'Impersonate-User': 'bob' } },
    { headers: { Authorization: `Basic ${Buffer.from('paul:correct-horse-battery').toString('base64')}` } },
    { headers: { Authorization: `Basic ${Buffer.from('paul:wrong-horse-battery').toString('base64')}` } },
    { headers: { Authorization: 'Bearer  secret-in-a-bad-place' } },
    { headers: { Authorization: 'secret-in-a-bad-place' } },
  ];
  for (const question of attempts) {
    for (const [method, path, body] of [
      ['GET', '/version'],
      ['GET', `${core}/secrets`],
      ['GET', '/nowhere'],
      ['POST', inDefault('configmaps'), { metadata: { name: '..' } }],
      ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}],
    ] as const) {
      const answer = await ask(method, path, { ...question, ...(body && { body }) });
      said.push(answer.text, [...answer.headers].join('\n'));
    }
  }
  for (const each of [token, `${token}x`, 'abcdef.fedcba9876543210', 'secret-in-a-bad-place']) {
    const { body } = await make('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: each } });
    said.push(JSON.stringify(body.status));
  }
  for (const path of ['/metrics', '/healthz?verbose', `${core}/namespaces/kube-system/configmaps`, '/openid/v1/jwks'])
    said.push((await ask('GET', path, { as: admin })).text);
  t.ok(said.length > 100);
  for (const each of secrets) {
    const telling = said.find((text) => text.includes(each) || text.includes(Buffer.from(each).toString('base64')));
    t.equal(telling, undefined, `${each.slice(0, 30)} is in nothing that was said`);
  }
});

t.test('reviews report what a user may do, not which objects exist', async (t) => {
  const made = await scene(t);
  await made.make(`${core}/namespaces`, { metadata: { name: 'exists' } });
  await made.make(`${core}/namespaces/exists/secrets`, secret('s'));
  await made.grant('alice', [rule(['authorization.k8s.io'], ['localsubjectaccessreviews'], ['create'])]);
  const normal = (text: string): string => text.replaceAll('absent', 'exists');
  const local = async (namespace: string): Promise<Answer> =>
    made.ask('POST', `/apis/authorization.k8s.io/v1/namespaces/${namespace}/localsubjectaccessreviews`, {
      as: alice,
      body: {
        metadata: { namespace },
        spec: { user: 'bob', resourceAttributes: { namespace, verb: 'get', resource: 'secrets', name: 's' } },
      },
    });
  t.equal((await local('exists')).code, 201);
  t.equal(normal((await local('absent')).text), (await local('exists')).text, 'whether or not the namespace is there');
  const own = async (namespace: string, name: string): Promise<string> =>
    (
      await made.ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        as: alice,
        body: { spec: { resourceAttributes: { namespace, verb: 'get', resource: 'secrets', name } } },
      })
    ).text;
  t.equal(normal(await own('absent', 's')), await own('exists', 's'));
  t.match(await own('exists', 's'), /"allowed":false/);
  const rules = async (namespace: string): Promise<unknown> =>
    (
      await made.ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
        as: alice,
        body: { spec: { namespace } },
      })
    ).body.status;
  t.strictSame(await rules('absent'), await rules('exists'));
  // Refusals do not tell either.
  for (const path of ['secrets/s', 'secrets', 'pods/p/log']) {
    const [there, not] = [
      await made.ask('GET', `${core}/namespaces/exists/${path}`, { as: alice }),
      await made.ask('GET', `${core}/namespaces/absent/${path}`, { as: alice }),
    ];
    t.equal(normal(not.text), there.text, path);
  }
  await forbidden(
    t,
    made,
    [
      'POST',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      { as: alice, body: { spec: { user: 'bob', resourceAttributes: { verb: 'get', resource: 'secrets' } } } },
    ],
    /cannot create resource "subjectaccessreviews"/,
  );
  await denied(
    t,
    made,
    [
      'POST',
      '/apis/authorization.k8s.io/v1/namespaces/exists/localsubjectaccessreviews',
      {
        as: alice,
        body: {
          metadata: { namespace: 'exists' },
          spec: { user: 'bob', resourceAttributes: { namespace: 'other', verb: 'get', resource: 'secrets' } },
        },
      },
    ],
    422,
    /must match metadata.namespace/,
  );
  await forbidden(
    t,
    made,
    ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', { as: alice, body: { spec: { token: admin } } }],
    /cannot create resource "tokenreviews"/,
  );
});

// What JavaScript adds.

t.test('names that JavaScript gives meaning mean nothing here', async (t) => {
  const made = await scene(t);
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
  await made.make(inDefault('configmaps'), { metadata: { name: 'c' } });
  for (const name of names) {
    const certificate = presenting(
      client(clients, {
        name: [
          [organization, name],
          [commonName, name],
        ],
      }),
    );
    await forbidden(
      t,
      made,
      ['GET', inDefault('configmaps'), { certificate }],
      new RegExp(`User "${name}" cannot list`),
    );
    await forbidden(t, made, ['GET', `${core}/namespaces/${name}/configmaps/${name}`, { as: alice }]);
    await forbidden(t, made, ['GET', `/apis/${name}/v1/${name}`, { as: alice }]);
    await forbidden(t, made, ['GET', `/${name}`, { as: alice }]);
    const answer = await made.ask(
      'GET',
      inDefault(`configmaps?${name}=x&fieldSelector=${name}%3Dx&labelSelector=${name}%3Dx`),
      { as: admin },
    );
    t.equal(answer.code, 400, `a selector by ${name}`);
  }
  // Who is called like that may be given rights like anybody else.
  await made.grant('__proto__', [rule([''], ['configmaps'], ['get'])]);
  t.equal(
    (
      await made.ask('GET', inDefault('configmaps/c'), {
        certificate: presenting(client(clients, { name: [[commonName, '__proto__']] })),
      })
    ).code,
    200,
  );
  await forbidden(t, made, ['GET', inDefault('configmaps/c'), { as: bob }]);
  // Rules of such words allow those words.
  await made.grant('bob', [rule(names, names, names, names), { ...rule(['*'], ['*'], ['__proto__']) }]);
  await forbidden(t, made, ['GET', inDefault('configmaps/c'), { as: bob }]);
  const polluting =
    '{"metadata":{"name":"p","labels":{"__proto__":"x"},"__proto__":{"labels":{"rbac.authorization.k8s.io/aggregate-to-admin":"true"}}},"__proto__":{"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]},"rules":[]}';
  const written = await made.ask('POST', `${rbac}/clusterroles`, { as: admin, body: JSON.parse(polluting) as unknown });
  t.not(written.code, 500, written.text);
  t.notMatch(written.text, /"verbs"/);
  const front = client(proxies, { name: [[commonName, 'front']] });
  const { body } = await made.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    certificate: presenting(front),
    headers: {
      'X-Remote-User': '__proto__',
      'X-Remote-Group': '__proto__',
      'X-Remote-Extra-__proto__': 'x',
      'X-Remote-Extra-constructor': 'y',
    },
    body: {},
  });
  t.equal(
    JSON.stringify((body.status as JsonObject).userInfo),
    '{"username":"__proto__","groups":["__proto__","system:authenticated"],"extra":{"__proto__":["x"],"constructor":["y"]}}',
  );
  t.strictSame(
    [Object.keys(Object.prototype), ({} as Record<string, unknown>).rules],
    [[], undefined],
    'no permission was added for all users',
  );
});

t.test('what is huge is refused or served, and others do not wait for it', async (t) => {
  const { scene: made, claims } = await withRobot(t);
  const { ask } = made;
  const soon = async (why: string, work: () => Promise<unknown>): Promise<void> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    // Of the processor, which others cannot slow down, and far above what it takes: quadratic costs are thousands of
    // times as high.
    t.ok(user + system < 5_000_000, `${why} took ${(user + system) / 1000} ms`);
  };
  await soon('a token of a megabyte', () => unknown(t, made, { as: 'x'.repeat(1_000_000) }, 'a long token'));
  await soon('a token of a megabyte with a signature', () =>
    unknown(t, made, { as: signJws({ ...claims, padding: 'x'.repeat(1_000_000) }, accountKey) }, 'a long signed token'),
  );
  await soon('a token of many dots', () => unknown(t, made, { as: '.'.repeat(1_000_000) }, 'dots'));
  const deep = `{"iss":"${issuer}","a":${'['.repeat(60_000)}${']'.repeat(60_000)}}`;
  await soon('deep claims', () =>
    unknown(t, made, { as: forged({ alg: 'RS256', kid: accountKey.kid }, deep) }, 'deep claims'),
  );
  await soon('deep claims of an object', () =>
    unknown(
      t,
      made,
      { as: forged({ alg: 'RS256' }, `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`) },
      'deep claims',
    ),
  );
  await soon('a long password', () =>
    unknown(
      t,
      made,
      { headers: { Authorization: `Basic ${Buffer.from(`paul:${'x'.repeat(500_000)}`).toString('base64')}` } },
      'a long password',
    ),
  );
  await soon('a header of spaces', () =>
    ask('GET', '/version', { headers: { Authorization: `Bearer${' '.repeat(100_000)}x` } }),
  );
  const front = presenting(client(proxies, { name: [[commonName, 'front']] }));
  const groups = Array.from({ length: 10_000 }, (_, index) => `group-${index}`);
  await soon('ten thousand groups', () =>
    forbidden(
      t,
      made,
      [
        'GET',
        inDefault('secrets'),
        { certificate: front, headers: { 'X-Remote-User': 'joiner', 'X-Remote-Group': groups } },
      ],
      /User "joiner" cannot list/,
    ),
  );
  await soon('ten thousand groups to become', () =>
    denied(
      t,
      made,
      ['GET', inDefault('secrets'), { as: alice, headers: { 'Impersonate-User': 'bob', 'Impersonate-Group': groups } }],
      403,
    ),
  );
  const body = {
    metadata: { name: 'x' },
    rules: Array.from({ length: 100_000 }, (_, index) => rule([''], [`r${index}`], ['get'])),
  };
  await soon('a role of more than fits', () =>
    denied(t, made, ['POST', `${rbac}/clusterroles`, { as: admin, body }], 413),
  );
  const rules = Array.from({ length: 20_000 }, (_, index) => rule([''], [`r${index}`], ['get']));
  await soon('a role of very many rules', async () => {
    await made.grant('bob', rules);
    for (let count = 0; count < 50; count++) await ask('GET', inDefault('r-1'), { as: bob });
  });
  await soon('granting very many rules', () =>
    denied(t, made, ['POST', `${rbac}/clusterroles`, { as: bob, body: { metadata: { name: 'x' }, rules } }], 403),
  );
});

t.test('no pattern over what strangers send takes long', async (t) => {
  // Every regular expression of authentication and authorization that meets a stranger's text, with what would hurt it.
  const made = await scene(t);
  const long = 100_000;
  const before = process.cpuUsage();
  for (const header of [
    `Bearer ${'a'.repeat(long)}!`,
    `Bearer ${'ab-'.repeat(long / 3)}.`,
    `Bearer system:bootstrappers:${'a:'.repeat(long / 2)}`,
    `Basic ${'='.repeat(long)}`,
    `${' '.repeat(long)}Bearer x`,
    `Bearer x${' '.repeat(long)}y`,
  ])
    await made.ask('GET', '/version', { headers: { Authorization: header } });
  for (const user of [
    `system:serviceaccount:${'a-'.repeat(long / 2)}:${'b.'.repeat(long / 2)}`,
    `system:node:${'a.'.repeat(long / 2)}-`,
    'x'.repeat(long),
  ])
    await denied(t, made, ['GET', '/version', { as: alice, headers: { 'Impersonate-User': user } }], 403);
  for (const key of [
    `${'a%2f'.repeat(10_000)}b`,
    `${'a.'.repeat(20_000)}-%2f${'a'.repeat(20_000)}`,
    '-'.repeat(40_000),
  ])
    await denied(
      t,
      made,
      ['GET', '/version', { as: alice, headers: { 'Impersonate-User': 'bob', [`Impersonate-Extra-${key}`]: 'x' } }],
      403,
    );
  for (const path of [
    `/${'*'.repeat(long)}x`,
    `/api/v1/namespaces/${'a-'.repeat(long / 2)}/pods`,
    `/x/${'%2f'.repeat(long / 4)}`,
    `/api/v1/pods?fieldSelector=${'a%3Db,'.repeat(long / 6)}`,
    `/api/v1/pods?labelSelector=${'a in (b),'.repeat(long / 9)}x`,
    `/api/v1/pods?labelSelector=${'('.repeat(long)}`,
  ])
    await forbidden(t, made, ['GET', path, { as: alice }]);
  await made.grant('alice', [
    { verbs: ['get'], nonResourceURLs: [`/${'*'.repeat(long)}x`, `/${'a*'.repeat(long / 2)}`] },
  ]);
  await forbidden(t, made, ['GET', `/${'a'.repeat(long)}`, { as: alice }]);
  const { user, system } = process.cpuUsage(before);
  t.ok(user + system < 10_000_000, `${(user + system) / 1000} ms`);
});
