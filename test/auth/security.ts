// Attacks on authentication and authorization, one test for each class, on a whole server put together as `vivarium serve`
// does it, mostly over the wire. Each attack has to be refused with the code and the words of a real server, leave the
// store as it was, be told to the audit log for what it was, and take no secret along.
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { NEVER } from 'rxjs';
import t, { type Test } from 'tap';
import { isSameSecret } from '../../lib/auth/index.js';
import type { ClientCertificate } from '../../lib/auth/index.js';
import { signJws, signingKey } from '../../lib/auth/node/index.js';
import type { ApiRequest } from '../../lib/client/index.js';
import { authenticationOf } from '../../lib/command/authentication.js';
import { authenticationDefaults } from '../../lib/command/authentication-flags.js';
import { authorizationOf } from '../../lib/command/authorization.js';
import { authorizationDefaults } from '../../lib/command/authorization-flags.js';
import type { Surroundings } from '../../lib/command/surroundings.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { JsonObject, VirtualClock } from '../../lib/core/index.js';
import type { PolicyRule } from '../../lib/core/types/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import type { ApiServer, AuditEvent, AuditPolicy, FetchExtras, ServerOptions } from '../../lib/server/index.js';
import { listen } from '../../lib/server/node/index.js';
import type { Listening } from '../../lib/server/node/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Store } from '../../lib/storage/index.js';
import { authority, client, clientAuth, commonName, isAuthority, isNoAuthority, issue, now, organization, purposes, serverAuth } from '../support/certificates.js';
import type { Issued } from '../support/certificates.js';

const issuer = 'https://issuer.example';
const accountPem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const accountKey = signingKey(accountPem);
const clients = authority('clients');
const proxies = authority('proxies');
const files: Readonly<Record<string, string>> = {
  clients: clients.pem,
  proxies: proxies.pem,
  passwords: 'correct-horse-battery,paul,u-paul\n',
  tokens: [
    'secret-of-admin,admin,u-admin,system:masters',
    'secret-of-alice,alice,u-alice,"dev"',
    'secret-of-bob,bob,u-bob',
    'secret-of-node-a,system:node:a,u-a,system:nodes',
    'secret-of-node-b,system:node:b,u-b,system:nodes',
    'secret-of-no-node,system:node:a,u-a',
    'secret-of-no-name,node-a,u-a,system:nodes',
  ].join('\n'),
};

/** A request of an attacker, or of somebody who may. */
interface Question extends FetchExtras {
  /** Whose token it brings; nobody's without. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  /** The form of a patch. */
  readonly type?: string;
  /** Sent through a socket, its path as it stands: fetch would straighten it. */
  readonly verbatim?: boolean;
}

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly headers: Headers;
  /** The body, where it is JSON. */
  readonly body: JsonObject;
}

interface Scene {
  readonly server: ApiServer;
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly events: AuditEvent[];
  /** All that the server said to anybody. */
  readonly said: string[];
  ask(method: string, path: string, question?: Question): Promise<Answer>;
  /** Sends lines as they are, and answers all that is said to them. */
  say(...lines: readonly string[]): Promise<string>;
  /** As an administrator; fails where it is refused. */
  make(path: string, object: JsonObject): Promise<Answer>;
  /** Gives a user rules, everywhere or in one namespace. */
  grant(user: string, rules: readonly PolicyRule[], namespace?: string): Promise<void>;
  /** A token of a ServiceAccount, for which the administrator asks. */
  tokenFor(account: string, spec?: JsonObject, namespace?: string): Promise<string>;
}

/** What is recorded never holds a secret, if the policy is one that Kubernetes recommends. */
const audit: AuditPolicy = {
  rules: [{ level: 'Metadata', resources: [{ resources: ['secrets', 'serviceaccounts/token'] }, { group: 'authentication.k8s.io', resources: ['tokenreviews'] }] }, { level: 'RequestResponse' }],
};

