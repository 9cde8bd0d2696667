// Authenticators that need no JWT: files, certificates, front proxies, bootstrap tokens, and what stands around them.
// Which credentials are wrong and which are only not theirs is the table of the reference, row by row.
import { createHash } from 'node:crypto';
import { EMPTY, NEVER, Observable, Subject, concat, defer, of, throwError } from 'rxjs';
import t from 'tap';
import {
  AuthenticationError,
  alwaysAllow,
  audienceAgnostic,
  audienceAgnosticTokens,
  basicAuth,
  bearerTokens,
  bootstrapTokens,
  isSameSecret,
  orAnonymous,
  parseTokenFile,
  reloadingAuthenticator,
  reloadingAuthorizer,
  reloadingTokenAuthenticator,
  tokenFile,
  unionAuthenticator,
  withAuthenticatedGroup,
} from '../../lib/auth/index.js';
import type {
  Authenticated,
  Authenticator,
  Authorizer,
  ClientCertificate,
  Credentials,
  TokenAuthenticator,
} from '../../lib/auth/index.js';
import { cachedTokens, clientCertificates, requestHeader } from '../../lib/auth/node/index.js';
import type { RequestHeaderOptions } from '../../lib/auth/node/index.js';
import { firstOf, printTime, virtualClock } from '../../lib/core/index.js';
import type { ApiObject, Frozen, ObjectReader, VirtualClock, ApiRequest, NodeConnector } from '../../lib/core/index.js';
import type { Secret } from '../../lib/core/types/index.js';
import { authenticationConfigMap, createServer, fetchHandler } from '../../lib/server/index.js';
import type { ApiServer, ServerOptions } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import {
  authority,
  client,
  clientAuth,
  commonName,
  dnsName,
  extension,
  isAuthority,
  isNoAuthority,
  issue,
  keyIds,
  keyUsage,
  nameConstraints,
  newKeys,
  now,
  organization,
  purposes,
  serverAuth,
  uid,
} from '../support/certificates.js';
import type { Issued } from '../support/certificates.js';
import { fc, runs } from '../support/properties.js';

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Credentials of a request with these headers. */
function bringing(headers: Headers, rest: Partial<Credentials> = {}): Credentials {
  const all = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => [name.toLowerCase(), value] as const),
  );
  const valuesOf = (name: string): readonly string[] =>
    all.flatMap(([each, value]) => (each === name.toLowerCase() ? [value] : []));
  return {
    header: (name) => (valuesOf(name).length === 0 ? undefined : valuesOf(name).join(', ')),
    headersWith: (prefix) => all.filter(([name]) => name.startsWith(prefix)),
    ...rest,
  };
}

/** What comes of it: a user's name, `not mine`, or what is wrong. */
async function outcome(answer: () => ReturnType<Authenticator>): Promise<string> {
  try {
    return (await firstOf(answer(), undefined))?.user.username ?? 'not mine';
  } catch (error) {
    return error instanceof AuthenticationError ? `wrong: ${error.message}` : `failed: ${String(error)}`;
  }
}

const presenting = (leaf: Issued, ...intermediates: readonly Issued[]): ClientCertificate => ({
  raw: leaf.raw,
  intermediates: intermediates.map(({ raw }) => raw),
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const at = (start: number): VirtualClock => virtualClock({ start });

t.test('a file of tokens is read as Kubernetes reads it', async (t) => {
  const text =
    'a,alice,1,"dev,ops"\r\n\nb,bob,2\nc,"carol ""c""",3,""\n,nobody,4\n"d\n,",dave,5,one,ignored\na,alice2,6';
  t.strictSame(
    parseTokenFile(text).map(({ secret, user }) => [secret, user.username, user.uid, user.groups]),
    [
      ['a', 'alice2', '6', []],
      ['b', 'bob', '2', []],
      ['c', 'carol "c"', '3', ['']],
      ['d\n,', 'dave', '5', ['one']],
    ],
  );
  t.strictSame(parseTokenFile('\ufeff'), []);
  t.strictSame(
    parseTokenFile('a,b,').map(({ user }) => user.uid),
    [''],
  );
  for (const [bad, message] of [
    ['a,b\n', 'line 1: at least 3 columns are needed (token, user name, user uid), found 2'],
    ['a,b,c\n"x,y,z', 'line 2: a quote is not closed'],
    ['a,b"c,d', 'line 1: a quote inside of a field that does not begin with one'],
    ['"a"b,c,d', 'line 1: something follows a closing quote'],
  ] as const) {
    t.throws(() => parseTokenFile(bad), { name: 'CredentialsFileError', message });
  }
  const known = tokenFile(text);
  for (const [token, user] of [
    ['a', 'alice2'],
    ['b', 'bob'],
    ['', 'not mine'],
    ['e', 'not mine'],
    ['aa', 'not mine'],
  ] as const)
    t.equal(await outcome(() => known(token, undefined)), user);
});

t.test('secrets are the same when they are, whatever they are', async () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }),
      (one, other) => isSameSecret(one, one) && isSameSecret(one, other) === (one === other),
    ),
  );
});

