// `vivarium serve` with the flags of kube-apiserver that say who is believed and who may do what, end to end: files on
// a disk, certificates over TLS, an issuer of OpenID Connect and a webhook on loopback, files that change while it
// runs, and what survives a restart.
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { jwkOf, signJws, signingKey } from '../../lib/auth/node/index.js';
import type { SigningKey } from '../../lib/auth/node/index.js';
import { loadKubeconfig } from '../../lib/client/node/index.js';
import { systemClock } from '../../lib/core/index.js';
import type { SubjectAccessReview, UserInfo } from '../../lib/core/types/index.js';
import { createAuthority, kubeconfig } from '../../lib/server/node/index.js';
import type { KeyPair } from '../../lib/server/node/index.js';
import { bundledProgram } from '../support/bundled-program.js';
import { runCommand } from '../support/served.js';
import type { RunningCommand } from '../support/served.js';

const now = systemClock().now();
const authority = createAuthority({ now, name: 'of the test' });

/** What proves who is asking. */
interface Proof {
  readonly certificate?: KeyPair;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly code: number;
  readonly body: {
    readonly status?: { readonly userInfo?: UserInfo; readonly token?: string };
    readonly message?: string;
    readonly data?: Readonly<Record<string, string>>;
  };
}

/** A server, and how to ask it. */
interface World {
  readonly server: RunningCommand;
  /** As the administrator of the kubeconfig, unless there is other proof. */
  ask(method: string, path: string, options?: { readonly body?: unknown; readonly proof?: Proof }): Promise<Answer>;
  /** Who the server says is asking; the code where it does not say. */
  who(proof: Proof): Promise<UserInfo | number>;
  /** Puts another text into a file of the folder, in one step. */
  put(name: string, text: string): string;
}

/** A folder of the test's own, which outlives its servers. */
function folderOf(t: Test): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-serve-auth-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}

/** A build of the command line. */
type Command = Parameters<typeof runCommand>[1];

/** Starts a server with the flags that files of a folder lead to. */
async function start(
  t: Test,
  flagsOf: (put: World['put']) => readonly string[],
  { at = folderOf(t), run }: { readonly at?: (name: string) => string; readonly run?: Command } = {},
): Promise<World> {
  const put = (name: string, text: string): string => {
    writeFileSync(`${at(name)}.new`, text);
    renameSync(`${at(name)}.new`, at(name));
    return at(name);
  };
  const server = await runCommand(flagsOf(put), run);
  t.teardown(() => server.close());
  const { tls } = await loadKubeconfig({ text: server.kubeconfig });
  const ask: World['ask'] = (
    method,
    path,
    { body, proof = tls.certificate && { certificate: tls.certificate } } = {},
  ) =>
    new Promise((resolve, reject) => {
      const { certificate, token, headers } = proof ?? {};
      const sent = request(`${server.url}${path}`, {
        method,
        agent: false,
        ca: tls.authorities,
        headers: {
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(certificate && { cert: certificate.certificate, key: certificate.key }),
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', reject).on('end', () =>
          resolve({
            code: response.statusCode ?? 0,
            body:
              response.headers['content-type'] === 'application/json'
                ? (JSON.parse(text) as Answer['body'])
                : { message: text },
          }),
        );
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return {
    server,
    put,
    ask,
    who: async (proof) => {
      const { code, body } = await ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        proof,
      });
      return body.status?.userInfo ?? code;
    },
  };
}

/**
 * Asks the server until its answer is the one that is waited for; the limit of the test ends what would go on for ever.
 */
async function until<T>(ask: () => Promise<T>, isIt: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isIt(answer)) return answer;
  }
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const anonymous: Proof = {};
const basic = (name: string, password: string): Proof => ({
  headers: { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` },
});

t.test('--client-ca-file believes a second authority, and a third once the file has it', async (t) => {
  const [second, third] = ['second', 'third'].map((name) => createAuthority({ now, name })) as [
    typeof authority,
    typeof authority,
  ];
  const { ask, who, put, server } = await start(t, (put) => [`--client-ca-file=${put('ca.pem', second.certificate)}`]);
  const admin = await loadKubeconfig({ text: server.kubeconfig });
  t.match(
    await who(admin.tls),
    { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
    "the server's own authority stays",
  );
  const alice = second.issueClientCertificate('alice', ['devs']);
  const hash = createHash('sha256')
    .update(Buffer.from(alice.certificate.replace(/-----.*-----|\s/g, ''), 'base64'))
    .digest('hex');
  t.strictSame(await who({ certificate: alice }), {
    username: 'alice',
    groups: ['devs', 'system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${hash}`] },
  });
  t.match(await ask('GET', configMaps, { proof: { certificate: alice } }), {
    code: 403,
    body: {
      message:
        'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "default"',
    },
  });
  const bob = { certificate: third.issueClientCertificate('bob') };
  t.equal(await who(bob), 401);
  t.match(
    await ask('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'),
    {
      code: 200,
      body: { data: { 'client-ca-file': new RegExp(second.certificate.slice(30, 80).replace(/[+/]/g, '\\$&')) } },
    },
    'extension servers may believe it too',
  );
  put('ca.pem', third.certificate);
  t.match(
    await until(
      () => who(bob),
      (user) => user !== 401,
    ),
    { username: 'bob' },
  );
  t.equal(await who({ certificate: alice }), 401, 'and who is no longer in the file is not believed');
  put('ca.pem', third.certificate.slice(0, 100));
  await server.said('ca.pem was not taken over: data does not contain any valid RSA or ECDSA certificates');
  t.match(await who(bob), { username: 'bob' }, 'a truncated file locks no user out');
});