async function scene(t: Test, options: Partial<ServerOptions> = {}): Promise<Scene> {
  const clock = virtualClock({ start: now });
  const said: string[] = [];
  const surroundings: Surroundings = {
    print: (line) => void said.push(line),
    readFile: (path) => Promise.resolve(files[path] ?? ''),
    findFile: () => Promise.resolve(undefined),
    writeFile: () => Promise.resolve(),
    removeFile: () => Promise.resolve(),
    temporaryFile: (name) => name,
    fileChanges: () => NEVER,
  };
  const authentication = await authenticationOf(
    {
      ...authenticationDefaults,
      tokenFile: 'tokens',
      basicFile: 'passwords',
      bootstrapTokens: true,
      clientCaFile: 'clients',
      proxy: { clientCaFile: 'proxies', allowedNames: ['front'], usernameHeaders: ['X-Remote-User'], uidHeaders: ['X-Remote-Uid'], groupHeaders: ['X-Remote-Group'], extraPrefixes: ['X-Remote-Extra-'] },
      accounts: { ...authenticationDefaults.accounts, issuers: [issuer] },
    },
    { surroundings, clock, accountKey: accountPem, anonymous: true },
  );
  const authorization = await authorizationOf(authorizationDefaults, surroundings, clock);
  const store = memoryStore({ clock });
  const { authenticators, tokens, apiAudiences, info } = authentication;
  const server = createServer({ store, clock, random: random(1), authenticators, authorizers: authorization.authorizers, tokens, apiAudiences, authenticationInfo: info, audit, ...options });
  const events: AuditEvent[] = [];
  server.audit$.subscribe((event) => {
    events.push(event);
    said.push(JSON.stringify(event));
  });
  const handle = fetchHandler(server.handler, { clock, random: random(2), onDefect: (error) => said.push(`defect: ${String(error)}`) });
  let listening: Listening | undefined;
  const port = async (): Promise<number> => (listening ??= await listen(server.handler, { port: 0 })).port;
  const ask: Scene['ask'] = async (method, path, { as, headers: given = {}, body, type, verbatim = false, ...extras } = {}) => {
    const headers = { ...(as !== undefined && { Authorization: `Bearer ${as}` }), ...(body !== undefined && { 'Content-Type': type ?? 'application/json' }), ...given };
    const pairs = Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value]));
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = verbatim ? await verbatimAnswer(await port(), method, path, pairs) : await handle(new Request(`http://x${path}`, { method, headers: pairs, ...content }), extras);
    const text = await response.text();
    if (as !== admin) said.push([...response.headers].join('\n'), text);
    return { code: response.status, text, headers: response.headers, body: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {} };
  };
  const make: Scene['make'] = async (path, object) => {
    const answer = await ask('POST', path, { as: admin, body: object });
    if (answer.code !== 201) throw new Error(`${path}: ${answer.text}`);
    return answer;
  };
  let granted = 0;
  // With the first request the server begins: what it writes then is nobody's doing.
  await ask('GET', '/version');
  t.teardown(async () => {
    await listening?.close();
    await server.close();
    authentication.close();
    authorization.close();
  });
  return {
    server,
    clock,
    store,
    events,
    said,
    ask,
    make,
    say: async (...lines) => say(await port(), lines),
    async grant(user, rules, namespace) {
      const name = `granted-${++granted}`;
      const [at, kind] = namespace === undefined ? [rbac, 'ClusterRole'] : [`${rbac}/namespaces/${namespace}`, 'Role'];
      await make(`${at}/${kind.toLowerCase()}s`, { metadata: { name }, rules: rules as unknown as JsonObject[] });
      await make(`${at}/${kind.toLowerCase()}bindings`, { metadata: { name }, roleRef: { apiGroup: rbacGroup, kind, name }, subjects: [{ apiGroup: rbacGroup, kind: 'User', name: user }] });
    },
    async tokenFor(account, spec = {}, namespace = 'default') {
      const { body } = await make(`${core}/namespaces/${namespace}/serviceaccounts/${account}/token`, { spec });
      return (body as { readonly status: { readonly token: string } }).status.token;
    },
  };
}

/** Sends a request as it is written. */
async function verbatimAnswer(port: number, method: string, path: string, headers: readonly (readonly [string, string])[]): Promise<Response> {
  const request = httpRequest({ port, method, path, agent: false });
  for (const [name, value] of headers) request.appendHeader(name, value);
  request.end();
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return new Response(Buffer.concat(parts), { status: message.statusCode ?? 0, headers: Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]) });
}

async function say(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.on('error', () => undefined);
  socket.end(`${lines.join('\r\n')}\r\n\r\n`);
  await once(socket, 'close');
  return Buffer.concat(parts).toString('latin1');
}

const core = '/api/v1';
const rbacGroup = 'rbac.authorization.k8s.io';
const rbac = `/apis/${rbacGroup}/v1`;
const [admin, alice, bob] = ['secret-of-admin', 'secret-of-alice', 'secret-of-bob'];
const inDefault = (rest: string): string => `${core}/namespaces/default/${rest}`;
const rule = (apiGroups: string[], resources: string[], verbs: string[], resourceNames?: string[]): PolicyRule => ({ apiGroups, resources, verbs, ...(resourceNames && { resourceNames }) });
const uidOf = ({ body }: Answer): string => (body as { readonly metadata: { readonly uid: string } }).metadata.uid;
const podOn = (name: string, node: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({ metadata: { name, ...metadata }, spec: { nodeName: node, containers: [{ name: 'c', image: 'i' }], ...spec } });
const secret = (name: string): JsonObject => ({ metadata: { name }, stringData: { treasure: `gold of ${name}` } });

/** Asks, and checks that nothing came of it. */
async function denied(t: Test, { store, events, ask }: Scene, [method, path, question]: readonly [method: string, path: string, question?: Question], code: number, message?: string | RegExp): Promise<Answer> {
  const name = `${method} ${path.slice(0, 200)}`;
  const before = await store.revision();
  events.length = 0;
  const answer = await ask(method, path, question);
  t.equal(answer.code, code, `${name}: ${answer.text.slice(0, 300)}`);
  t.equal(await store.revision(), before, `${name} changes nothing`);
  if (message !== undefined) t.match(answer.body.message ?? answer.text, message, name);
  t.notMatch(answer.text, /gold of/, `${name} tells nothing`);
  t.equal(events.at(-1)?.responseStatus?.code, code, `${name} is recorded`);
  return answer;
}

/** Denied by the authorizers, to whose decision the audit log bears witness. */
async function forbidden(t: Test, scene: Scene, question: Parameters<typeof denied>[2], message?: string | RegExp): Promise<Answer> {
  const answer = await denied(t, scene, question, 403, message);
  t.match(answer.body, { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403 });
  t.equal(scene.events.at(-1)?.annotations?.['authorization.k8s.io/decision'], 'forbid', `${question[0]} ${question[1].slice(0, 200)} is recorded as forbidden`);
  t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  return answer;
}

/** The same for whatever is wrong. */
const unauthorizedBody = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 };