t.test('names and passwords: wrong ones are wrong, other schemes are not mine', async (t) => {
  const known = basicAuth('old,alice,1\nsecret,alice,1,"dev"\nß:ü,bob,2\n,carol,3\n');
  const ask = (authorization: string): Promise<string> => outcome(() => known(bringing({ authorization })));
  for (const right of [`Basic ${base64('alice:secret')}`, `bAsIc ${base64('alice:secret')}`])
    t.equal(await ask(right), 'alice');
  t.equal(await ask(`Basic ${base64('bob:ß:ü')}`), 'bob', 'the first colon parts them');
  t.equal(await ask(`Basic ${base64('carol:')}`), 'carol');
  const wrong = 'wrong: invalid username/password combination';
  for (const pair of ['alice:old', 'alice:', 'alice:secret ', 'mallory:secret', ':', '__proto__:', 'constructor:x'])
    t.equal(await ask(`Basic ${base64(pair)}`), wrong, pair);
  for (const other of [
    '',
    'Basic',
    'Basic !',
    `Basic ${base64('alice')}`,
    `Bearer ${base64('alice:secret')}`,
    `Basic  ${base64('alice:secret')}`,
  ])
    t.equal(await ask(other), 'not mine', other);
  t.equal(await outcome(() => known(bringing({}))), 'not mine');
  t.throws(() => basicAuth('a,b'), { message: /password, user name/ });
});

/** Knows every token by its own text. */
const echo: TokenAuthenticator = (token) => [{ user: { username: token } }];

t.test('a bearer token stands between the first two spaces', async (t) => {
  const warnings: string[] = [];
  const ask = (authorization: string): Promise<string> =>
    outcome(() => bearerTokens([echo])(bringing({ authorization }, { warn: (text) => void warnings.push(text) })));
  for (const header of ['Bearer a', 'bearer a', 'BEARER a', '  Bearer a  ', 'Bearer a b', 'Bearer a  ', '\tBearer a\t'])
    t.equal(await ask(header), 'a', header);
  for (const header of ['', 'Bearer', 'Bearer ', 'a', 'Basic a', 'Bearer\ta', 'Bear a'])
    t.equal(await ask(header), 'not mine', header);
  t.strictSame(warnings, []);
  t.equal(await ask('Bearer  a'), 'not mine');
  t.strictSame(warnings, [
    'the provided Authorization header contains extra space before the bearer token, and is ignored',
  ]);
});

t.test('whatever a header holds, its token is what splitting it says', async () => {
  const piece = fc.constantFrom('Bearer', 'bearer', ' ', '  ', 'a', 'b.c', '\t', '\u00a0', 'Basic');
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
      async (authorization) => {
        const trimmed = authorization.replace(/^[\t\n\v\f\r ]+|[\t\n\v\f\r ]+$/g, '');
        const [scheme = '', token = ''] = trimmed.split(' ');
        const expected = scheme.toLowerCase() === 'bearer' && token !== '' ? token : 'not mine';
        return (await outcome(() => bearerTokens([echo])(bringing({ authorization })))) === expected;
      },
    ),
    { numRuns: runs(500) },
  );
});

t.test('a WebSocket brings its token among its protocols', async (t) => {
  const upgrade = { upgrade: 'WebSocket', connection: 'keep-alive, Upgrade' };
  const carrier = (token: string | Uint8Array): string =>
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
  const ask = (protocols: string | readonly string[], rest: Headers = upgrade): Promise<string> =>
    outcome(() => bearerTokens([echo])(bringing({ ...rest, 'sec-websocket-protocol': protocols })));
  t.equal(await ask(`${carrier('secret?>')}, foo`), 'secret?>');
  t.equal(await ask(['foo', carrier('secret')]), 'secret', 'in headers of their own');
  t.equal(await ask(`${carrier('secret')}, foo`, {}), 'not mine', 'without an upgrade it is only a header');
  t.equal(await ask(`${carrier('secret')}, foo`, { upgrade: 'websocket', connection: 'close' }), 'not mine');
  t.equal(await ask('foo, bar'), 'not mine');
  t.equal(await ask(`${carrier('')}, foo`), 'not mine');
  t.equal(await ask(carrier('secret')), 'wrong: missing additional subprotocol');
  t.equal(
    await ask(`${carrier('a')}, ${carrier('b')}, foo`),
    'wrong: multiple base64.bearer.authorization tokens specified',
  );
  t.equal(await ask(`${carrier('a')}=, foo`), 'wrong: invalid base64.bearer.authorization token encoding');
  t.equal(await ask(`${carrier('abc')}A, foo`), 'wrong: invalid base64.bearer.authorization token encoding');
  t.equal(await ask(`${carrier(Uint8Array.of(0xff, 0xfe))}, foo`), 'wrong: invalid base64.bearer.authorization token');
  const none = bearerTokens([() => [undefined]]);
  t.equal(
    await outcome(() => none(bringing({ ...upgrade, 'sec-websocket-protocol': `${carrier('x')}, foo` }))),
    'wrong: invalid bearer token',
  );
});

t.test('token authenticators run in order, and a token that none accepts is invalid', async (t) => {
  const asked: string[] = [];
  const part =
    (name: string, answer: (token: string) => ReturnType<TokenAuthenticator>): TokenAuthenticator =>
    (token) => (asked.push(name), answer(token));
  const chain = bearerTokens([
    part('file', tokenFile('known,alice,1') as (token: string) => ReturnType<TokenAuthenticator>),
    part('broken', () => throwError(() => new AuthenticationError('broken'))),
    part('late', async (token) => (token === 'late' ? { user: { username: 'lara' } } : undefined)),
  ]);
  const ask = (token: string): Promise<string> => outcome(() => chain(bringing({ authorization: `Bearer ${token}` })));
  t.equal(await ask('known'), 'alice');
  t.strictSame(asked.splice(0), ['file']);
  t.equal(await ask('late'), 'lara', 'a failure before it counts for nothing');
  t.strictSame(asked.splice(0), ['file', 'broken', 'late']);
  t.equal(await ask('other'), 'wrong: broken');
  t.equal(
    await outcome(() => bearerTokens([tokenFile('known,alice,1')])(bringing({ authorization: 'Bearer other' }))),
    'wrong: invalid bearer token',
  );
});