t.test('files of a volume are followed, though it is a link beside them that changes', async (t) => {
  const at = folderOf(t);
  const [old, young] = ['old', 'young'].map((name) => createAuthority({ now, name })) as [
    typeof authority,
    typeof authority,
  ];
  for (const [name, { certificate }] of Object.entries({ old, young })) {
    mkdirSync(at(name));
    writeFileSync(join(at(name), 'ca.pem'), certificate);
  }
  const lead = (name: string): void => {
    symlinkSync(name, at('..data_tmp'));
    renameSync(at('..data_tmp'), at('..data'));
  };
  lead('old');
  symlinkSync('..data/ca.pem', at('ca.pem'));
  const { who } = await start(t, () => [`--client-ca-file=${at('ca.pem')}`], { at });
  t.match(await who({ certificate: old.issueClientCertificate('alice') }), { username: 'alice' });
  lead('young');
  const bob = { certificate: young.issueClientCertificate('bob') };
  t.match(
    await until(
      () => who(bob),
      (user) => user !== 401,
    ),
    { username: 'bob' },
  );
});

t.test('authorities that cannot be read keep the server from starting', async (t) => {
  for (const flag of ['client-ca-file', 'requestheader-client-ca-file']) {
    await t.rejects(
      start(t, (put) => [`--${flag}=${put('ca.pem', 'nonsense')}`]),
      {
        message: new RegExp(
          `^vivarium: --${flag}: .*ca.pem cannot be used: data does not contain any valid RSA or ECDSA certificates`,
        ),
      },
    );
    await t.rejects(
      start(t, (put) => [`--${flag}=${put('ca.pem', authority.certificate.replace('M', 'x'))}`]),
      { message: new RegExp(`^vivarium: --${flag}: .*ca.pem cannot be used: `) },
    );
  }
});