/** Denied for its credentials, in the same words for every reason; never taken for nobody's. */
async function unknown(t: Test, scene: Scene, question: Question, why: string): Promise<void> {
  // Open to everybody: who is taken for nobody would be answered.
  const answer = await denied(t, scene, ['GET', '/version', question], 401);
  t.strictSame(answer.body, unauthorizedBody, why);
  t.match(scene.events.at(-1), { stage: 'ResponseStarted', user: {}, responseStatus: { message: 'Unauthorized' } }, why);
  t.strictSame(scene.events.at(-1)?.user, {}, why);
}

const presenting = (leaf: Issued, ...intermediates: readonly Issued[]): ClientCertificate => ({ raw: leaf.raw, intermediates: intermediates.map(({ raw }) => raw) });
const part = (content: unknown): string => Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64url');

/** A token with any header, signed in any way. */
function forged(header: unknown, claims: unknown, signatureOf: (signed: string) => Buffer = () => Buffer.alloc(0)): string {
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${signatureOf(signed).toString('base64url')}`;
}

/** The claims of a good token, to be spoilt. */
const claimsOf = (token: string): JsonObject => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;

/** A scene with a robot and a good token of it. */
async function withRobot(t: Test): Promise<{ readonly scene: Scene; readonly token: string; readonly claims: JsonObject }> {
  const made = await scene(t);
  await made.make(inDefault('serviceaccounts'), { metadata: { name: 'robot' } });
  const token = await made.tokenFor('robot');
  t.match((await made.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { as: token, body: {} })).body, { status: { userInfo: { username: 'system:serviceaccount:default:robot' } } }, 'the token itself is good');
  return { scene: made, token, claims: claimsOf(token) };
}

// Tokens.

t.test('a token cannot choose how it is verified', async (t) => {
  const { scene, claims } = await withRobot(t);
  const { kid } = accountKey;
  const publicKey = createPublicKey(accountPem);
  const asSecret = [publicKey.export({ type: 'spki', format: 'pem' }) as string, (publicKey.export({ type: 'spki', format: 'pem' }) as string).trim(), publicKey.export({ type: 'spki', format: 'der' }), JSON.stringify(publicKey.export({ format: 'jwk' })), ''];
  for (const [alg, hash] of [['HS256', 'sha256'], ['HS384', 'sha384'], ['HS512', 'sha512']] as const) {
    for (const key of asSecret) await unknown(t, scene, { as: forged({ alg, kid }, claims, (signed) => createHmac(hash, key).update(signed).digest()) }, `${alg} with the public key`);
  }
  for (const alg of ['none', 'None', 'NONE', 'nOnE', '', 'RS256 ', 'rs256', 'HS256,RS256', '__proto__', 'constructor']) {
    await unknown(t, scene, { as: forged({ alg, kid }, claims) }, `without a signature as ${alg}`);
    await unknown(t, scene, { as: forged({ alg, kid }, claims, (signed) => sign('sha256', Buffer.from(signed), accountPem)) }, `signed, but as ${alg}`);
  }
  for (const alg of [['RS256'], null, 256, {}, undefined]) await unknown(t, scene, { as: forged({ alg, kid }, claims, (signed) => sign('sha256', Buffer.from(signed), accountPem)) }, 'an algorithm that is no text');
  for (const [alg, hash] of [['RS384', 'sha384'], ['RS512', 'sha512'], ['ES256', 'sha256'], ['PS256', 'sha256']] as const) await unknown(t, scene, { as: forged({ alg, kid }, claims, (signed) => sign(hash, Buffer.from(signed), accountPem)) }, `the right key as ${alg}`);
  const pss = forged({ alg: 'PS256', kid }, claims, (signed) => sign('sha256', Buffer.from(signed), { key: accountPem, padding: 6, saltLength: 32 }));
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
    await unknown(t, scene, { as: forged({ alg: 'RS256', ...header }, claims, byOwn) }, JSON.stringify(header).slice(0, 80));
  }
  const right = (signed: string): Buffer => sign('sha256', Buffer.from(signed), accountPem);
  await unknown(t, scene, { as: forged({ alg: 'RS256', kid: ownKid }, claims, right) }, 'the right key under the name of another');
  await unknown(t, scene, { as: forged({ alg: 'RS256', kid: [accountKey.kid] }, claims, right) }, 'a list of keys');
  await unknown(t, scene, { as: forged({ alg: 'RS256', kid: accountKey.kid, crit: ['exp'] }, claims, right) }, 'something critical that nobody understands');
  await unknown(t, scene, { as: forged({ alg: 'RS256', b64: false, kid: accountKey.kid, crit: ['b64'] }, claims, right) }, 'a payload that is not encoded');
});

t.test('a token is taken in one form only', async (t) => {
  const { scene, token, claims } = await withRobot(t);
  const [header = '', payload = '', signature = ''] = token.split('.');
  const serialized = JSON.stringify({ protected: header, payload, signature }).replaceAll(' ', '');
  const twice = `${part('{"alg":"RS256","alg":"none"}')}.${payload}.`;
  for (const other of [serialized, `${token}.`, `.${token}`, `${token}..`, `${header}.${payload}`, `${header}.${payload}.`, `${token}=`, `${header}=.${payload}.${signature}`, `${token}%00`, twice, '.'.repeat(100_000), `${header}${'.'.repeat(1000)}`]) await unknown(t, scene, { as: other }, other.slice(0, 60));
  const doubled = forged({ alg: 'RS256', kid: accountKey.kid }, JSON.stringify(claims).replace('{', '{"sub":"system:serviceaccount:kube-system:default",'), (signed) => sign('sha256', Buffer.from(signed), accountPem));
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
    ['by nobody', { iss: '' }],
    ['by the legacy issuer, without its claims', { iss: 'kubernetes/serviceaccount' }],
    ['without an account', { 'kubernetes.io': { namespace: 'default' } }],
    ['of an account elsewhere', { 'kubernetes.io': { namespace: 'kube-system', serviceaccount: (claims['kubernetes.io'] as JsonObject).serviceaccount ?? null } }],
    ['of an account by path', { 'kubernetes.io': { namespace: 'kube-system/../default', serviceaccount: (claims['kubernetes.io'] as JsonObject).serviceaccount ?? null } }],
    ['with claims of the wrong type', { 'kubernetes.io': 'default' }],
  ] as const) {
    await unknown(t, scene, { as: spoilt(more as JsonObject) }, why);
  }
  t.equal((await scene.ask('GET', '/version', { as: spoilt({ exp: seconds - 59, nbf: seconds + 59 }) })).code, 200, 'clocks may be a minute apart');
  await scene.clock.advance(3_661_000 + 60_000);
  await unknown(t, scene, { as: spoilt({}) }, 'the good one, an hour later');
});

t.test('who the claims say somebody is, is the account that they name', async (t) => {
  const { scene, claims } = await withRobot(t);
  const boasting = signJws({ ...claims, sub: 'system:admin', groups: ['system:masters'], 'kubernetes.io': { ...(claims['kubernetes.io'] as JsonObject), groups: ['system:masters'] } }, accountKey);
  const { body } = await scene.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { as: boasting, body: {} });
  t.match(body, { status: { userInfo: { username: 'system:serviceaccount:default:robot', groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'] } } });
});

t.test('a token ends with the account, pod, secret or node that it is of', async (t) => {
  const { scene, token } = await withRobot(t);
  const { make, ask, clock, tokenFor } = scene;
  const works = async (as: string, why: string): Promise<void> => void t.equal((await ask('GET', '/version', { as })).code, 200, why);
  const remove = async (path: string, query = ''): Promise<void> => void t.equal((await ask('DELETE', `${path}${query}`, { as: admin })).code, 200, path);
  const past = async (): Promise<void> => clock.advance(10_001);
  await make(`${core}/nodes`, { metadata: { name: 'a' } });
  await make(inDefault('secrets'), secret('s'));
  await make(inDefault('pods'), podOn('p', 'a', { serviceAccountName: 'robot', terminationGracePeriodSeconds: 30 }));
  const bound = async (kind: string, name: string): Promise<string> => tokenFor('robot', { boundObjectRef: { kind, apiVersion: 'v1', name } });
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
  const asking = (spec: JsonObject, metadata: JsonObject = {}): [string, string, Question] => ['POST', inDefault('serviceaccounts/robot/token'), { as: admin, body: { metadata, spec } }];
  await denied(t, scene, asking({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'others' } }), 400, /cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name/);
  await denied(t, scene, asking({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'others', uid: 'x' } }), 400);
  await denied(t, scene, asking({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: '../default/others' } }), 400, /may not contain '\/'/);
  await denied(t, scene, asking({ boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'x' } }), 400);
  await denied(t, scene, asking({}, { name: 'default' }), 422);
  await denied(t, scene, asking({}, { namespace: 'kube-system' }), 400);
});

t.test('bootstrap tokens are taken whole and right, or not at all', async (t) => {
  const made = await scene(t);
  const kept = (id: string, more: Record<string, string> = {}): JsonObject => ({
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true', ...more },
  });
  const secrets = `${core}/namespaces/kube-system/secrets`;
  await made.make(secrets, kept('abcdef'));
  t.equal((await made.ask('GET', '/version', { as: 'abcdef.0123456789abcdef' })).code, 200);
  for (const wrong of ['abcdef.0123456789abcdeg', 'abcdef.0123456789abcde', 'abcdef.0123456789abcdef0', 'ABCDEF.0123456789abcdef', 'abcdef.0123456789abcdef.', 'abcdef.0123456789abcdef.x', '.0123456789abcdef', 'abcdef.', '../abc.0123456789abcdef']) await unknown(t, made, { as: wrong }, wrong);
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
  const review = async (audiences?: readonly string[]): Promise<JsonObject> => (await scene.make('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, ...(audiences && { audiences: [...audiences] }) } })).body.status as JsonObject;
  t.match(await review(), { authenticated: true, audiences: [issuer] });
  t.match(await review(['https://other.example']), { user: {}, error: /token audiences \["https:\/\/issuer.example"\] is invalid for the target audiences/ }, 'what is remembered is remembered for its audiences');
  t.match(await review(), { authenticated: true });
  t.equal((await scene.ask('DELETE', inDefault('serviceaccounts/robot'), { as: admin })).code, 200);
  await scene.clock.advance(9_999);
  t.equal((await scene.ask('GET', '/version', { as: token })).code, 200, 'still remembered');
  await scene.clock.advance(1);
  await unknown(t, scene, { as: token }, 'ten seconds later');
  const { authenticated, error } = await review();
  t.notOk(authenticated);
  t.match(error, /serviceaccounts "robot" not found/, 'who may review tokens is told why');
});

t.test('every secret is compared by the one function that tells nothing by its time', async (t) => {
  // What a comparison costs cannot be tested by time, only what it does: it looks at every place, whatever it found.
  const looks = (one: string, other: string): number => {
    let count = 0;
    const counted = (text: string): string => ({ length: text.length, charCodeAt: (at: number) => (count++, text.charCodeAt(at)) }) as unknown as string;
    isSameSecret(counted(one), counted(other));
    return count;
  };
  const right = 'secret-of-admin';
  const work = [right, 'Xecret-of-admin', 'secret-of-admiX', 'XXXXXXXXXXXXXXX'].map((guess) => looks(right, guess));
  t.strictSame(new Set(work), new Set([2 * right.length]), 'equal work for the right one, a nearly right one and a wrong one');
  for (const file of ['authentication/token-file', 'authentication/basic-auth', 'authentication/bootstrap-tokens', 'node/service-accounts/legacy-tokens']) {
    t.match(readFileSync(`lib/auth/${file}.ts`, 'utf8'), /(?:isSameSecret|timingSafeEqual)\(/, file);
  }
});

// What requests carry besides.

t.test('headers cannot smuggle anybody in', async (t) => {
  const made = await scene(t);
  const proxied = { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters', 'X-Remote-Uid': '0', 'X-Remote-Extra-Scopes': 'all' };
  const anonymous = /^secrets is forbidden: User "system:anonymous" cannot list resource "secrets"/;
  const list = `${core}/secrets`;
  await forbidden(t, made, ['GET', list, { headers: proxied }], anonymous);
  await forbidden(t, made, ['GET', list, { headers: proxied, verbatim: true }], anonymous);
  await forbidden(t, made, ['GET', list, { as: alice, headers: { ...proxied, 'x-remote-user': 'admin', X_Remote_User: 'admin' } }], /User "alice"/);
  await forbidden(t, made, ['GET', list, { headers: proxied, certificate: presenting(client(clients)) }], /User "alice"/);
  await unknown(t, made, { headers: proxied, certificate: presenting(client(proxies)) }, 'a certificate for proxies, of no proxy that is allowed');
  const front = client(proxies, { name: [[commonName, 'front']] });
  t.equal((await made.ask('GET', list, { headers: proxied, certificate: presenting(front) })).code, 200, 'the proxy is believed');
  for (const cn of ['front ', 'Front', 'front\u0000', 'front,front']) await unknown(t, made, { headers: proxied, certificate: presenting(client(proxies, { name: [[commonName, cn]] })) }, `a proxy called ${JSON.stringify(cn)}`);
  await unknown(t, made, { headers: {}, certificate: presenting(front) }, 'a proxy is nobody itself');

  // Of several headers the first counts, and whatever does not look like a token is none.
  const both = (...values: readonly string[]): Question => ({ verbatim: true, headers: { Authorization: values } });
  await unknown(t, made, both('Bearer wrong', `Bearer ${admin}`), 'the first is wrong');
  await forbidden(t, made, ['GET', list, both(`Bearer ${alice}`, `Bearer ${admin}`)], /User "alice"/);
  await forbidden(t, made, ['GET', list, both(`Bearer ${alice} Bearer ${admin}`)], /User "alice"/);
  await forbidden(t, made, ['GET', list, both(`bEARER ${alice}`)], /User "alice"/);
  await unknown(t, made, both(`Bearer ${alice}, Bearer ${admin}`), 'two tokens in one header');
  await unknown(t, made, { headers: { Authorization: [`Bearer ${alice}`, `Bearer ${admin}`] } }, 'two headers that somebody joined');
  await unknown(t, made, both(`Bearer "${admin}"`), 'a quoted token');
  for (const none of [`Token ${admin}`, `Bearer  ${admin}`, `Bearer\t${admin}`, `Bearer:${admin}`, admin, 'Bearer']) await forbidden(t, made, ['GET', list, both(none)], anonymous);
  await forbidden(t, made, ['GET', `${list}?access_token=${admin}&token=${admin}`], anonymous);
  await forbidden(t, made, ['GET', list, { headers: { Cookie: `token=${admin}; Authorization=Bearer ${admin}`, 'X-Authorization': `Bearer ${admin}`, 'Proxy-Authorization': `Bearer ${admin}` } }], anonymous);

  const request = (...headers: readonly string[]): Promise<string> => made.say(`GET ${list} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers);
  t.match(await request('Authorization: Bearer wrong', ` Bearer ${admin}`), /^HTTP\/1\.1 4\d\d /, 'a folded header');
  t.match(await request('Authorization : Bearer x'), /^HTTP\/1\.1 400 /, 'a space before the colon');
  t.match(await request(`X-A: b\rAuthorization: Bearer ${admin}`), /^HTTP\/1\.1 4\d\d /, 'a bare carriage return');
  t.match(await request(`X-A: b\nAuthorization: Bearer ${admin}`).then((text) => text.split('\r\n')[0]), /^HTTP\/1\.1 (200|400) /, 'a bare line feed ends a line, or nothing does');
  t.match(await request('Content-Length: 5', 'Transfer-Encoding: chunked'), /^HTTP\/1\.1 400 /, 'two lengths');
});