t.test('every authenticated user is in the group system:authenticated', async (t) => {
  const groupsOf = async (user: Authenticated['user'], isLate = false): Promise<readonly string[] | undefined> =>
    (
      await firstOf(
        withAuthenticatedGroup(() => (isLate ? Promise.resolve({ user }) : [{ user }]))(bringing({})),
        undefined,
      )
    )?.user.groups;
  t.strictSame(await groupsOf({ username: 'a', groups: ['x'] }), ['x', 'system:authenticated']);
  t.strictSame(await groupsOf({ username: 'a' }, true), ['system:authenticated']);
  t.strictSame(await groupsOf({ username: 'a', groups: ['system:unauthenticated'] }), ['system:unauthenticated']);
  t.strictSame(await groupsOf({ username: 'a', groups: ['system:authenticated', 'x'] }), ['system:authenticated', 'x']);
  t.strictSame(await groupsOf({ username: 'system:anonymous' }), undefined);
  t.equal(await outcome(() => withAuthenticatedGroup(() => [undefined])(bringing({}))), 'not mine');
  // The order of a whole chain: union, group, anonymous.
  const chain = orAnonymous([
    withAuthenticatedGroup(unionAuthenticator([basicAuth('pw,bob,1'), bearerTokens([tokenFile('tk,alice,2,"dev"')])])),
  ]);
  const userOf = async (headers: Headers): Promise<unknown> =>
    (await firstOf(chain(bringing(headers)), undefined))?.user;
  t.strictSame(await userOf({ authorization: 'Bearer tk' }), {
    username: 'alice',
    uid: '2',
    groups: ['dev', 'system:authenticated'],
  });
  t.strictSame(await userOf({}), { username: 'system:anonymous', groups: ['system:unauthenticated'] });
  await t.rejects(
    async () => userOf({ authorization: 'Bearer other' }),
    { message: 'invalid bearer token' },
    'wrong credentials are not none',
  );
  await t.rejects(async () => userOf({ authorization: `Basic ${base64('bob:other')}` }), {
    message: 'invalid username/password combination',
  });
});

t.test('credentials that do not say for whom they are, are for the server', async (t) => {
  const known = audienceAgnosticTokens(tokenFile('tk,alice,1'), ['api', 'api2']);
  const audiencesOf = async (audiences: readonly string[] | undefined): Promise<unknown> => {
    const found = await firstOf(known('tk', audiences), undefined);
    return found && (found.audiences ?? 'none');
  };
  t.strictSame(await audiencesOf(['api']), ['api']);
  t.strictSame(await audiencesOf(['x', 'api2', 'api']), ['api', 'api2']);
  t.strictSame(await audiencesOf(['x']), undefined);
  t.strictSame(await audiencesOf(undefined), 'none');
  t.strictSame(await audiencesOf([]), 'none');
  const late = audienceAgnostic(async () => ({ user: { username: 'a' } }), ['api']);
  t.strictSame(await late(bringing({}, { audiences: ['api'] })), { user: { username: 'a' }, audiences: ['api'] });
});

const root = authority('root');
const intermediate = authority('intermediate', { by: root });
const trusting = (...authorities: readonly Issued[]): Authenticator =>
  clientCertificates({ authorities: authorities.map(({ pem }) => pem).join(''), clock: at(now) });
const judged = (certificate: ClientCertificate | undefined, known: Authenticator = trusting(root)): Promise<string> =>
  outcome(() => known(bringing({}, { certificate })));

t.test('a certificate makes a user', async (t) => {
  const { raw } = client(root);
  const [found] = (await trusting(root)(bringing({}, { certificate: { raw, intermediates: [] } }))) as readonly (
    Authenticated | undefined
  )[];
  const fingerprint = createHash('sha256').update(raw).digest('hex');
  t.strictSame(found?.user, {
    username: 'alice',
    groups: ['dev'],
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
  });
  t.equal(await judged(undefined), 'not mine');
  const named = async (...name: (readonly [string, string])[]): Promise<string> =>
    judged(presenting(client(root, { name })));
  t.equal(await named([commonName, 'first'], [organization, 'x'], [commonName, 'last']), 'last');
  t.equal(await named([organization, 'x']), 'not mine', 'without a name there is no user');
  t.equal(await named([commonName, '']), 'not mine');
  t.equal(await named([commonName, 'a'], [uid, '1'], [uid, '2']), 'wrong: expected 1 UID, but found multiple: [1 2]');
  t.equal(await named([commonName, 'a'], [uid, '']), 'wrong: UID cannot be an empty string');
  const with7 = client(root, {
    name: [
      [organization, 'b'],
      [commonName, 'a'],
      [organization, 'a'],
      [uid, '7'],
    ],
  });
  const [seventh] = (await trusting(root)(bringing({}, { certificate: presenting(with7) }))) as readonly (
    Authenticated | undefined
  )[];
  t.match(seventh?.user, { uid: '7', groups: ['b', 'a'] });
});

