// A whole server, put together as `vivarium serve` does it, as the target of attacks: with every way of proving who one
// is, Node and RBAC to decide, and an audit log that is listened to. The checks here say what has to come of an attack:
// its code, no change in the store, a correct audit event, and nothing of the requested object disclosed.
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { NEVER } from 'rxjs';
import type { Test } from 'tap';
import type { ClientCertificate } from '../../lib/auth/index.js';
import { signingKey } from '../../lib/auth/node/index.js';
import { createAuthentication } from '../../lib/command/authentication.js';
import { authenticationDefaults } from '../../lib/command/authentication-flags.js';
import { createAuthorization } from '../../lib/command/authorization.js';
import { authorizationDefaults } from '../../lib/command/authorization-flags.js';
import type { CommandEnvironment } from '../../lib/command/environment.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { JsonObject, VirtualClock } from '../../lib/core/index.js';
import type { PolicyRule } from '../../lib/core/types/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import type { ApiServer, AuditEvent, AuditPolicy, FetchExtras, ServerOptions } from '../../lib/server/index.js';
import { listen } from '../../lib/server/node/index.js';
import type { Listening } from '../../lib/server/node/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Store } from '../../lib/storage/index.js';
import { authority, now } from './certificates.js';
import type { Issued } from './certificates.js';

export const issuer = 'https://issuer.example';
export const accountPem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;
export const accountKey = signingKey(accountPem);
export const clients = authority('clients');
export const proxies = authority('proxies');
export const files: Readonly<Record<string, string>> = {
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

/** A request of an attacker, or of an authorized user. */
export interface Question extends FetchExtras {
  /** The user whose token it carries. Default: none. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  /** The form of a patch. */
  readonly type?: string;
  /** Sent through a socket, its path as it stands: fetch would straighten it. */
  readonly verbatim?: boolean;
}

export interface Answer {
  readonly code: number;
  readonly text: string;
  readonly headers: Headers;
  /** The body, where it is JSON. */
  readonly body: JsonObject;
}

export interface Scene {
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
  rules: [
    {
      level: 'Metadata',
      resources: [
        { resources: ['secrets', 'serviceaccounts/token'] },
        { group: 'authentication.k8s.io', resources: ['tokenreviews'] },
      ],
    },
    { level: 'RequestResponse' },
  ],
};

export async function scene(t: Test, options: Partial<ServerOptions> = {}): Promise<Scene> {
  const clock = virtualClock({ start: now });
  const said: string[] = [];
  const environment: CommandEnvironment = {
    print: (line) => void said.push(line),
    readFile: (path) => Promise.resolve(files[path] ?? ''),
    findFile: () => Promise.resolve(undefined),
    findPrivateFile: () => Promise.resolve(undefined),
    writeFile: () => Promise.resolve(),
    changeFile: () => Promise.resolve(),
    removeFile: () => Promise.resolve(),
    createPrivateFolder: () => Promise.resolve(''),
    removeFolder: () => Promise.resolve(),
    userKubeconfigPath: () => '',
    fileChanges: () => NEVER,
  };
  const authentication = await createAuthentication(
    {
      ...authenticationDefaults,
      tokenFile: 'tokens',
      basicFile: 'passwords',
      bootstrapTokens: true,
      clientCaFile: 'clients',
      proxy: {
        clientCaFile: 'proxies',
        allowedNames: ['front'],
        usernameHeaders: ['X-Remote-User'],
        uidHeaders: ['X-Remote-Uid'],
        groupHeaders: ['X-Remote-Group'],
        extraPrefixes: ['X-Remote-Extra-'],
      },
      accounts: { ...authenticationDefaults.accounts, issuers: [issuer] },
    },
    { environment, clock, serviceAccountKey: accountPem, allowsAnonymous: true },
  );
  const authorization = await createAuthorization(authorizationDefaults, environment, clock);
  const store = memoryStore({ clock });
  const { authenticators, tokens, apiAudiences, info } = authentication;
  const server = createServer({
    store,
    clock,
    random: random(1),
    authenticators,
    authorizers: authorization.authorizers,
    tokens,
    apiAudiences,
    authenticationInfo: info,
    audit,
    ...options,
  });
  const events: AuditEvent[] = [];
  server.audit$.subscribe((event) => {
    events.push(event);
    said.push(JSON.stringify(event));
  });
  const handle = fetchHandler(server, {
    clock,
    random: random(2),
    onDefect: (error) => said.push(`defect: ${String(error)}`),
  });
  let listening: Listening | undefined;
  const port = async (): Promise<number> => (listening ??= await listen(server, { port: 0 })).port;
  const ask: Scene['ask'] = async (
    method,
    path,
    { as, headers: given = {}, body, type, verbatim = false, ...extras } = {},
  ) => {
    const headers = {
      ...(as !== undefined && { Authorization: `Bearer ${as}` }),
      ...(body !== undefined && { 'Content-Type': type ?? 'application/json' }),
      ...given,
    };
    const pairs = Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = verbatim
      ? await verbatimAnswer(await port(), method, path, pairs)
      : await handle(new Request(`http://x${path}`, { method, headers: pairs, ...content }), extras);
    const text = await response.text();
    if (as !== admin) said.push([...response.headers].join('\n'), text);
    return { code: response.status, text, headers: response.headers, body: parsed(text) };
  };
  const make: Scene['make'] = async (path, object) => {
    const answer = await ask('POST', path, { as: admin, body: object });
    if (answer.code !== 201) throw new Error(`${path}: ${answer.text}`);
    return answer;
  };
  let granted = 0;
  // With the first request the server begins: what it writes then is caused by no request.
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
      await make(`${at}/${kind.toLowerCase()}bindings`, {
        metadata: { name },
        roleRef: { apiGroup: rbacGroup, kind, name },
        subjects: [{ apiGroup: rbacGroup, kind: 'User', name: user }],
      });
    },
    async tokenFor(account, spec = {}, namespace = 'default') {
      const { body } = await make(`${core}/namespaces/${namespace}/serviceaccounts/${account}/token`, { spec });
      return (body as { readonly status: { readonly token: string } }).status.token;
    },
  };
}