t.test('--basic-auth-file and --token-auth-file', async (t) => {
  const { who } = await start(t, (put) => [
    `--basic-auth-file=${put('basic.csv', 'open sesame,ali,u-1,"thieves,wood cutters"\n')}`,
    `--token-auth-file=${put('tokens.csv', 'alice-token,alice,u-2\n')}`,
  ]);
  t.strictSame(await who(basic('ali', 'open sesame')), {
    username: 'ali',
    uid: 'u-1',
    groups: ['thieves', 'wood cutters', 'system:authenticated'],
  });
  t.strictSame(await who({ token: 'alice-token' }), {
    username: 'alice',
    uid: 'u-2',
    groups: ['system:authenticated'],
  });
  t.equal(await who(basic('ali', 'open barley')), 401);
  t.equal(await who(basic('alice', 'alice-token')), 401);
  t.equal(await who({ token: 'open sesame' }), 401);
  t.equal(await who(anonymous), 403, 'the anonymous user may not even ask');
});

t.test('--requestheader-… accepts the headers of a proxy, and of no other client', async (t) => {
  const { ask, who, put } = await start(t, (put) => [
    `--requestheader-client-ca-file=${put('proxies.pem', authority.certificate)}`,
    '--requestheader-allowed-names=front-proxy',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-uid-headers=X-Remote-Uid',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  ]);
  const headers = {
    'X-Remote-User': 'alice',
    'X-Remote-Uid': '7',
    'X-Remote-Group': 'devs',
    'X-Remote-Extra-Acme.com%2Fscope': 'all',
  };
  t.strictSame(await who({ certificate: authority.issueClientCertificate('front-proxy'), headers }), {
    username: 'alice',
    uid: '7',
    groups: ['devs', 'system:authenticated'],
    extra: { 'acme.com/scope': ['all'] },
  });
  t.equal(
    await who({ certificate: authority.issueClientCertificate('another'), headers }),
    401,
    'a proxy of another name',
  );
  t.equal(await who({ headers }), 403, 'the same headers without a certificate are anonymous');
  t.equal(
    await who({ certificate: authority.issueClientCertificate('front-proxy') }),
    401,
    'a proxy is no user itself',
  );
  t.match(
    (await ask('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication')).body.data,
    {
      'requestheader-allowed-names': '["front-proxy"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-client-ca-file': authority.certificate,
    },
  );
  const other = createAuthority({ now, name: 'of other proxies' });
  put('proxies.pem', other.certificate);
  t.match(
    await until(
      () => who({ certificate: other.issueClientCertificate('front-proxy'), headers }),
      (user) => user !== 401,
    ),
    { username: 'alice' },
    'the file is followed',
  );
  t.equal(await who({ certificate: authority.issueClientCertificate('front-proxy'), headers }), 401);
});

t.test('--enable-bootstrap-token-auth believes Secrets of kube-system', async (t) => {
  const { ask, who } = await start(t, () => ['--enable-bootstrap-token-auth']);
  const secret = (id: string, data: Readonly<Record<string, string>>): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', ...data },
  });
  const authentication = { 'usage-bootstrap-authentication': 'true' };
  for (const body of [
    secret('abcdef', { ...authentication, 'auth-extra-groups': 'system:bootstrappers:moor' }),
    secret('old000', { ...authentication, expiration: '2020-01-01T00:00:00Z' }),
    secret('signed', { 'usage-bootstrap-signing': 'true' }),
  ]) {
    t.equal((await ask('POST', '/api/v1/namespaces/kube-system/secrets', { body })).code, 201);
  }
  t.strictSame(await who({ token: 'abcdef.0123456789abcdef' }), {
    username: 'system:bootstrap:abcdef',
    groups: ['system:bootstrappers', 'system:bootstrappers:moor', 'system:authenticated'],
  });
  for (const token of [
    'abcdef.0123456789abcdee',
    'old000.0123456789abcdef',
    'signed.0123456789abcdef',
    'absent.0123456789abcdef',
  ])
    t.equal(await who({ token }), 401, token);
});