t.test('a chain has to lead to an authority', async (t) => {
  const problem = async (leaf: Issued, ...rest: readonly Issued[]): Promise<string> =>
    (await judged(presenting(leaf, ...rest))).replace(/^wrong: verifying certificate SN=5, SKID=, AKID= failed: /, '');
  t.equal(await problem(client(root)), 'alice');
  t.equal(await problem(client(intermediate), intermediate), 'alice');
  t.equal(await problem(client(intermediate), authority('unrelated'), intermediate), 'alice', 'in any order');
  const unknown = 'x509: certificate signed by unknown authority';
  t.equal(await problem(client(intermediate)), unknown);
  t.equal(await problem(client(authority('other'))), unknown);
  const other = authority('other');
  t.equal(await problem(client(other), other), unknown, 'a self-signed certificate is not trusted');
  t.equal(await problem(issue({ name: [[commonName, 'alice']], extensions: [purposes(clientAuth)] })), unknown);
  const namesake = authority('root');
  t.equal(
    await problem(client(namesake)),
    `${unknown} (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "root")`,
  );
  t.equal(
    await problem(client(namesake), namesake),
    `${unknown} (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "root")`,
  );
  t.equal(
    await judged(presenting(client(namesake)), trusting(root, namesake)),
    'alice',
    'of two authorities with one name each is tried',
  );
  const cannotSign = (name: string): string =>
    `${unknown} (possibly because of "x509: invalid signature: parent certificate cannot sign this kind of certificate" while trying to verify candidate authority certificate "${name}")`;
  const leaf = client(root, { name: [[commonName, 'bob']], extensions: [isNoAuthority()] });
  t.equal(await problem(client(leaf), leaf), cannotSign('bob'), 'a client certificate cannot sign');
  const silent = client(root, { name: [[commonName, 'bob']] });
  t.equal(await problem(client(silent), silent), cannotSign('bob'), 'nor one that does not say what it is');
  const unfit = authority('unfit', { by: root, extensions: [isAuthority(), keyUsage(0b1000_0000, 7)] });
  t.equal(await problem(client(unfit), unfit), cannotSign('unfit'));
  const fit = authority('fit', { by: root, extensions: [isAuthority(), keyUsage(0b0000_0100, 2)] });
  t.equal(await problem(client(fit), fit), 'alice');
  t.equal(
    await judged(presenting(leaf), trusting(leaf)),
    'bob',
    'a certificate that is itself trusted needs no issuer',
  );
  const crossed = { keys: newKeys() };
  const [left, right] = [authority('left', crossed), authority('left', { ...crossed, by: authority('right') })];
  t.equal(await problem(client(left), left, right), unknown, 'a circle leads nowhere');
  t.match(
    await judged(
      presenting(
        client(root, {
          extensions: [purposes(clientAuth), ...keyIds(Uint8Array.of(1, 0xab), Uint8Array.of(2))],
          untilMs: now - 1,
        }),
      ),
    ),
    /^wrong: verifying certificate SN=5, SKID=01:AB, AKID=02 failed: x509: certificate has expired/,
  );
});