t.test('a WebSocket brings one token', async (t) => {
  const made = await scene(t);
  const carrier = (token: string): string => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
  const upgrade = (protocols: string): Promise<string> => made.say(`GET ${core}/secrets?watch=true HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', `Sec-WebSocket-Protocol: ${protocols}`);
  for (const wrong of [`${carrier(alice)}, ${carrier(admin)}, v4`, `${carrier(admin)}`, `${carrier('wrong')}, v4`, `${carrier(admin)}=, v4`, `base64url.bearer.authorization.k8s.io.${admin}, v4`]) t.match(await upgrade(wrong), /^HTTP\/1\.1 401 [^]*"message":"Unauthorized"/, wrong.slice(0, 80));
  t.match(await upgrade(`${carrier(alice)}, v4`), /^HTTP\/1\.1 403 [^]*User \\"alice\\" cannot watch/);
  t.match(await made.say(`GET ${core}/secrets HTTP/1.1`, 'Host: x', 'Connection: close', `Sec-WebSocket-Protocol: ${carrier(admin)}, v4`), /^HTTP\/1\.1 403 [^]*system:anonymous/, 'without an upgrade it is no token');
});

t.test('a certificate counts with everything that vouches for it', async (t) => {
  const made = await scene(t);
  const master = { name: [[organization, 'system:masters'], [commonName, 'admin']] } as const;
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
  await unknown(t, made, { certificate: presenting(client(clients, { ...master, untilMs: now - 1000 })), headers: { 'X-Remote-User': 'admin' } }, 'headers do not help it');
  t.equal((await made.ask('GET', '/version', { as: alice, certificate: presenting(client(stranger, master)) })).code, 200, 'a good token stands beside a bad certificate');
  await forbidden(t, made, ['GET', `${core}/secrets`, { as: alice, certificate: presenting(client(stranger, master)) }], /User "alice"/);
});

t.test('wrong credentials are never taken for none', async (t) => {
  const made = await scene(t);
  t.equal((await made.ask('GET', '/version')).code, 200, 'nobody may ask for the version');
  await forbidden(t, made, ['GET', '/'], 'forbidden: User "system:anonymous" cannot get path "/"');
  await unknown(t, made, { as: 'wrong' }, 'a token');
  await unknown(t, made, { as: 'a.b.c' }, 'a token that looks like one');
  await unknown(t, made, { headers: { Authorization: `Basic ${Buffer.from('paul:wrong').toString('base64')}` } }, 'a password');
  await unknown(t, made, { headers: { Authorization: `Basic ${Buffer.from('nobody:correct-horse-battery').toString('base64')}` } }, 'a name');
  await unknown(t, made, { as: 'wrong', headers: { 'Impersonate-User': 'system:anonymous' } }, 'not even by becoming nobody');
});

// In whose name.

t.test('nobody becomes more than they may', async (t) => {
  const made = await scene(t);
  await made.grant('alice', [rule([''], ['users'], ['impersonate'], ['bob']), rule([''], ['groups'], ['impersonate'], ['dev']), rule(['authentication.k8s.io'], ['userextras/scopes'], ['impersonate'], ['view'])]);
  await made.grant('bob', [rule([''], ['users', 'groups'], ['impersonate'])]);
  await made.make(inDefault('secrets'), secret('s'));
  const list = inDefault('secrets');
  const asAlice = (headers: NonNullable<Question['headers']>): readonly ['GET', string, Question] => ['GET', list, { as: alice, headers }];
  const may = async (headers: NonNullable<Question['headers']>): Promise<unknown> => (await made.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { as: alice, headers, body: {} })).body.status;
  t.strictSame(await may({ 'Impersonate-User': 'bob', 'Impersonate-Group': 'dev', 'Impersonate-Extra-Scopes': 'view' }), { userInfo: { username: 'bob', groups: ['dev', 'system:authenticated'], extra: { scopes: ['view'] } } }, 'what she may');
  const cannot = (what: string): RegExp => new RegExp(`is forbidden: User "alice" cannot impersonate resource "${what}"`);
  for (const [headers, what] of [
    [{ 'Impersonate-User': 'admin' }, 'users'],
    [{ 'Impersonate-User': 'Bob' }, 'users'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Group': 'system:masters' }, 'groups'],
    [{ 'impersonate-user': 'bob', 'IMPERSONATE-GROUP': 'system:masters' }, 'groups'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Group': ['dev', 'system:masters'] }, 'groups'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Group': 'system:nodes' }, 'groups'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Uid': 'u-admin' }, 'uids'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Extra-Scopes': ['view', 'all'] }, 'userextras/scopes'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Extra-authentication.kubernetes.io%2fnode-name': 'a' }, 'userextras/authentication.kubernetes.io/node-name'],
    [{ 'Impersonate-User': 'bob', 'Impersonate-Extra-__proto__': 'x' }, 'userextras/__proto__'],
    [{ 'Impersonate-User': 'system:serviceaccount:kube-system:default' }, 'serviceaccounts'],
    [{ 'Impersonate-User': 'system:node:a' }, 'users'],
    [{ 'Impersonate-User': 'system:anonymous' }, 'users'],
  ] as const) {
    const answer = await denied(t, made, asAlice(headers), 403);
    t.match(answer.body.message, cannot(what), JSON.stringify(headers));
    t.match(made.events.at(-1), { user: { username: 'alice' } });
    t.equal(made.events.at(-1)?.impersonatedUser, undefined, 'nobody was become');
    t.equal((await made.ask(...(['GET', list, { as: alice, headers, verbatim: true }] as const))).code, 403, 'over a socket');
  }
  // Through somebody who may become everybody: alice becomes bob and stays there.
  await denied(t, made, asAlice({ 'Impersonate-User': ['bob', 'admin'], 'Impersonate-Group': 'system:masters' }), 403);
  await forbidden(t, made, ['GET', list, { as: alice, verbatim: true, headers: { 'Impersonate-User': ['bob', 'admin'] } }], /^secrets is forbidden: User "bob" cannot list/);
  t.match(made.events.at(-1), { user: { username: 'alice' }, impersonatedUser: { username: 'bob' } });
  for (const headers of [{ 'Impersonate-Group': 'system:masters' }, { 'Impersonate-Uid': '1' }, { 'Impersonate-Extra-Scopes': 'view' }, { 'Impersonate-User': '', 'Impersonate-Group': 'dev' }]) await denied(t, made, asAlice(headers), 400, /without impersonating a user name$/);
  await forbidden(t, made, asAlice({ 'Impersonate-Unknown': 'x' }), /User "alice" cannot list/);
});

t.test('becoming somebody takes the whole of the constrained rights', async (t) => {
  const made = await scene(t);
  await made.make(inDefault('secrets'), secret('s'));
  await made.grant('alice', [rule(['authentication.k8s.io'], ['users', 'groups'], ['impersonate:user-info']), rule([''], ['secrets'], ['impersonate-on:user-info:get'])]);
  await made.grant('reader', [rule([''], ['secrets'], ['get', 'list', 'delete'])]);
  const reader = { 'Impersonate-User': 'reader' };
  t.equal((await made.ask('GET', inDefault('secrets/s'), { as: alice, headers: reader })).code, 200, 'what is allowed');
  await denied(t, made, ['GET', inDefault('secrets'), { as: alice, headers: reader }], 403, /cannot impersonate/);
  await denied(t, made, ['DELETE', inDefault('secrets/s'), { as: alice, headers: reader }], 403, /cannot impersonate/);
  await denied(t, made, ['GET', inDefault('secrets/s'), { as: alice, headers: { 'Impersonate-User': 'x', 'Impersonate-Group': 'system:masters' } }], 403, /impersonat/);
  await denied(t, made, ['GET', inDefault('secrets/s'), { as: alice, headers: { 'Impersonate-User': 'system:node:a' } }], 403, /cannot impersonate/);
  await denied(t, made, ['GET', inDefault('secrets/s'), { as: alice, headers: { 'Impersonate-User': 'system:serviceaccount:default:robot' } }], 403, /cannot impersonate/);
});

// What requests are about.

t.test('paths say what they say, and nothing leads around the rules', async (t) => {
  const made = await scene(t);
  await made.make(inDefault('secrets'), secret('x'));
  await made.make(`${core}/namespaces`, { metadata: { name: 'open' } });
  await made.grant('alice', [rule([''], ['*'], ['*'])], 'open');
  await made.grant('bob', [rule([''], ['*', '..', 'configmaps'], ['*'])], 'default/..'.slice(0, 7));
  // Whose code and words they are: a real server's, for somebody without rights and for an administrator.
  const cases: readonly (readonly [path: string, refusal: string, code: number])[] = [
    ['namespaces/default%2fsecrets', 'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default"', 200],
    ['namespaces/default/secrets%2fx', 'secrets "x" is forbidden: User "alice" cannot get resource "secrets"', 200],
    ['namespaces/default/secrets/%2e%2e', 'secrets ".." is forbidden', 400],
    ['namespaces/default/secrets/..', 'secrets ".." is forbidden', 400],
    ['namespaces/default/secrets/../pods', 'secrets ".." is forbidden: User "alice" cannot get resource "secrets/pods"', 404],
    ['namespaces/default/../open/secrets', '.. "open" is forbidden: User "alice" cannot get resource "../secrets"', 404],
    ['namespaces/default%2f..%2fopen/secrets', '.. "open" is forbidden: User "alice" cannot get resource "../secrets"', 404],
    ['namespaces/%2e%2e/secrets', 'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace ".."', 500],
    ['namespaces/default/secrets%252fx', 'secrets%2fx is forbidden: User "alice" cannot list resource "secrets%2fx"', 404],
    ['/namespaces/default/secrets', 'forbidden: User "alice" cannot get resource "/default" in API group "" at the cluster scope', 404],
    ['namespaces/default/secrets/', 'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default"', 200],
    ['namespaces/default/secrets//', 'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default"', 200],
    ['namespaces/default/Secrets', 'Secrets is forbidden: User "alice" cannot list resource "Secrets"', 404],
    ['namespaces/DEFAULT/secrets', 'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "DEFAULT"', 200],
    ['namespaces/OPEN/secrets', 'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "OPEN"', 200],
    ['namespaces/default/secrets/x%00', 'secrets "x\\x00" is forbidden', 404],
    ['namespaces/default%00/secrets', 'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default\\x00"', 200],
    ['namespaces/open%00default/secrets/x', 'secrets "x" is forbidden', 404],
    ['namespaces/default/s%D0%B5crets', 's\u0435crets is forbidden', 404],
    ['namespaces/default/pods/x/Exec', 'pods "x" is forbidden: User "alice" cannot get resource "pods/Exec"', 404],
    ['namespaces//secrets', 'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" at the cluster scope', 200],
    ['namespaces/default/secrets?fieldSelector=metadata.name%3D..%2Fx', 'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default"', 200],
  ];
  for (const [path, refusal, code] of cases) {
    const { body } = await forbidden(t, made, ['GET', `${core}/${path}`, { as: alice, verbatim: true }]);
    t.ok((body.message as string).startsWith(refusal), `${path}: ${String(body.message)}`);
    t.equal((await made.ask('GET', `${core}/${path}`, { as: admin, verbatim: true })).code, code, `${path} for an administrator`);
  }
  const outside: readonly (readonly [path: string, code: number])[] = [['//api/v1/namespaces/default/secrets', 404], ['/API/v1/namespaces/default/secrets', 404], ['/api/V1/namespaces/default/secrets', 404], ['/apis//v1/secrets', 404], ['/api/v1/proxy/namespaces/default/pods/x', 404], ['/healthz/../api/v1/secrets', 404], ['/version/../api/v1/secrets', 404], ['/healthz%2f..%2fapi%2fv1%2fsecrets', 404]];
  for (const [path, code] of outside) {
    await forbidden(t, made, ['GET', path, { as: alice, verbatim: true }]);
    t.equal((await made.ask('GET', path, { as: admin, verbatim: true })).code, code, `${path} for an administrator`);
  }
  // In a namespace of her own she finds nothing of others either.
  for (const path of ['namespaces/open/secrets/..%2f..%2fdefault%2fsecrets%2fx', 'namespaces/open/secrets/..%2fdefault%2fx', 'namespaces/open/secrets/%2e%2e%2fdefault%2fx']) t.not((await made.ask('GET', `${core}/${path}`, { as: alice, verbatim: true })).code, 200, path);
  for (const selected of ['..%2Fdefault%2Fx', 'default%2Fx', '%00', '..', '%2F']) t.strictSame((await made.ask('GET', `${core}/namespaces/open/secrets?fieldSelector=metadata.name%3D${selected}`, { as: alice })).body.items, [], selected);
  for (const name of ['..', '.', 'a/b', 'a%2fb', 'x\u0000']) await denied(t, made, ['POST', `${core}/namespaces/open/secrets`, { as: alice, body: secret(name) }], 422);
  await denied(t, made, ['POST', `${core}/namespaces/open/secrets`, { as: alice, body: { metadata: { name: 'y', namespace: 'default' } } }], 400, /does not match the namespace/);
  // What belongs to no namespace is not found in one (CVE-2019-11247).
  await forbidden(t, made, ['GET', `${core}/namespaces/default/nodes`, { as: alice }], /in the namespace "default"/);
  await denied(t, made, ['GET', `${core}/namespaces/open/nodes`, { as: alice }], 404);
  await denied(t, made, ['POST', `${core}/namespaces/open/nodes`, { as: alice, body: { metadata: { name: 'n' } } }], 404);
  for (const path of ['', '/default', '/open/status', '/default/status', '/default/finalize', '?watch=true', '?fieldSelector=metadata.name%3Dopen']) {
    for (const method of path.startsWith('?') ? ['GET'] : ['GET', 'PUT', 'DELETE', 'POST']) {
      if (path !== '/open/status') await denied(t, made, [method, `${core}/namespaces/open/namespaces${path}`, { as: alice, ...(method !== 'GET' && { body: { metadata: { name: 'default' } } }) }], 404);
    }
  }
  await forbidden(t, made, ['GET', `${core}/watch/namespaces/default/namespaces/open`, { as: alice }]);
});