/** Nothing where it is text, or a stream. */
function parsed(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}

/** Sends a request as it is written. */
async function verbatimAnswer(
  port: number,
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[],
): Promise<Response> {
  const request = httpRequest({ port, method, path, agent: false });
  for (const [name, value] of headers) request.appendHeader(name, value);
  request.end();
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return new Response(Buffer.concat(parts), {
    status: message.statusCode ?? 0,
    headers: Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]),
  });
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

export const core = '/api/v1';
export const rbacGroup = 'rbac.authorization.k8s.io';
export const rbac = `/apis/${rbacGroup}/v1`;
export const [admin, alice, bob] = ['secret-of-admin', 'secret-of-alice', 'secret-of-bob'];
export const inDefault = (rest: string): string => `${core}/namespaces/default/${rest}`;
export const rule = (
  apiGroups: string[],
  resources: string[],
  verbs: string[],
  resourceNames?: string[],
): PolicyRule => ({ apiGroups, resources, verbs, ...(resourceNames && { resourceNames }) });
export const podOn = (name: string, node: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name, ...metadata },
  spec: { nodeName: node, containers: [{ name: 'c', image: 'i' }], ...spec },
});
export const secret = (name: string): JsonObject => ({
  metadata: { name },
  stringData: { treasure: `gold of ${name}` },
});

/** Asks, and checks that nothing came of it. */
export async function denied(
  t: Test,
  { store, events, ask }: Scene,
  [method, path, question]: readonly [method: string, path: string, question?: Question],
  code: number,
  message?: string | RegExp,
): Promise<Answer> {
  const name = `${method} ${path.slice(0, 200)}`;
  const before = await store.revision();
  events.length = 0;
  const answer = await ask(method, path, question);
  t.equal(answer.code, code, `${name}: ${answer.text.slice(0, 300)}`);
  t.equal(await store.revision(), before, `${name} changes nothing`);
  if (message !== undefined) t.match(answer.body.message ?? answer.text, message, name);
  t.notMatch(answer.text, /gold of/, `${name} discloses nothing`);
  t.equal(events.at(-1)?.responseStatus?.code, code, `${name} is recorded`);
  return answer;
}

/** Denied by the authorizers, to whose decision the audit log bears witness. */
export async function forbidden(
  t: Test,
  scene: Scene,
  question: Parameters<typeof denied>[2],
  message?: string | RegExp,
): Promise<Answer> {
  const answer = await denied(t, scene, question, 403, message);
  t.match(answer.body, { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403 });
  t.equal(
    scene.events.at(-1)?.annotations?.['authorization.k8s.io/decision'],
    'forbid',
    `${question[0]} ${question[1].slice(0, 200)} is recorded as forbidden`,
  );
  t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  return answer;
}

/** The same for whatever is wrong. */
const unauthorizedBody = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
};

/** Denied for its credentials, in the same words for every reason; never treated as anonymous. */
export async function unknown(t: Test, scene: Scene, question: Question, why: string): Promise<void> {
  // Open to anonymous requests: one treated as anonymous would succeed.
  const answer = await denied(t, scene, ['GET', '/version', question], 401);
  t.strictSame(answer.body, unauthorizedBody, why);
  t.match(
    scene.events.at(-1),
    { stage: 'ResponseStarted', user: {}, responseStatus: { message: 'Unauthorized' } },
    why,
  );
  t.strictSame(scene.events.at(-1)?.user, {}, why);
}

export const presenting = (leaf: Issued, ...intermediates: readonly Issued[]): ClientCertificate => ({
  raw: leaf.raw,
  intermediates: intermediates.map(({ raw }) => raw),
});
export const part = (content: unknown): string =>
  Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64url');

/** A token with any header, signed in any way. */
export function forged(
  header: unknown,
  claims: unknown,
  signatureOf: (signed: string) => Buffer = () => Buffer.alloc(0),
): string {
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${signatureOf(signed).toString('base64url')}`;
}

/** The claims of a good token, to be spoilt. */
const claimsOf = (token: string): JsonObject =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;

/** A scene with a robot and a good token of it. */
export async function withRobot(
  t: Test,
): Promise<{ readonly scene: Scene; readonly token: string; readonly claims: JsonObject }> {
  const made = await scene(t);
  await made.make(inDefault('serviceaccounts'), { metadata: { name: 'robot' } });
  const token = await made.tokenFor('robot');
  t.match(
    (await made.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { as: token, body: {} })).body,
    { status: { userInfo: { username: 'system:serviceaccount:default:robot' } } },
    'the token itself is good',
  );
  return { scene: made, token, claims: claimsOf(token) };
}