t.test('a chain has to be good for a client, now', async (t) => {
  const problem = async (leaf: Issued, ...rest: readonly Issued[]): Promise<string> =>
    (await judged(presenting(leaf, ...rest))).replace(/^wrong: verifying certificate SN=5, SKID=, AKID= failed: /, '');
  const time = (ms: number): string => printTime(ms);
  const expired = `x509: certificate has expired or is not yet valid: current time ${time(now)} is after ${time(now - 1000)}`;
  const early = `x509: certificate has expired or is not yet valid: current time ${time(now)} is before ${time(now + 1000)}`;
  t.equal(await problem(client(root, { untilMs: now - 1000 })), expired);
  t.equal(await problem(client(root, { fromMs: now + 1000 })), early);
  t.equal(await problem(client(root, { fromMs: now, untilMs: now })), 'alice', 'both ends count');
  const old = authority('old', { by: root, untilMs: now - 1000 });
  t.equal(await problem(client(old), old), expired);
  const wrongUse = 'x509: certificate specifies an incompatible key usage';
  t.equal(await problem(client(root, { extensions: [purposes(serverAuth)] })), wrongUse);
  t.equal(await problem(client(root, { extensions: [purposes(serverAuth, clientAuth)] })), 'alice');
  t.equal(await problem(client(root, { extensions: [purposes('2.5.29.37.0')] })), 'alice', 'any purpose');
  t.equal(await problem(client(root, { extensions: [] })), 'alice', 'no purpose named');
  const servers = authority('servers', { by: root, extensions: [isAuthority(), purposes(serverAuth)] });
  t.equal(await problem(client(servers), servers), wrongUse, 'an authority for servers makes no clients');
  t.equal(
    await problem(client(root, { extensions: [extension('1.2.3.4', Uint8Array.of(5, 0), true)] })),
    'x509: unhandled critical extension',
  );
  t.equal(await problem(client(root, { extensions: [extension('1.2.3.4', Uint8Array.of(5, 0))] })), 'alice');
  const short = authority('short', { by: root, extensions: [isAuthority(0)] });
  const below = authority('below', { by: short });
  t.equal(await problem(client(short), short), 'alice');
  t.equal(await problem(client(below), below, short), 'x509: too many intermediates for path length constraint');
  const constrained = authority('constrained', { by: root, extensions: [isAuthority(), nameConstraints()] });
  t.equal(await problem(client(constrained), constrained), 'alice', 'name constraints that match no name');
  t.equal(
    await problem(client(constrained, { extensions: [dnsName('evil.org')] }), constrained),
    'x509: a root or intermediate certificate is not authorized to sign for this name',
  );
  t.match(
    await problem(client(root, { algorithm: 'ecdsa-sha1' })),
    /signed by unknown authority \(possibly because of "x509: cannot verify signature: algorithm unimplemented"/,
  );
  t.match(
    await problem(client(root, { algorithm: 'rsa-sha256' })),
    /signed by unknown authority/,
    'an algorithm of another key',
  );
  for (const raw of [
    new Uint8Array(),
    Uint8Array.of(0x30, 0x80),
    client(root).raw.subarray(0, 40),
    Uint8Array.of(...client(root).raw, 0),
  ])
    t.equal(await judged({ raw, intermediates: [] }), 'wrong: x509: malformed certificate');
  t.equal(
    await judged({ raw: client(intermediate).raw, intermediates: [Uint8Array.of(1, 2), intermediate.raw] }),
    'alice',
    'what cannot be read beside it does no harm',
  );
  t.throws(() => clientCertificates({ authorities: '', clock: virtualClock() }), {
    message: 'data does not contain any valid RSA or ECDSA certificates',
  });
});

t.test('a verdict holds as long as the chain does', async (t) => {
  const clock = at(now);
  const known = clientCertificates({ authorities: root.pem, clock });
  const good = presenting(client(root, { untilMs: now + 60_000 }));
  const early = presenting(client(root, { fromMs: now + 60_000 }));
  t.equal(await judged(good, known), 'alice');
  t.equal(
    await firstOf(known(bringing({}, { certificate: good })), undefined),
    await firstOf(known(bringing({}, { certificate: good })), undefined),
    'the same answer again',
  );
  t.match(await judged(early, known), /is before/);
  await clock.advanceTo(now + 60_001);
  t.match(await judged(good, known), /is after/);
  t.equal(await judged(early, known), 'alice');
});

t.test('no change of any byte makes another certificate of it', async () => {
  const { raw } = client(root);
  const known = trusting(root);
  await fc.assert(
    fc.asyncProperty(fc.nat(raw.length - 1), fc.integer({ min: 1, max: 255 }), async (place, flip) => {
      const changed = Uint8Array.from(raw, (byte, index) => (index === place ? byte ^ flip : byte));
      return (await judged({ raw: changed, intermediates: [root.raw] }, known)).startsWith('wrong: ');
    }),
    { numRuns: runs(300) },
  );
});

t.test('a client cannot make the server verify without end', async (t) => {
  const many = Array.from({ length: 200 }, () => authority('twin'));
  const [first] = many;
  if (first === undefined) throw new Error('there are two hundred');
  t.match(await judged(presenting(client(first), ...many)), /^wrong: .*(unknown authority|limit reached)/);
});

t.test('request headers are accepted from a front proxy only', async (t) => {
  const proxies = authority('proxies');
  const options: RequestHeaderOptions = {
    authorities: proxies.pem,
    clock: at(now),
    allowedNames: ['alice'],
    usernameHeaders: ['X-Remote-User', 'X-Other-User'],
    uidHeaders: ['X-Remote-Uid'],
    groupHeaders: ['X-Remote-Group'],
    extraPrefixes: ['X-Remote-Extra-'],
  };
  const certificate = presenting(client(proxies));
  const known = requestHeader(options);
  const headers = {
    'X-Remote-User': ['bob', 'mallory'],
    'X-Remote-Group': ['dev', '', 'ops'],
    'X-Remote-Uid': '7',
    'X-Remote-Extra-Scopes': ['a', 'b'],
    'x-remote-extra-acme.com%2fKey': 'v',
    'X-Remote-Extra-%zz': 'w',
    'X-Remote-Extra-__proto__': 'p',
  };
  const [found] = (await known(bringing(headers, { certificate }))) as readonly (Authenticated | undefined)[];
  t.strictSame(
    { ...found?.user, extra: Object.entries(found?.user.extra ?? {}) },
    {
      username: 'bob',
      uid: '7',
      groups: ['dev', 'ops'],
      extra: [
        ['scopes', ['a', 'b']],
        ['acme.com/key', ['v']],
        ['%zz', ['w']],
        ['__proto__', ['p']],
      ],
    },
  );
  t.equal(await outcome(() => known(bringing({ 'X-Remote-User': '', 'X-Other-User': 'eve' }, { certificate }))), 'eve');
  t.equal(await outcome(() => known(bringing(headers))), 'not mine', 'without a certificate');
  t.equal(await outcome(() => known(bringing({}, { certificate }))), 'not mine', 'without a name');
  t.equal(
    await outcome(() => known(bringing(headers, { certificate: presenting(client(root)) }))),
    'wrong: x509: certificate signed by unknown authority',
  );
  t.equal(
    await outcome(() =>
      known(bringing(headers, { certificate: presenting(client(proxies, { name: [[commonName, 'eve']] })) })),
    ),
    'wrong: x509: subject with cn=eve is not in the allowed list',
  );
  t.equal(
    await outcome(() =>
      requestHeader({ ...options, allowedNames: [] })(
        bringing(headers, { certificate: presenting(client(proxies, { name: [[commonName, 'eve']] })) }),
      ),
    ),
    'bob',
  );
  t.throws(
    () => requestHeader({ ...options, allowedNames: [], clientAuthorities: root.pem + proxies.pem }),
    RangeError,
  );
  t.doesNotThrow(() => requestHeader({ ...options, clientAuthorities: root.pem + proxies.pem }));
  t.throws(() => requestHeader({ ...options, groupHeaders: [' '] }), RangeError);
  const both = unionAuthenticator([known, trusting(root)]);
  t.equal(
    await outcome(() => both(bringing(headers, { certificate: presenting(client(root)) }))),
    'alice',
    'a user is no proxy, and still a user',
  );
});

t.test('bootstrap tokens are those of Secrets that say so', async (t) => {
  const clock = at(now);
  const sound = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' };
  const asked: string[] = [];
  const ask = async (
    token: string,
    data: Readonly<Record<string, string>> = {},
    rest: Partial<Secret> = {},
  ): Promise<unknown> => {
    const encoded = Object.fromEntries(
      Object.entries({ ...sound, ...data }).map(([key, value]) => [key, base64(value)]),
    );
    const secret: Frozen<Secret> = { type: 'bootstrap.kubernetes.io/token', data: encoded, ...rest };
    const reader: ObjectReader = {
      get: async <T extends ApiObject>(resource: { readonly resource: string }, name: string, namespace?: string) => {
        asked.push(`${namespace}/${resource.resource}/${name}`);
        return (name === 'bootstrap-token-abcdef' ? secret : undefined) as Frozen<T> | undefined;
      },
      changes: () => NEVER,
    };
    return (await firstOf(bootstrapTokens({ reader, clock })(token, undefined), undefined))?.user;
  };
  const token = 'abcdef.0123456789abcdef';
  t.strictSame(await ask(token), { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] });
  t.strictSame(asked.splice(0), ['kube-system/secrets/bootstrap-token-abcdef']);
  t.strictSame(
    await ask(token, { 'auth-extra-groups': 'system:bootstrappers:z,system:bootstrappers:a,system:bootstrappers:z' }),
    {
      username: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:z'],
    },
  );
  t.match(await ask(token, { expiration: printTime(now + 1000) }), { username: 'system:bootstrap:abcdef' });
  asked.length = 0;
  for (const other of [
    '',
    'abcdef',
    'abcdef.',
    'ABCDEF.0123456789abcdef',
    'abcdef.0123456789abcde',
    'abcdef.0123456789abcdef.',
    'abcdef.0123456789abcdeF',
    'abcdef.0123456789abcdef\n',
  ])
    t.equal(await ask(other), undefined, other);
  t.strictSame(asked, [], 'what is no such token is not looked up');
  t.equal(await ask('fedcba.0123456789abcdef'), undefined);
  for (const data of [
    { 'token-secret': '0123456789abcdee' },
    { 'token-secret': '' },
    { 'token-id': 'abcdee' },
    { expiration: printTime(now) },
    { expiration: 'tomorrow' },
    { 'usage-bootstrap-authentication': 'True' },
    { 'usage-bootstrap-authentication': '' },
    { 'auth-extra-groups': 'system:bootstrappers:a,system:masters' },
    { 'auth-extra-groups': 'system:bootstrappers:a-' },
  ])
    t.equal(await ask(token, data), undefined, JSON.stringify(data));
  t.equal(await ask(token, {}, { type: 'Opaque' }), undefined);
  t.equal(await ask(token, {}, { data: undefined as never }), undefined);
  t.equal(await ask(token, {}, { metadata: { deletionTimestamp: printTime(now) } }), undefined);
  const failing: ObjectReader = { get: () => Promise.reject(new Error('no store')), changes: () => NEVER };
  t.equal(
    await outcome(() => bootstrapTokens({ reader: failing, clock })(token, undefined)),
    'failed: Error: no store',
  );
});