t.test('--authentication-config believes an issuer, and follows the file', async (t) => {
  const key = signingKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const issuer = await issuerOf(t, key);
  const configuration = (prefix: string, audience = 'moor'): string =>
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [
        {
          issuer: { url: issuer, audiences: [audience], certificateAuthority: authority.certificate },
          claimMappings: { username: { claim: 'sub', prefix }, groups: { claim: 'groups', prefix: '' } },
        },
      ],
    });
  const { who, put, server } = await start(t, (put) => [
    `--authentication-config=${put('authentication.yaml', configuration('first:'))}`,
  ]);
  let count = 0;
  // Each token is a new one: what is known of a token counts for ten seconds.
  const token = (claims: Readonly<Record<string, string>> = {}): Proof => ({
    token: signJws(
      {
        iss: issuer,
        aud: 'moor',
        sub: 'dora',
        groups: ['devs'],
        exp: Math.floor(now / 1000) + 3600,
        jti: `${count++}`,
        ...claims,
      },
      key,
    ),
  });
  t.match(
    await until(
      () => who(token()),
      (user) => user !== 401,
    ),
    { username: 'first:dora', groups: ['devs', 'system:authenticated'] },
  );
  t.equal(await who(token({ aud: 'elsewhere' })), 401);
  t.equal(await who(token({ iss: 'https://127.0.0.1:1' })), 401);

  put('authentication.yaml', 'kind: Nonsense');
  await server.said('the authentication configuration was not taken over');
  t.match(await who(token()), { username: 'first:dora' }, 'the one before goes on');
  put('authentication.yaml', configuration('second:'));
  t.match(
    await until(
      () => who(token()),
      (user) => typeof user === 'object' && user.username !== 'first:dora',
    ),
    { username: 'second:dora' },
  );
  put('authentication.yaml', configuration('second:', 'heath'));
  t.match(
    await until(
      () => who(token({ aud: 'heath' })),
      (user) => user !== 401,
    ),
    { username: 'second:dora' },
  );
  t.equal(await who(token()), 401);
});

/** An issuer of OpenID Connect on loopback; its URL. */
async function issuerOf(t: Test, key: SigningKey): Promise<string> {
  const url = await tlsServer(t, (path) =>
    path === '/keys'
      ? { keys: [jwkOf(key)] }
      : path === '/.well-known/openid-configuration'
        ? { issuer: url, jwks_uri: `${url}/keys` }
        : undefined,
  );
  return url;
}