t.test('answers about tokens are remembered for a moment', async (t) => {
  const clock = virtualClock();
  let asked = 0;
  const pending: ((found: Authenticated | undefined) => void)[] = [];
  const slow: TokenAuthenticator = () => (asked++, new Promise((resolve) => void pending.push(resolve)));
  const known = cachedTokens(slow, { clock });
  const user: Authenticated = { user: { username: 'alice' }, warnings: ['old'], annotations: { a: 'b' } };
  const both = [firstOf(known('tk', ['api']), undefined), firstOf(known('tk', ['api']), undefined)];
  t.equal(asked, 1, 'two who ask at once share one question');
  pending.shift()?.(user);
  for (const each of both) t.equal(await each, user);
  t.equal(await firstOf(known('tk', ['api']), undefined), user, 'with its warnings and notes');
  t.equal(asked, 1);
  void known('tk', ['other']);
  void known('tk', undefined);
  void known('tkapi', []);
  t.equal(asked, 4, 'another audience is another question');
  await clock.advanceTo(clock.now() + 10_000);
  void known('tk', ['api']);
  t.equal(asked, 5, 'ten seconds later it is asked again');
});

t.test('what is wrong is not remembered, unless one wants to', async (t) => {
  const clock = virtualClock();
  let asked = 0;
  const wrong: TokenAuthenticator = (token) => {
    asked++;
    if (token === 'bad') throw new AuthenticationError('bad');
    return [undefined];
  };
  const ask = (known: TokenAuthenticator, token: string): Promise<string> => outcome(() => known(token, undefined));
  const forgetful = cachedTokens(wrong, { clock });
  for (const token of ['bad', 'bad', 'none', 'none'])
    t.equal(await ask(forgetful, token), token === 'bad' ? 'wrong: bad' : 'not mine');
  t.equal(asked, 4);
  const mindful = cachedTokens(wrong, { clock, failureTtlMs: 1000, entriesMax: 2 });
  for (const token of ['bad', 'bad', 'none', 'none'])
    t.equal(await ask(mindful, token), token === 'bad' ? 'wrong: bad' : 'not mine');
  t.equal(asked, 6);
  await ask(mindful, 'third');
  await ask(mindful, 'bad');
  t.equal(asked, 8, 'of more than there is room for, the oldest is forgotten');
  let left = 0;
  const never = cachedTokens(
    () =>
      new Observable(() => () => {
        left++;
      }),
    { clock },
  );
  const late = ask(never, 'tk');
  await clock.advanceTo(clock.now() + 30_000);
  t.equal(await late, 'wrong: context deadline exceeded');
  t.equal(left, 1, 'and no call is pending');
});

t.test('a part is replaced while the server runs, and let go with it', async (t) => {
  const closed$ = new Subject<void>();
  const source$ = new Subject<Authenticator>();
  const by =
    (username: string): Authenticator =>
    () => [{ user: { username } }];
  const known = reloadingAuthenticator(source$, closed$);
  t.equal(source$.observed, false, 'building it is inert');
  const waiting = outcome(() => known(bringing({})));
  t.equal(source$.observed, true);
  source$.next(by('first'));
  t.equal(await waiting, 'first');
  source$.next(by('second'));
  t.equal(await outcome(() => known(bringing({}))), 'second');
  t.ok(Array.isArray(known(bringing({}))), 'at once, once it is known');
  closed$.next();
  t.equal(source$.observed, false);
  t.equal(closed$.observed, false);

  let subscribed = 0;
  const failing$ = defer(() =>
    subscribed++ === 0
      ? throwError(() => new AuthenticationError('unreadable'))
      : concat(
          of(echo),
          throwError(() => new Error('gone')),
        ),
  );
  const tokens = reloadingTokenAuthenticator(failing$, NEVER);
  t.equal(await outcome(() => tokens('a', undefined)), 'wrong: unreadable');
  t.equal(await outcome(() => tokens('a', undefined)), 'a', 'the next one asks anew');
  t.equal(await outcome(() => tokens('b', undefined)), 'b', 'the last good one stays');
  t.equal(subscribed, 2);

  const authorizer = reloadingAuthorizer(concat(of(alwaysAllow), NEVER), NEVER);
  const attributes = {
    user: {},
    verb: 'get',
    isResource: false,
    path: '/',
    group: '',
    version: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
  };
  t.match(await firstOf(authorizer(attributes), { decision: 'deny', reason: '' }), { decision: 'allow' });
  t.match(await firstOf(authorizer(attributes), { decision: 'deny', reason: '' }), { decision: 'allow' });
  t.match(await firstOf(authorizer.rules?.({}, '') ?? [], undefined as never), { incomplete: false });
  const ended: Authorizer = reloadingAuthorizer(EMPTY, NEVER);
  await t.rejects(async () => firstOf(ended(attributes), { decision: 'allow', reason: '' }), /before it had a value/);
});

const asAdmin = { authorization: 'Bearer admin-token' };