/** A server on loopback that answers JSON, or not at all; its URL. */
async function tlsServer(t: Test, answer: (path: string, body: string) => unknown): Promise<string> {
  const { key, certificate } = authority.issueServerCertificate(['127.0.0.1']);
  const server = createServer({ key, cert: certificate }, (incoming, response) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    incoming.on('end', () => {
      const said = answer(new URL(incoming.url ?? '', 'https://x').pathname, body);
      response
        .writeHead(said === undefined ? 404 : 200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('--authorization-config asks a webhook, and follows the file', async (t) => {
  const reviews: SubjectAccessReview[] = [];
  const url = await tlsServer(t, (_, body) => {
    const review = JSON.parse(body) as SubjectAccessReview;
    // not those of controllers
    if (review.spec.user === 'alice' || review.spec.groups?.includes('system:masters') === true) reviews.push(review);
    const { user, resourceAttributes: { resource = '', verb = '' } = {} } = review.spec;
    const allowed = user === 'alice' && resource === 'configmaps' && verb !== 'delete';
    return {
      ...review,
      status: { allowed, denied: verb === 'delete', reason: verb === 'delete' ? 'nothing is ever deleted' : '' },
    };
  });
  const webhook = (path: string, name = 'hook'): object => ({
    type: 'Webhook',
    name,
    webhook: {
      timeout: '30s',
      subjectAccessReviewVersion: 'v1',
      matchConditionSubjectAccessReviewVersion: 'v1',
      failurePolicy: 'Deny',
      authorizedTTL: '1s',
      unauthorizedTTL: '1s',
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: path },
    },
  });
  const rbac = { type: 'RBAC', name: 'rbac' };
  const configuration = (...authorizers: readonly object[]): string =>
    JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers });
  let hook = '';
  const { ask, put, server } = await start(t, (put) => {
    hook = put(
      'hook.kubeconfig',
      kubeconfig({
        server: url,
        ca: authority.certificate,
        user: { name: 'server', certificate: authority.issueClientCertificate('server') },
      }),
    );
    return [
      `--authorization-config=${put('authorization.yaml', configuration(webhook(hook), rbac))}`,
      `--token-auth-file=${put('tokens.csv', 'alice-token,alice,u-alice,devs\n')}`,
    ];
  });
  const alice = { proof: { token: 'alice-token' } };
  t.equal((await ask('GET', configMaps, alice)).code, 200);
  t.match(reviews.at(-1), {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: 'alice',
      uid: 'u-alice',
      groups: ['devs', 'system:authenticated'],
      resourceAttributes: { namespace: 'default', verb: 'list', version: 'v1', resource: 'configmaps' },
    },
  });
  t.equal(
    (await ask('GET', '/api/v1/namespaces/default/secrets', alice)).code,
    403,
    'neither the webhook nor a role allows it',
  );
  t.match(await ask('DELETE', `${configMaps}/x`, alice), {
    code: 403,
    body: {
      message:
        'configmaps "x" is forbidden: User "alice" cannot delete resource "configmaps" in API group "" in the namespace "default": nothing is ever deleted',
    },
  });
  const asked = reviews.length;
  t.equal((await ask('DELETE', `${configMaps}/x`)).code, 404, 'the administrator is not in its hands');
  t.equal(reviews.length, asked);

  put('authorization.yaml', configuration({ type: 'Unheard', name: 'of' }));
  await server.said('Unheard');
  t.equal((await ask('GET', configMaps, alice)).code, 200, 'the one before goes on');
  put('authorization.yaml', configuration(rbac));
  t.equal(
    (
      await until(
        () => ask('GET', configMaps, alice),
        ({ code }) => code !== 200,
      )
    ).code,
    403,
  );
  put(
    'authorization.yaml',
    configuration(
      rbac,
      webhook(
        put('nowhere.kubeconfig', kubeconfig({ server: 'https://127.0.0.1:1', ca: authority.certificate })),
        'nowhere',
      ),
      webhook(hook),
    ),
  );
  const unheard = await until(
    () => ask('GET', configMaps, alice),
    ({ code }) => code !== 403,
  );
  t.match(
    unheard,
    {
      code: 500,
      body: { message: /^Internal Server Error: "\/api\/v1\/namespaces\/default\/configmaps": .*connection refused/ },
    },
    'an unreachable webhook refuses, and no later authorizer is called',
  );
});

t.test('--oidc-… and webhooks by flags, without anonymous users', async (t) => {
  const key = signingKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
  const issuer = await issuerOf(t, key);
  const tokens = await tlsServer(t, (_, body) => {
    const { spec, ...review } = JSON.parse(body) as { readonly spec: { readonly token: string } };
    return {
      ...review,
      status:
        spec.token === 'wood'
          ? { authenticated: true, user: { username: 'alder', groups: ['trees'] } }
          : { authenticated: false },
    };
  });
  const access = await tlsServer(t, (_, body) => {
    const review = JSON.parse(body) as SubjectAccessReview & { readonly spec: { readonly group?: readonly string[] } };
    return { ...review, status: { allowed: review.spec.group?.includes('trees') === true } }; // v1beta1 calls them `group`
  });
  const { ask, who } = await start(t, (put) => {
    const leading = (name: string, server: string): string =>
      put(name, kubeconfig({ server, ca: authority.certificate }));
    return [
      `--oidc-issuer-url=${issuer}`,
      '--oidc-client-id=moor',
      `--oidc-ca-file=${put('issuer.pem', authority.certificate)}`,
      '--oidc-username-claim=email',
      '--oidc-groups-claim=groups',
      '--oidc-groups-prefix=oidc:',
      '--oidc-required-claim=team=red',
      `--authentication-token-webhook-config-file=${leading('tokens.kubeconfig', tokens)}`,
      '--authorization-mode=Webhook,RBAC',
      `--authorization-webhook-config-file=${leading('access.kubeconfig', access)}`,
      '--anonymous-auth=false',
    ];
  });
  const token = (team: string, count: number): Proof => ({
    token: signJws(
      {
        iss: issuer,
        aud: 'moor',
        email: 'dora@example.com',
        groups: ['devs'],
        team,
        exp: Math.floor(now / 1000) + 3600,
        jti: `${count}`,
      },
      key,
    ),
  });
  let count = 0;
  t.match(
    await until(
      () => who(token('red', count++)),
      (user) => user !== 401,
    ),
    { username: 'dora@example.com', groups: ['oidc:devs', 'system:authenticated'] },
  );
  t.equal(await who(token('blue', count)), 401);
  t.equal((await ask('GET', configMaps, { proof: token('red', count) })).code, 403);
  t.strictSame(await who({ token: 'wood' }), { username: 'alder', groups: ['trees', 'system:authenticated'] });
  t.equal((await ask('GET', configMaps, { proof: { token: 'wood' } })).code, 200);
  t.equal(await who({ token: 'stone' }), 401);
  t.equal((await ask('GET', '/version', { proof: anonymous })).code, 401, 'anonymous requests are refused');
});

t.test('--service-account-issuer and --api-audiences are what tokens say', async (t) => {
  const { ask, who } = await start(t, () => [
    '--service-account-issuer=https://new.example',
    '--service-account-issuer=https://old.example',
    '--api-audiences=moor,heath',
    '--service-account-max-token-expiration=2h',
  ]);
  await ask('POST', '/api/v1/namespaces/default/serviceaccounts', { body: { metadata: { name: 'robot' } } });
  const tokenFor = async (spec: object): Promise<string> =>
    (
      await ask('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', {
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
      })
    ).body.status?.token ?? '';
  const token = await tokenFor({ expirationSeconds: 36_000 });
  const { iss, aud, exp, iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Readonly<
    Record<'iss' | 'aud', unknown> & Record<'exp' | 'iat', number>
  >;
  t.strictSame({ iss, aud, seconds: exp - iat }, { iss: 'https://new.example', aud: ['moor', 'heath'], seconds: 7200 });
  t.match(await who({ token }), { username: 'system:serviceaccount:default:robot' });
  t.match(await who({ token: await tokenFor({ audiences: ['heath'] }) }), {
    username: 'system:serviceaccount:default:robot',
  });
  t.equal(await who({ token: await tokenFor({ audiences: ['https://new.example'] }) }), 401);
  t.match(await ask('GET', '/.well-known/openid-configuration'), {
    code: 200,
    body: { issuer: 'https://new.example' },
  });
});

t.test('--authorization-mode=ABAC decides by a file of policies', async (t) => {
  const { ask, who } = await start(t, (put) => [
    '--authorization-mode=ABAC',
    `--authorization-policy-file=${put('policy.jsonl', ['{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"user": "alice", "namespace": "default", "resource": "configmaps", "apiGroup": "", "readonly": true}}', '# a remark', '{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"group": "system:authenticated", "nonResourcePath": "/version"}}', ''].join('\n'))}`,
    `--token-auth-file=${put('tokens.csv', 'alice-token,alice,1\nbob-token,bob,2\n')}`,
  ]);
  const [alice, bob] = ['alice', 'bob'].map((name) => ({ proof: { token: `${name}-token` } }));
  t.equal((await ask('GET', configMaps, alice)).code, 200);
  t.match(await ask('POST', configMaps, { ...alice, body: { metadata: { name: 'x' } } }), {
    code: 403,
    body: {
      message:
        'configmaps is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the namespace "default": No policy matched.',
    },
  });
  t.equal((await ask('GET', '/api/v1/namespaces/kube-system/configmaps', alice)).code, 403);
  t.equal((await ask('GET', configMaps, bob)).code, 403);
  t.equal((await ask('GET', '/version', bob)).code, 200);
  t.equal((await ask('GET', '/version', { proof: anonymous })).code, 403);
  t.equal(await who({ token: 'bob-token' }), 403, 'there are no roles that allow what they usually do');
  t.equal((await ask('POST', configMaps, { body: { metadata: { name: 'x' } } })).code, 201, 'masters need no policy');
});

t.test('--authorization-mode=AlwaysAllow allows everything to every user except the anonymous one', async (t) => {
  const { ask } = await start(t, (put) => [
    '--authorization-mode=AlwaysAllow',
    `--token-auth-file=${put('tokens.csv', 'alice-token,alice,1\n')}`,
  ]);
  t.equal(
    (await ask('POST', configMaps, { body: { metadata: { name: 'x' } }, proof: { token: 'alice-token' } })).code,
    201,
  );
  t.equal((await ask('GET', configMaps, { proof: anonymous })).code, 401);
  t.equal((await ask('GET', configMaps, { proof: { token: 'wrong' } })).code, 401);
});

t.test('--cert-dir and a store on disk: kubeconfigs and tokens survive a restart, and a change of keys', async (t) => {
  const program = await bundledProgram('lib/command/index.ts');
  // The store looks for its worker where the package has it.
  const worker = fileURLToPath(await bundledProgram('lib/storage/sqlite/database-worker.ts'));
  copyFileSync(worker, join(dirname(worker), 'database-worker.js'));
  const { run } = (await import(program.href)) as { readonly run: Command };
  const at = folderOf(t);
  const begin = (...flags: readonly string[]): Promise<World> =>
    start(t, () => [`--cert-dir=${at('pki')}`, `--storage=sqlite:${at('store.db')}`, ...flags], { at, run });
  const tokenOf = async ({ ask }: World): Promise<string> =>
    (
      await ask('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', {
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      })
    ).body.status?.token ?? '';
  const robot = 'system:serviceaccount:default:robot';

  const first = await begin();
  t.equal(
    (await first.ask('POST', '/api/v1/namespaces/default/serviceaccounts', { body: { metadata: { name: 'robot' } } }))
      .code,
    201,
  );
  const token = await tokenOf(first);
  const user = await first.who({ token });
  t.match(user, { username: robot, uid: /^[-0-9a-f]{36}$/ });
  const { tls } = await loadKubeconfig({ text: first.server.kubeconfig });
  await first.server.close();

  const second = await begin();
  t.strictSame(await second.who({ token }), user, 'the key was kept');
  t.match(await second.who(tls), { username: 'kubernetes-admin' }, 'the kubeconfig of the first start still leads in');
  t.equal((await loadKubeconfig({ text: second.server.kubeconfig })).tls.authorities, tls.authorities);
  await second.server.close();

  const newKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  writeFileSync(at('new.key'), newKey);
  writeFileSync(at('new.pub'), createPublicKey(newKey).export({ type: 'spki', format: 'pem' }));
  const rotated = await begin(
    `--service-account-signing-key-file=${at('new.key')}`,
    `--service-account-key-file=${at('new.pub')}`,
    `--service-account-key-file=${at('pki/sa.key')}`,
  );
  t.strictSame(await rotated.who({ token }), user, 'the old key is still among those that verify');
  const newToken = await tokenOf(rotated);
  t.match(await rotated.who({ token: newToken }), { username: robot });
  await rotated.server.close();

  const done = await begin(`--service-account-signing-key-file=${at('new.key')}`);
  t.equal(await done.who({ token }), 401, 'the old key is gone');
  t.match(await done.who({ token: newToken }), { username: robot });
});