/** A server behind a chain of these parts. */
async function served(options: Partial<ServerOptions> = {}): Promise<{
  readonly server: ApiServer;
  readonly close: () => Promise<void>;
  readonly ask: (
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: unknown,
  ) => Promise<Response>;
}> {
  const clock = at(now);
  const tokens = 'admin-token,admin,1,"system:masters"\ndave-token,dave,2,"dev"';
  const server = createServer({
    store: memoryStore({ clock }),
    clock,
    authenticators: (tools) => [
      orAnonymous([
        withAuthenticatedGroup(
          bearerTokens([
            cachedTokens(audienceAgnosticTokens(tokenFile(tokens), tools.audiences), tools),
            bootstrapTokens(tools),
          ]),
        ),
      ]),
    ],
    apiAudiences: ['https://kubernetes.default.svc'],
    ...options,
  });
  const handle = fetchHandler(server, { clock });
  const ask = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = asAdmin,
    body?: unknown,
  ): Promise<Response> =>
    handle(
      new Request(`http://x${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  return { server, ask, close: () => server.close() };
}

t.test('a server answers whose a token is', async (t) => {
  const { ask, close } = await served();
  const review = async (spec: unknown): Promise<unknown> =>
    (
      (await (
        await ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', asAdmin, {
          kind: 'TokenReview',
          apiVersion: 'authentication.k8s.io/v1',
          spec,
        })
      ).json()) as { status: unknown }
    ).status;
  t.strictSame(await review({ token: 'dave-token' }), {
    authenticated: true,
    user: { username: 'dave', uid: '2', groups: ['dev', 'system:authenticated'] },
    audiences: ['https://kubernetes.default.svc'],
  });
  t.match(await review({ token: 'dave-token', audiences: ['other'] }), { user: {}, error: 'invalid bearer token' });
  t.match(await review({ token: 'nope' }), { user: {}, error: 'invalid bearer token' });
  const refused = await ask('GET', '/api/v1/namespaces', { authorization: 'Bearer nope' });
  t.equal(refused.status, 401);
  t.match(await refused.json(), { message: 'Unauthorized', reason: 'Unauthorized' });
  const spaced = await ask('GET', '/version', { authorization: 'Bearer  admin-token' });
  t.equal(spaced.status, 200, 'anonymous, not another user');
  t.match(spaced.headers.get('warning'), /extra space before the bearer token/);
  const secret = {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' },
  };
  t.equal((await ask('POST', '/api/v1/namespaces/kube-system/secrets', asAdmin, secret)).status, 201);
  t.match(await review({ token: 'abcdef.0123456789abcdef' }), {
    authenticated: true,
    user: { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', 'system:authenticated'] },
  });
  await ask('DELETE', '/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef');
  t.match(await review({ token: 'abcdef.0123456789abcdef' }), { error: 'invalid bearer token' });
  await close();
});

t.test('what a server passes on says who asks, and not how they proved it', async (t) => {
  const passed: ApiRequest[] = [];
  const nodes: NodeConnector = {
    proxy: (request) => (
      passed.push(request),
      Promise.resolve({ type: 'raw', code: 200, contentType: 'text/plain', content: 'ok' })
    ),
  };
  const { ask, close, server } = await served({
    authenticationInfo: {
      requestHeader: {
        authorities: root.pem,
        usernameHeaders: ['X-Proxied-User'],
        extraPrefixes: ['X-Proxied-Extra-'],
      },
    },
  });
  server.nodes.register(nodes);
  const node = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } };
  const pod = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  };
  t.equal((await ask('POST', '/api/v1/nodes', asAdmin, node)).status, 201);
  t.equal((await ask('POST', '/api/v1/namespaces/default/pods', asAdmin, pod)).status, 201);
  const headers = {
    ...asAdmin,
    'X-Remote-User': 'a',
    'X-Remote-Group': 'b',
    'X-Remote-Extra-Key': 'c',
    'X-Proxied-User': 'd',
    'X-Proxied-Extra-Key': 'e',
    'X-Other': 'kept',
    'Sec-WebSocket-Protocol': `base64url.bearer.authorization.k8s.io.${Buffer.from('admin-token').toString('base64url')}, v5.channel.k8s.io`,
    Upgrade: 'websocket',
    'Impersonate-User': 'eve',
  };
  t.equal((await ask('GET', '/api/v1/namespaces/default/pods/p/proxy/x', headers)).status, 200);
  t.equal(passed.length, 1);
  for (const request of passed) {
    for (const name of [
      'Authorization',
      'X-Remote-User',
      'x-remote-group',
      'X-Remote-Extra-Key',
      'X-Proxied-User',
      'x-proxied-extra-key',
      'Impersonate-User',
    ])
      t.equal(request.header(name), undefined, name);
    t.equal(request.header('X-Other'), 'kept');
    t.equal(request.header('sec-websocket-protocol')?.trim(), 'v5.channel.k8s.io');
    t.strictSame(
      request.headersWith?.('x-').map(([name]) => name),
      ['x-other'],
    );
    t.strictSame(
      request.headersWith?.('sec-').map(([, value]) => value.trim()),
      ['v5.channel.k8s.io'],
    );
    t.equal(request.user?.username, 'eve', 'in whose name it is done');
    t.notOk('certificate' in request);
  }
  await close();
});

t.test('a server publishes the authorities it trusts', async (t) => {
  const other = authority('other');
  const requestHeaderInfo = {
    authorities: root.pem,
    allowedNames: ['proxy'],
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: [],
    groupHeaders: ['X-Remote-Group'],
    extraPrefixes: ['X-Remote-Extra-'],
  };
  const data = authenticationConfigMap({ clientAuthorities: other.pem, requestHeader: requestHeaderInfo })?.data;
  t.strictSame(data, {
    'client-ca-file': other.pem,
    'requestheader-allowed-names': '["proxy"]',
    'requestheader-client-ca-file': root.pem,
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  });
  t.equal(authenticationConfigMap({}), undefined);
  const store = memoryStore();
  const readBack = async (
    options: Partial<ServerOptions>,
  ): Promise<{ readonly metadata: { readonly resourceVersion: string }; readonly data: unknown }> => {
    const { ask, close } = await served({ store, ...options });
    const answer = (await (
      await ask('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication')
    ).json()) as { readonly metadata: { readonly resourceVersion: string }; readonly data: unknown };
    await close();
    return answer;
  };
  const first = await readBack({ authenticationInfo: { clientAuthorities: other.pem } });
  t.strictSame(first.data, { 'client-ca-file': other.pem });
  const again = await readBack({ authenticationInfo: { clientAuthorities: other.pem } });
  t.equal(again.metadata.resourceVersion, first.metadata.resourceVersion, 'nothing new, nothing written');
  const both = await readBack({
    authenticationInfo: {
      clientAuthorities: root.pem,
      requestHeader: { ...requestHeaderInfo, uidHeaders: ['X-Remote-Uid'] },
    },
  });
  t.match(both.data, { 'client-ca-file': other.pem + root.pem, 'requestheader-uid-headers': '["X-Remote-Uid"]' });
  t.match(
    authenticationConfigMap(
      { clientAuthorities: root.pem, requestHeader: requestHeaderInfo },
      { data: { 'requestheader-allowed-names': 'nonsense', 'requestheader-group-headers': '["A",1]' } },
    )?.data,
    { 'requestheader-allowed-names': '["proxy"]', 'requestheader-group-headers': '["A","X-Remote-Group"]' },
  );
});
