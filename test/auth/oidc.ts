// Tokens of foreign issuers: the configuration that believes them, their verification, and the reload of both. Issuers
// live in this process behind the port that real ones are asked through; one answers on a socket. Texts are
// Kubernetes'.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Subject, concat, of, throwError } from 'rxjs';
import t from 'tap';
import {
  AuthenticationConfigurationError,
  AuthenticationError,
  ExpressionError,
  anonymousOf,
  audienceAgnosticTokens,
  compileAuthenticationConfiguration,
  configurationOfOidcFlags,
  parseAuthenticationConfiguration,
  userOf,
  validateAuthenticationConfiguration,
} from '../../lib/auth/index.js';
import type {
  Authenticated,
  AuthenticationConfiguration,
  ExpressionCompiler,
  JwtAuthenticator,
  TokenAuthenticator,
} from '../../lib/auth/index.js';
import {
  authenticationFrom,
  httpsDocuments,
  jwkOf,
  oidcTokens,
  signJws,
  signingKey,
} from '../../lib/auth/node/index.js';
import type {
  AuthenticationReload,
  DocumentRequest,
  FetchDocument,
  FetchedDocument,
  OidcActivity,
  OidcOptions,
  SigningKey,
} from '../../lib/auth/node/index.js';
import { fieldErrorText, firstOf, systemClock, virtualClock } from '../../lib/core/index.js';
import type { JsonObject, JsonValue, VirtualClock } from '../../lib/core/index.js';
import { bundleProblem, createAuthority } from '../../lib/pki/index.js';
import { fc, runs } from '../support/properties.js';

// Issuers

const rsaKey = signingKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
const ecKey = signingKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const [oldKey, newKey, strangersKey] = [1, 2, 3].map(() =>
  signingKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
) as [SigningKey, SigningKey, SigningKey];

const url = 'https://issuer.example';
const discoveryPath = '/.well-known/openid-configuration';

/** Answers from memory. What is not there is 404; an Error is no answer at all. */
class World {
  readonly clock: VirtualClock = virtualClock();
  readonly requests: DocumentRequest[] = [];
  readonly documents = new Map<string, string | Error>();

  readonly fetchDocument: FetchDocument = async (request) => {
    this.requests.push(request);
    await Promise.resolve();
    const found = this.documents.get(request.url);
    if (found instanceof Error) throw found;
    return found === undefined ? { status: 404, body: '' } : { status: 200, body: found };
  };

  /** Publishes an issuer and its keys. */
  publish(issuer: string, keys: readonly SigningKey[]): this {
    this.documents.set(`${issuer}${discoveryPath}`, JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
    this.documents.set(`${issuer}/keys`, keySet(keys));
    return this;
  }

  asked(path: string): number {
    return this.requests.filter((request) => request.url.endsWith(path)).length;
  }

  /** Claims that are good for an hour. */
  claims(more: JsonObject = {}): JsonObject {
    return { iss: url, aud: 'cluster', sub: 'jane', exp: this.clock.now() / 1000 + 3600, ...more };
  }
}

function keySet(keys: readonly SigningKey[]): string {
  return JSON.stringify({ keys: keys.map((key) => jwkOf(key)) });
}

const subject: JwtAuthenticator = {
  issuer: { url, audiences: ['cluster'] },
  claimMappings: { username: { claim: 'sub', prefix: '' }, groups: { claim: 'groups', prefix: 'oidc:' } },
};
const believing = (more: Partial<JwtAuthenticator> = {}): AuthenticationConfiguration => ({
  jwt: [{ ...subject, ...more }],
});

async function ready(
  world: World,
  configuration: AuthenticationConfiguration = believing(),
  options: Partial<OidcOptions> = {},
): Promise<{ readonly authenticate: TokenAuthenticator; readonly activities: OidcActivity[]; stop(): void }> {
  const tokens = oidcTokens(configuration, { fetchDocument: world.fetchDocument, clock: world.clock, ...options });
  const activities: OidcActivity[] = [];
  const running = tokens.run().subscribe((activity) => activities.push(activity));
  await world.clock.settled();
  return {
    authenticate: tokens.authenticate,
    activities,
    stop: () => {
      running.unsubscribe();
    },
  };
}

/** The user, `undefined` for tokens of other issuers, or the error's text. */
async function answer(
  authenticate: TokenAuthenticator,
  token: string,
): Promise<Authenticated['user'] | string | undefined> {
  try {
    return (await firstOf(authenticate(token, undefined), undefined))?.user;
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error;
    return error.message;
  }
}

/** A token with any header, signed in any way. */
function forged(header: JsonObject, claims: JsonObject, signature: (signed: string) => Buffer): string {
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${signature(signed).toString('base64url')}`;
}

/** Expressions of a table. Whatever is not in it does not compile. */
function expressionsOf(
  table: Readonly<Record<string, (variables: Readonly<Record<string, JsonObject>>) => unknown>>,
): ExpressionCompiler {
  return {
    compile(source) {
      const evaluate = Object.hasOwn(table, source) ? table[source] : undefined;
      if (evaluate === undefined) throw new ExpressionError('compilation failed: unknown');
      return {
        source,
        evaluate: (variables) => evaluate(variables as Readonly<Record<string, JsonObject>>),
        selects: (...path) => new RegExp(`\\b${path.join('\\.')}\\b`).test(source),
      };
    },
  };
}

// The configuration

t.test('a configuration is read from YAML and JSON, and strictly', async (t) => {
  const yaml = `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
anonymous: { enabled: true, conditions: [{ path: /livez }] }
jwt:
- issuer: { url: "${url}", audiences: [a, b], audienceMatchPolicy: MatchAny }
  claimMappings: { username: { claim: sub, prefix: "" } }
`;
  const configuration = await parseAuthenticationConfiguration(yaml);
  t.same(configuration, {
    jwt: [
      {
        issuer: { url, audiences: ['a', 'b'], audienceMatchPolicy: 'MatchAny' },
        claimMappings: { username: { claim: 'sub', prefix: '' } },
      },
    ],
    anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
  });
  t.same(validateAuthenticationConfiguration(configuration), []);
  for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
    t.same(
      await parseAuthenticationConfiguration(
        `{"apiVersion":"apiserver.config.k8s.io/${version}","kind":"AuthenticationConfiguration"}`,
      ),
      {},
      version,
    );
  }
  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /^empty config data$/],
    ['apiVersion: apiserver.config.k8s.io/v1', /Kind/],
    [
      'apiVersion: apiserver.config.k8s.io/v2\nkind: AuthenticationConfiguration',
      /no kind "AuthenticationConfiguration" is registered for version "apiserver.config.k8s.io\/v2"/,
    ],
    [
      'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration',
      /no kind "AuthorizationConfiguration"/,
    ],
    [`${yaml}  surprise: 1`, /^strict decoding error: unknown field "jwt\[0\].surprise"$/],
    [`${yaml}anonymous: {}`, /strict decoding error: .*anonymous/s],
    [yaml.replace('[a, b]', '7'), /cannot unmarshal number/],
    [yaml.replace('jwt:', '__proto__: {}\njwt:'), /unknown field "__proto__"/],
    ['[]', /cannot unmarshal array/],
  ];
  for (const [text, problem] of refused)
    await t.rejects(parseAuthenticationConfiguration(text), { message: problem }, text);
});

t.test('every violated rule of the configuration is reported with its field', (t) => {
  const expressions = expressionsOf({
    'claims.email': () => '',
    'claims.email_verified': () => true,
    'claims.x': () => '',
    'user.username': () => true,
  });
  const problems = (
    configuration: AuthenticationConfiguration,
    disallowedIssuers: readonly string[] = [],
  ): readonly string[] =>
    validateAuthenticationConfiguration(configuration, {
      expressions,
      disallowedIssuers,
      certificatesProblem: bundleProblem,
    }).map(fieldErrorText);
  const ofIssuer = (issuer: JsonObject): readonly string[] =>
    problems(believing({ issuer: { url, audiences: ['a'], ...issuer } }));
  const ofMappings = (claimMappings: JsonObject): readonly string[] =>
    problems(believing({ claimMappings: { username: { claim: 'sub', prefix: '' }, ...claimMappings } }));
  const at = 'jwt[0].issuer';
  t.same(ofIssuer({ url: '' }), [`${at}.url: Required value`]);
  t.same(ofIssuer({ url: 'http://u:p@x?q#f' }), [
    `${at}.url: Invalid value: "http://u:p@x?q#f": URL scheme must be https`,
    `${at}.url: Invalid value: "http://u:p@x?q#f": URL must not contain a username or password`,
    `${at}.url: Invalid value: "http://u:p@x?q#f": URL must not contain a query`,
    `${at}.url: Invalid value: "http://u:p@x?q#f": URL must not contain a fragment`,
  ]);
  t.same(ofIssuer({ url: 'https://x:y' }), [
    `${at}.url: Invalid value: "https://x:y": parse "https://x:y": invalid port ":y" after host`,
  ]);
  t.same(ofIssuer({ discoveryURL: `${url}//` }), [
    `${at}.discoveryURL: Invalid value: "${url}//": discoveryURL must be different from URL`,
  ]);
  t.same(ofIssuer({ audiences: [] }), [`${at}.audiences: Required value: at least one ${at}.audiences is required`]);
  t.same(ofIssuer({ audiences: ['a', '', 'a'] }), [
    `${at}.audiences[1]: Required value`,
    `${at}.audiences[2]: Duplicate value: "a"`,
    `${at}.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences`,
  ]);
  t.same(ofIssuer({ audienceMatchPolicy: 'All' }), [
    `${at}.audienceMatchPolicy: Invalid value: "All": audienceMatchPolicy must be empty or MatchAny for single audience`,
  ]);
  t.same(ofIssuer({ certificateAuthority: 'x' }), [
    `${at}.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates`,
  ]);
  t.match(ofIssuer({ certificateAuthority: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }), [
    /malformed certificate/,
  ]);
  t.same(ofIssuer({ egressSelectorType: 'etcd' }), [
    `${at}.egressSelectorType: Invalid value: "etcd": egress selector must be either controlplane or cluster`,
  ]);
  t.same(
    problems(believing(), [url, 'https://b', 'https://a']),
    [`${at}.url: Invalid value: "${url}": URL must not overlap with disallowed issuers: [https://a https://b ${url}]`],
    'service accounts have an issuer of their own',
  );
  t.same(
    problems({
      jwt: [subject, subject].map((each) => ({ ...each, issuer: { ...each.issuer, discoveryURL: 'https://d' } })),
    }),
    [`jwt[1].issuer.url: Duplicate value: "${url}"`, 'jwt[1].issuer.discoveryURL: Duplicate value: "https://d"'],
  );
  t.same(problems({ jwt: Array.from({ length: 65 }, () => subject) }), [
    'jwt: Too many: 65: must have at most 64 items',
  ]);
  t.same(problems({ anonymous: { conditions: [{ path: '/livez' }] } }), [
    'anonymous.conditions: Invalid value: [{"Path":"/livez"}]: enabled should be set to true when conditions are defined',
  ]);

  const rules = 'jwt[0].claimValidationRules';
  t.same(
    problems(
      believing({
        claimValidationRules: [
          { claim: 'a', expression: 'b' },
          {},
          { claim: 'a', message: 'm' },
          { claim: 'a' },
          { expression: 'claims.x', requiredValue: 'v' },
          { expression: 'claims.x' },
          { expression: '?' },
        ],
      }),
    ),
    [
      `${rules}[0]: Invalid value: "a": claim and expression can't both be set`,
      `${rules}[1]: Required value: claim or expression is required`,
      `${rules}[2].message: Invalid value: "m": may not be specified when claim is set`,
      `${rules}[3].claim: Duplicate value: "a"`,
      `${rules}[4].requiredValue: Invalid value: "v": may not be specified when expression is set`,
      `${rules}[5].expression: Duplicate value: "claims.x"`,
      `${rules}[6].expression: Invalid value: "?": compilation failed: unknown`,
    ],
  );
  t.same(
    problems(
      believing({
        userValidationRules: [{ expression: '' }, { expression: 'user.username' }, { expression: 'user.username' }],
      }),
    ),
    [
      'jwt[0].userValidationRules[0].expression: Required value',
      'jwt[0].userValidationRules[2].expression: Duplicate value: "user.username"',
    ],
  );
  const mapping = 'jwt[0].claimMappings';
  t.same(ofMappings({ username: {} }), [`${mapping}.username: Required value: claim or expression is required`]);
  t.same(ofMappings({ username: { claim: 'sub' } }), [
    `${mapping}.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
  ]);
  t.same(ofMappings({ username: { claim: 'sub', expression: 'claims.x' } }), [
    `${mapping}.username: Invalid value: "": claim and expression can't both be set`,
  ]);
  t.same(ofMappings({ groups: { expression: 'claims.x', prefix: '' } }), [
    `${mapping}.groups.prefix: Invalid value: "": may not be specified when expression is set`,
  ]);
  t.same(ofMappings({ uid: { claim: 'uid', expression: 'claims.x' } }), [
    `${mapping}.uid: Invalid value: "": claim and expression can't both be set`,
  ]);
  t.same(
    ofMappings({
      extra: [
        { key: 'Foo.io/x', valueExpression: '' },
        { key: 'a.k8s.io/x', valueExpression: 'claims.x' },
        { key: 'a.io/x', valueExpression: 'claims.x' },
        { key: 'a.io/x', valueExpression: 'claims.x' },
      ],
    }).slice(1),
    [
      `${mapping}.extra[0].key: Invalid value: "Foo.io/x": must be lowercase`,
      `${mapping}.extra[0].valueExpression: Required value`,
      `${mapping}.extra[1].key: Invalid value: "a.k8s.io/x": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use`,
      `${mapping}.extra[3].key: Duplicate value: "a.io/x"`,
    ],
  );
  const unverified = ofMappings({ username: { expression: 'claims.email' } });
  t.match(unverified, [
    `${mapping}.username.expression: Invalid value: "claims.email": claims.email_verified must be used in claimMappings.username.expression or`,
  ]);
  t.same(
    problems(
      believing({
        claimMappings: { username: { expression: 'claims.email' } },
        claimValidationRules: [{ expression: 'claims.email_verified' }],
      }),
    ),
    [],
  );
  t.same(
    ofMappings({
      username: { expression: 'claims.email' },
      extra: [{ key: 'a.io/x', valueExpression: 'claims.email_verified' }],
    }),
    [],
  );
  t.end();
});

t.test('expressions that do not compile are refused when the configuration is loaded', (t) => {
  const world = new World();
  const configuration = believing({ claimMappings: { username: { expression: 'claims.sub +' } } });
  t.throws(() => oidcTokens(configuration, { fetchDocument: world.fetchDocument, clock: world.clock }), {
    name: 'AuthenticationConfigurationError',
    message:
      /^invalid authentication configuration: jwt\[0\]\.claimMappings\.username\.expression: Invalid value: "claims\.sub \+": compilation failed: ERROR: <input>:1:13: Syntax error/,
  });
  const broken: ExpressionCompiler = {
    compile() {
      throw new ExpressionError('out of order', 'Internal');
    },
  };
  t.throws(() => compileAuthenticationConfiguration(configuration, { expressions: broken }), {
    message: /Internal error: out of order/,
  });
  t.throws(
    () =>
      oidcTokens(believing({ issuer: { url, audiences: ['a'], egressSelectorType: 'cluster' } }), {
        fetchDocument: world.fetchDocument,
        clock: world.clock,
      }),
    { message: 'oidc: egress lookup required with egress selector type "cluster"' },
  );
  t.throws(
    () =>
      oidcTokens(believing(), {
        fetchDocument: world.fetchDocument,
        clock: world.clock,
        algorithms: ['HS256' as 'RS256'],
      }),
    { message: 'oidc: unsupported signing alg: "HS256"' },
  );
  t.end();
});

t.test('anonymous access follows the configuration, or the flag where it is not set', (t) => {
  t.same(anonymousOf({}), {});
  t.equal(anonymousOf({}, false), undefined);
  t.equal(anonymousOf({ anonymous: {} }), undefined);
  t.same(anonymousOf({ anonymous: { enabled: true } }), {});
  t.same(anonymousOf({ anonymous: { enabled: true, conditions: [{ path: '/livez' }] } }), { paths: ['/livez'] });
  t.end();
});

t.test('flags become the configuration that a file would hold', (t) => {
  const usernameOf = (flags: { readonly usernameClaim?: string; readonly usernamePrefix?: string }): unknown =>
    configurationOfOidcFlags({ issuerUrl: url, clientId: 'c', ...flags }).jwt?.[0]?.claimMappings.username;
  t.same(usernameOf({}), { claim: 'sub', prefix: `${url}#` });
  t.same(usernameOf({ usernameClaim: 'email' }), { claim: 'email', prefix: '' });
  t.same(usernameOf({ usernamePrefix: '-' }), { claim: 'sub', prefix: '' });
  t.same(usernameOf({ usernameClaim: 'email', usernamePrefix: 'x:' }), { claim: 'email', prefix: 'x:' });
  const all = configurationOfOidcFlags({
    issuerUrl: url,
    clientId: 'c',
    certificateAuthority: 'pem',
    groupsClaim: 'groups',
    requiredClaims: { hd: 'example.org' },
  });
  t.same(all.jwt?.[0]?.claimMappings.groups, { claim: 'groups', prefix: '' });
  t.same(all.jwt?.[0]?.claimValidationRules, [{ claim: 'hd', requiredValue: 'example.org' }]);
  t.same(all.jwt?.[0]?.issuer, { url, audiences: ['c'], certificateAuthority: 'pem' });
  t.throws(() => configurationOfOidcFlags({ issuerUrl: url, clientId: '' }), {
    message: 'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
  });
  t.end();
});

// Claims

t.test('claims become a user', (t) => {
  const user = (jwt: Partial<JwtAuthenticator>, claims: JsonObject): unknown => {
    const [compiled] = compileAuthenticationConfiguration(believing(jwt));
    if (compiled === undefined) throw new Error('nothing compiled');
    try {
      return userOf(compiled, claims);
    } catch (error) {
      return error instanceof AuthenticationError ? error.message : error;
    }
  };
  const byEmail: Partial<JwtAuthenticator> = { claimMappings: { username: { claim: 'email', prefix: 'x:' } } };
  t.same(user({}, { sub: 'jane', groups: ['a', 'b'], jti: '7' }), {
    username: 'jane',
    groups: ['oidc:a', 'oidc:b'],
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=7'] },
  });
  t.same(user({}, { sub: 'jane', groups: 'a', jti: 7 }), { username: 'jane', groups: ['oidc:a'] });
  t.same(user({}, { sub: 'jane', groups: null }), { username: 'jane' });
  t.equal(
    user({}, { sub: 'jane', groups: ['a', 1] }),
    'oidc: parse groups claim "groups": json: cannot unmarshal array into Go value of type string',
  );
  t.equal(
    user({}, { sub: 'jane', groups: { a: 1 } }),
    'oidc: parse groups claim "groups": json: cannot unmarshal object into Go value of type string',
  );
  t.equal(user({}, {}), 'oidc: parse username claims "sub": claim not present');
  t.equal(
    user({}, { sub: 1 }),
    'oidc: parse username claims "sub": json: cannot unmarshal number into Go value of type string',
  );
  t.same(user(byEmail, { email: 'j@x' }), { username: 'x:j@x' }, 'who says nothing about verification is believed');
  t.same(user(byEmail, { email: 'j@x', email_verified: true }), { username: 'x:j@x' });
  t.equal(user(byEmail, { email: 'j@x', email_verified: false }), 'oidc: email not verified');
  t.equal(user(byEmail, { email: 'j@x', email_verified: null }), 'oidc: email not verified');
  t.equal(
    user(byEmail, { email: 'j@x', email_verified: 'true' }),
    "oidc: parse 'email_verified' claim: json: cannot unmarshal string into Go value of type bool",
  );
  const withUid: Partial<JwtAuthenticator> = {
    claimMappings: { username: { claim: 'sub', prefix: '' }, uid: { claim: 'uid' } },
  };
  t.same(user(withUid, { sub: 'jane', uid: 'u' }), { username: 'jane', uid: 'u' });
  t.equal(user(withUid, { sub: 'jane' }), 'oidc: parse uid claim "uid": claim not present');
  const required: Partial<JwtAuthenticator> = { claimValidationRules: [{ claim: 'hd', requiredValue: 'here' }] };
  t.same(user(required, { sub: 'jane', hd: 'here' }), { username: 'jane' });
  t.equal(user(required, { sub: 'jane' }), 'oidc: required claim hd not present in ID token');
  t.equal(
    user(required, { sub: 'jane', hd: 'there' }),
    'oidc: required claim hd value does not match. Got = there, want = here',
  );
  t.equal(
    user(required, { sub: 'jane', hd: true }),
    'oidc: parse claim hd: json: cannot unmarshal bool into Go value of type string',
  );
  const byProto: Partial<JwtAuthenticator> = {
    claimMappings: { username: { claim: 'constructor', prefix: '' }, groups: { claim: '__proto__', prefix: '' } },
  };
  t.equal(
    user(byProto, {}),
    'oidc: parse username claims "constructor": claim not present',
    'what every object has is no claim',
  );
  t.same(user(byProto, JSON.parse('{"constructor":"c","__proto__":["g"]}') as JsonObject), {
    username: 'c',
    groups: ['g'],
  });
  t.end();
});

t.test('expressions are CEL by default', (t) => {
  const configuration = believing({
    claimMappings: {
      username: { expression: "claims.email_verified ? claims.email : ''" },
      groups: { expression: "claims.roles.map(role, 'oidc:' + role)" },
      uid: { expression: "claims.?id.orValue('none')" },
      extra: [{ key: 'a.io/age', valueExpression: 'string(claims.age)' }],
    },
    claimValidationRules: [{ expression: "claims.hd == 'example.com'", message: 'not ours' }],
    userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
  });
  const [compiled] = compileAuthenticationConfiguration(configuration);
  if (compiled === undefined) throw new Error('nothing compiled');
  const user = (claims: JsonObject): unknown => {
    try {
      return userOf(compiled, {
        email: 'a@b',
        email_verified: true,
        roles: ['x'],
        age: 7,
        hd: 'example.com',
        ...claims,
      });
    } catch (error) {
      return error instanceof AuthenticationError ? error.message : error;
    }
  };
  t.same(user({}), { username: 'a@b', uid: 'none', groups: ['oidc:x'], extra: { 'a.io/age': ['7'] } });
  t.equal(user({ email_verified: false }), 'oidc: empty username via CEL expression is not allowed');
  t.match(user({ hd: 'other' }), /validation expression 'claims\.hd == 'example\.com'' failed: not ours/);
  t.match(user({ email: 'system:a' }), /failed: reserved/);
  t.match(user({ roles: 1 }), /error evaluating group claim expression: expression .* resulted in error: /);
  t.throws(
    () =>
      compileAuthenticationConfiguration(believing({ claimMappings: { username: { expression: 'claims.email' } } })),
    { message: /claims\.email_verified must be used/ },
  );
  t.throws(
    () =>
      compileAuthenticationConfiguration(
        believing({
          claimMappings: { username: { expression: 'claims.sub' } },
          claimValidationRules: [{ expression: 'claims.hd', message: 'm' }],
        }),
      ),
    { message: /must evaluate to bool/ },
  );
  t.end();
});

t.test('expressions map and judge', (t) => {
  const expressions = expressionsOf({
    'claims.user': ({ claims }) => claims?.user,
    'claims.roles': ({ claims }) => claims?.roles,
    'claims.id': ({ claims }) => claims?.id,
    'claims.more': ({ claims }) => claims?.more,
    'claims.ok': ({ claims }) => claims?.ok,
    'user.ok': ({ user }) => user?.username !== 'system:masters',
    fails: () => {
      throw new ExpressionError('no such key: x');
    },
  });
  const mappings = {
    username: { expression: 'claims.user' },
    groups: { expression: 'claims.roles' },
    uid: { expression: 'claims.id' },
    extra: [{ key: 'a.io/more', valueExpression: 'claims.more' }],
  };
  const user = (claims: JsonObject, jwt: Partial<JwtAuthenticator> = {}): unknown => {
    const configuration = believing({
      claimMappings: mappings,
      claimValidationRules: [{ expression: 'claims.ok', message: 'not ok' }],
      userValidationRules: [{ expression: 'user.ok', message: 'reserved' }],
      ...jwt,
    });
    const [compiled] = compileAuthenticationConfiguration(configuration, { expressions });
    if (compiled === undefined) throw new Error('nothing compiled');
    try {
      return userOf(compiled, { user: 'jane', roles: [], id: 'u', more: null, ok: true, ...claims });
    } catch (error) {
      return error instanceof AuthenticationError ? error.message : error;
    }
  };
  t.same(user({}), { username: 'jane', uid: 'u' });
  t.same(user({ roles: ['', 'a'], more: 'm', id: '' }), {
    username: 'jane',
    groups: ['a'],
    extra: { 'a.io/more': ['m'] },
  });
  t.same(user({ roles: 'a', more: ['m', 'n'] }), {
    username: 'jane',
    uid: 'u',
    groups: ['a'],
    extra: { 'a.io/more': ['m', 'n'] },
  });
  t.equal(user({ user: '' }), 'oidc: empty username via CEL expression is not allowed');
  t.equal(
    user({ user: 1 }),
    'oidc: error evaluating username claim expression: username claim expression must return a string',
  );
  t.equal(user({ id: null }), 'oidc: error evaluating uid claim expression: uid claim expression must return a string');
  t.equal(
    user({ roles: ['a', 1] }),
    'oidc: error evaluating group claim expression: expression must return a string or a list of strings',
  );
  t.equal(
    user({ more: { a: 1 } }),
    'oidc: error evaluating extra claim expression: claims.more: expression must return a string or a list of strings',
  );
  t.equal(
    user({ ok: false }),
    "oidc: error evaluating claim validation expression: validation expression 'claims.ok' failed: not ok",
  );
  t.equal(
    user({ ok: 'true' }),
    'oidc: error evaluating claim validation expression: validation expression must return a boolean',
  );
  t.equal(
    user({ user: 'system:masters' }),
    "oidc: error evaluating user info validation rule: validation expression 'user.ok' failed: reserved",
  );
  t.equal(
    user({}, { claimMappings: { username: { expression: 'fails' } } }),
    "oidc: error evaluating username claim expression: expression 'fails' resulted in error: no such key: x",
  );
  t.end();
});

t.test('whatever claims say, the user has their texts behind the prefixes, or there is none', (t) => {
  const [compiled] = compileAuthenticationConfiguration({
    jwt: [
      {
        issuer: { url, audiences: ['a'] },
        claimMappings: { username: { claim: 'sub', prefix: 'u:' }, groups: { claim: 'groups', prefix: 'g:' } },
      },
    ],
  });
  if (compiled === undefined) throw new Error('nothing compiled');
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('sub', 'groups', 'jti', '__proto__', 'constructor'), fc.jsonValue({ maxDepth: 2 })),
      (given) => {
        const claims = given as JsonObject;
        const isText = (value: JsonValue | undefined): boolean => value === null || typeof value === 'string';
        const groups = Object.hasOwn(claims, 'groups') ? claims.groups : null;
        const isGood =
          Object.hasOwn(claims, 'sub') &&
          isText(claims.sub) &&
          (isText(groups) || (Array.isArray(groups) && groups.every(isText)));
        try {
          const user = userOf(compiled, claims);
          return (
            isGood &&
            user.username === `u:${typeof claims.sub === 'string' ? claims.sub : ''}` &&
            (user.groups ?? []).every((group) => group.startsWith('g:')) &&
            Object.getPrototypeOf(user) === Object.prototype
          );
        } catch (error) {
          return !isGood && error instanceof AuthenticationError;
        }
      },
    ),
    { numRuns: runs(2000) },
  );
  t.end();
});

// Tokens

t.test('tokens of an issuer are believed once it was discovered', async (t) => {
  const world = new World();
  const token = signJws(world.claims({ groups: ['dev'] }), ecKey);
  const { authenticate, activities, stop } = await ready(world);
  t.equal(await answer(authenticate, token), 'oidc: authenticator not initialized');
  t.equal(
    await answer(authenticate, signJws(world.claims({ iss: 'https://other.example' }), ecKey)),
    undefined,
    'tokens of others are theirs to refuse',
  );
  world.publish(url, [ecKey, rsaKey]);
  await world.clock.advance('9s');
  t.equal(world.asked(discoveryPath), 1);
  await world.clock.advance('1s');
  t.same(activities, [
    { type: 'issuer-failed', issuer: url, problem: `${url}${discoveryPath}: answered with status 404` },
    { type: 'issuer-ready', issuer: url },
  ]);
  t.equal(world.clock.pending, 0, 'nothing waits any more');
  t.same(await answer(authenticate, token), { username: 'jane', groups: ['oidc:dev'] });
  t.same(await answer(authenticate, signJws(world.claims(), rsaKey)), { username: 'jane' });
  t.equal(world.asked('/keys'), 1, 'keys are asked for once');
  t.ok(Array.isArray(authenticate(token, undefined)), 'with the key known the answer is there at once');
  const audience = audienceAgnosticTokens(authenticate, ['api']);
  t.same(await firstOf(audience(token, ['api', 'x']), undefined), {
    user: { username: 'jane', groups: ['oidc:dev'] },
    audiences: ['api'],
  });
  t.equal(await firstOf(audience(token, ['vault']), undefined), undefined);
  stop();
});

t.test('an issuer of another name, or with keys over plain HTTP, is not accepted', async (t) => {
  const documents: readonly (readonly [string, RegExp])[] = [
    [
      JSON.stringify({ issuer: 'https://evil.example', jwks_uri: `${url}/keys` }),
      /issuer did not match the issuer returned by provider, expected "https:\/\/issuer.example" got "https:\/\/evil.example"/,
    ],
    [JSON.stringify({ jwks_uri: `${url}/keys` }), /got ""/],
    [JSON.stringify({ issuer: url, jwks_uri: 'http://issuer.example/keys' }), /is not https/],
    [JSON.stringify({ issuer: url }), /provider did not return JWKS URL/],
    ['[]', /no JSON object/],
    ['{', /no JSON object/],
  ];
  for (const [document, problem] of documents) {
    const world = new World();
    world.documents.set(`${url}${discoveryPath}`, document);
    const { activities, stop } = await ready(world);
    t.match(activities, [{ type: 'issuer-failed', problem }], document);
    stop();
    t.equal(world.clock.pending, 0, 'and nothing is requested again without a subscriber');
  }
});

t.test('the discovery document may be elsewhere', async (t) => {
  const world = new World().publish(url, [ecKey]);
  const document = world.documents.get(`${url}${discoveryPath}`) ?? '';
  world.documents.clear();
  world.documents.set('https://inside.example/discovery', document).set(`${url}/keys`, keySet([ecKey]));
  const authority = createAuthority({ now: world.clock.now() }).certificate;
  const { authenticate, stop } = await ready(
    world,
    believing({
      issuer: {
        url,
        audiences: ['cluster'],
        discoveryURL: 'https://inside.example/discovery',
        certificateAuthority: authority,
      },
    }),
  );
  t.same(await answer(authenticate, signJws(world.claims(), ecKey)), { username: 'jane' });
  t.same(
    world.requests.map((request) => [request.url, request.certificateAuthority === authority]),
    [
      ['https://inside.example/discovery', true],
      [`${url}/keys`, true],
    ],
  );
  stop();
});

t.test('keys may change, and strangers cannot make the server ask for them all the time', async (t) => {
  const world = new World().publish(url, [oldKey]);
  const { authenticate, stop } = await ready(world);
  const [before, after] = [signJws(world.claims(), oldKey), signJws(world.claims(), newKey)];
  const wrong = 'oidc: verify token: failed to verify signature: failed to verify id token signature';
  t.same(await answer(authenticate, before), { username: 'jane' });
  for (let i = 0; i < 50; i += 1) t.equal(await answer(authenticate, signJws(world.claims(), strangersKey)), wrong);
  t.equal(world.asked('/keys'), 1);
  world.documents.set(`${url}/keys`, keySet([newKey]));
  await world.clock.advance('5s');
  const asked = await Promise.all([after, after, after].map((token) => answer(authenticate, token)));
  t.same(asked, [{ username: 'jane' }, { username: 'jane' }, { username: 'jane' }]);
  t.equal(world.asked('/keys'), 2, 'who waits for keys waits together');
  t.equal(await answer(authenticate, before), wrong, 'a key that is gone signs nothing any more');
  await world.clock.advance('5s');
  world.documents.set(`${url}/keys`, new Error('connection refused'));
  t.equal(
    await answer(authenticate, before),
    'oidc: verify token: failed to verify signature: fetching keys connection refused',
  );
  t.same(await answer(authenticate, after), { username: 'jane' }, 'keys that are known outlive their issuer');
  await world.clock.advance('5s');
  world.documents.set(`${url}/keys`, '{"keys":7}');
  t.match(await answer(authenticate, before), /failed to decode keys/);
  stop();
});

t.test('tokens that are not what they seem are refused', async (t) => {
  const world = new World().publish(url, [rsaKey, ecKey]);
  const { authenticate, stop } = await ready(world);
  const good = world.claims();
  const now = world.clock.now() / 1000;
  const es256 = (signed: string): Buffer =>
    sign('sha256', Buffer.from(signed), { key: ecKey.privateKey, dsaEncoding: 'ieee-p1363' });
  const rs256 = (signed: string): Buffer => sign('sha256', Buffer.from(signed), rsaKey.privateKey);
  const publicPem = rsaKey.publicKey.export({ type: 'spki', format: 'pem' });
  const [header, payload, signature] = signJws(good, ecKey).split('.') as [string, string, string];
  t.same(
    await answer(authenticate, forged({ alg: 'ES256' }, good, es256)),
    { username: 'jane' },
    'a token need not name its key',
  );
  const refused: Readonly<Record<string, readonly [token: string, problem: RegExp]>> = {
    'no algorithm': [
      forged({ alg: 'none' }, good, () => Buffer.alloc(0)),
      /unsupported algorithm, expected \["ES256" "ES384" .* got "none"/,
    ],
    'the public key as a secret': [
      forged({ alg: 'HS256', kid: rsaKey.kid }, good, (signed) =>
        createHmac('sha256', publicPem).update(signed).digest(),
      ),
      /unsupported algorithm.*got "HS256"/,
    ],
    'RSA said to be elliptic': [
      forged({ alg: 'ES256', kid: rsaKey.kid }, good, rs256),
      /failed to verify id token signature/,
    ],
    'elliptic said to be RSA': [
      forged({ alg: 'RS256', kid: ecKey.kid }, good, es256),
      /failed to verify id token signature/,
    ],
    'PKCS #1 said to be PSS': [
      forged({ alg: 'PS256', kid: rsaKey.kid }, good, rs256),
      /failed to verify id token signature/,
    ],
    'a critical header': [
      forged({ alg: 'ES256', kid: ecKey.kid, crit: ['b64'], b64: false }, good, es256),
      /failed to verify id token signature/,
    ],
    'the key of another': [
      forged({ alg: 'ES256', kid: rsaKey.kid }, good, es256),
      /failed to verify id token signature/,
    ],
    'an unknown key': [signJws(good, strangersKey), /failed to verify id token signature/],
    'a header that is none': [`e30.${payload}.${signature}`, /oidc: verify token: oidc: malformed jwt/],
    'no audience': [
      signJws({ iss: url, sub: 'jane', exp: now + 60 }, ecKey),
      /oidc: verify token: oidc: expected audience "cluster" got \[\]/,
    ],
    'an empty audience': [signJws({ ...good, aud: null }, ecKey), /expected audience "cluster" got \[""\]/],
    'another audience': [signJws({ ...good, aud: ['a', 'b'] }, ecKey), /expected audience "cluster" got \["a" "b"\]/],
    'audiences that are none': [
      signJws({ ...good, aud: [1] }, ecKey),
      /failed to unmarshal claims: json: cannot unmarshal number into Go struct field idToken.aud of type string/,
    ],
    'no expiry': [
      signJws({ iss: url, aud: 'cluster', sub: 'jane' }, ecKey),
      /token is expired \(Token Expiry: 0001-01-01 00:00:00 \+0000 UTC\)/,
    ],
    'a second too late': [
      signJws({ ...good, exp: now - 1 }, ecKey),
      /token is expired \(Token Expiry: 2025-12-31 23:59:59 \+0000 UTC\)/,
    ],
    'an expiry beyond all time': [signJws({ ...good, exp: 1e300 }, ecKey), /token is expired/],
    'an expiry that is null': [
      signJws({ ...good, exp: null }, ecKey),
      /failed to unmarshal claims: strconv.ParseFloat: parsing ""/,
    ],
    'an expiry that is none': [signJws({ ...good, exp: 'never' }, ecKey), /failed to unmarshal claims/],
    'more than a minute too early': [
      signJws({ ...good, nbf: now + 61 }, ecKey),
      /before the nbf \(not before\) time: 2026-01-01 00:01:01 \+0000 UTC/,
    ],
    'sources that have no name': [
      signJws({ ...good, _claim_names: { x: '' } }, ecKey),
      /failed to obtain source from claim name/,
    ],
    'sources that are none': [
      signJws({ ...good, _claim_names: {}, _claim_sources: { s: { endpoint: 1 } } }, ecKey),
      /claimSource._claim_sources.endpoint of type string/,
    ],
    'no sources at all': [
      signJws({ ...good, _claim_names: {} }, ecKey),
      /could not expand distributed claims: oidc: no claim sources/,
    ],
    'sources that are missing': [signJws({ ...good, _claim_names: { x: 'y' } }, ecKey), /source does not exist/],
  };
  for (const [name, [token, problem]] of Object.entries(refused)) {
    await world.clock.advance(0);
    t.match(await answer(authenticate, token), problem, name);
  }
  t.same(
    await answer(authenticate, signJws({ ...good, exp: now }, ecKey)),
    { username: 'jane' },
    'good in its last second',
  );
  t.same(
    await answer(authenticate, signJws({ ...good, nbf: now + 60, aud: ['x', 'cluster'] }, ecKey)),
    { username: 'jane' },
    'clocks may differ by a minute',
  );
  const foreign: Readonly<Record<string, string>> = {
    'four parts': `${header}.${payload}.${signature}.x`,
    'two parts': `${header}.${payload}`,
    'very many parts': '.'.repeat(100_000),
    'JSON serialisation': JSON.stringify({ protected: header, payload, signature }),
    'no JSON': `${header}.bm9uZQ.${signature}`,
    padding: `${header}.${payload}=.${signature}`,
    'no issuer': signJws({ sub: 'jane' }, ecKey),
    'an issuer that is no text': signJws({ ...good, iss: [url] }, ecKey),
    'an issuer with a slash more': signJws({ ...good, iss: `${url}/` }, ecKey),
    'two issuers': `${header}.${Buffer.from(`{"iss":"${url}","iss":"${url}"}`).toString('base64url')}.${signature}`,
    nothing: '',
  };
  for (const [name, token] of Object.entries(foreign)) t.equal(await answer(authenticate, token), undefined, name);
  stop();
});

t.test('any single change of a token is noticed', async (t) => {
  const world = new World().publish(url, [ecKey]);
  const { authenticate, stop } = await ready(world);
  const token = signJws(world.claims({ groups: ['dev'] }), ecKey);
  t.same(await answer(authenticate, token), { username: 'jane', groups: ['oidc:dev'] });
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.{';
  await fc.assert(
    fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...digits.split('')), async (place, digit) => {
      const changed = token.slice(0, place) + digit + token.slice(place + 1);
      const found = await answer(authenticate, changed);
      return changed === token || typeof found !== 'object';
    }),
    { numRuns: runs(600) },
  );
  stop();
});

t.test('flags allow one algorithm; several audiences match any', async (t) => {
  const world = new World().publish(url, [rsaKey, ecKey]);
  const byFlags = await ready(world, configurationOfOidcFlags({ issuerUrl: url, clientId: 'cluster' }), {
    algorithms: ['RS256'],
  });
  t.same(await answer(byFlags.authenticate, signJws(world.claims(), rsaKey)), { username: `${url}#jane` });
  t.equal(
    await answer(byFlags.authenticate, signJws(world.claims(), ecKey)),
    'oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "ES256"',
  );
  byFlags.stop();
  const several = await ready(
    world,
    believing({ issuer: { url, audiences: ['b', 'a'], audienceMatchPolicy: 'MatchAny' } }),
  );
  t.same(await answer(several.authenticate, signJws(world.claims({ aud: ['x', 'a'] }), ecKey)), { username: 'jane' });
  t.equal(
    await answer(several.authenticate, signJws(world.claims({ aud: 'x' }), ecKey)),
    'oidc: verify token: oidc: expected audience in ["a" "b"] got ["x"]',
  );
  several.stop();
});

t.test('of several issuers the one that a token names decides', async (t) => {
  const google = 'https://accounts.google.com';
  const world = new World().publish(url, [ecKey]).publish(google, [rsaKey]);
  const { authenticate, stop } = await ready(world, {
    jwt: [
      subject,
      {
        ...subject,
        issuer: { ...subject.issuer, url: google },
        claimMappings: { username: { claim: 'sub', prefix: 'google:' } },
      },
    ],
  });
  t.same(await answer(authenticate, signJws(world.claims({ iss: google }), rsaKey)), { username: 'google:jane' });
  t.same(
    await answer(authenticate, signJws(world.claims({ iss: 'accounts.google.com' }), rsaKey)),
    { username: 'google:jane' },
    'as Google once wrote it',
  );
  t.match(
    await answer(authenticate, signJws(world.claims({ iss: google }), ecKey)),
    /failed to verify id token signature/,
    'no issuer signs for another',
  );
  stop();
});

t.test('groups may be elsewhere, with an issuer of their own', async (t) => {
  const groupsUrl = 'https://groups.example';
  const endpoint = `${groupsUrl}/of/jane`;
  const world = new World().publish(url, [ecKey]).publish(groupsUrl, [rsaKey]);
  const { authenticate, stop } = await ready(world);
  const elsewhere = (source: JsonObject): string =>
    signJws(world.claims({ _claim_names: { groups: 'src' }, _claim_sources: { src: source } }), ecKey);
  const token = elsewhere({ endpoint, access_token: 'f005ba11' });
  const failed = 'oidc: could not expand distributed claims: ';
  t.equal(
    await answer(authenticate, token),
    `${failed}while getting distributed claim "groups": error while getting distributed claim JWT: 404`,
  );
  world.documents.set(endpoint, signJws(world.claims({ iss: groupsUrl, groups: ['a'] }), rsaKey));
  t.same(await answer(authenticate, token), { username: 'jane', groups: ['oidc:a'] });
  t.same(
    world.requests.flatMap((request) => (request.url === endpoint ? [request.bearer] : [])),
    ['f005ba11', 'f005ba11'],
  );
  t.same(
    await answer(
      authenticate,
      signJws(
        world.claims({ groups: ['b'], _claim_names: { groups: 'src' }, _claim_sources: { src: { endpoint } } }),
        ecKey,
      ),
    ),
    { username: 'jane', groups: ['oidc:b'] },
    'what the token has itself counts',
  );
  t.same(
    await answer(authenticate, elsewhere({ JWT: 'x' })),
    { username: 'jane' },
    'aggregated claims are not looked at',
  );
  t.match(await answer(authenticate, elsewhere({ endpoint: 'http://169.254.169.254/latest' })), /is not https/);
  world.documents.set(endpoint, 'nonsense');
  t.equal(
    await answer(authenticate, token),
    `${failed}getting untrusted issuer from endpoint ${endpoint} failed for claim "groups": malformed token`,
  );
  world.documents.set(endpoint, signJws(world.claims({ iss: 'http://inside', groups: ['a'] }), rsaKey));
  t.match(await answer(authenticate, token), /verifying untrusted issuer http:\/\/inside failed: it is not https/);
  world.documents.set(endpoint, signJws(world.claims({ iss: 'https://unknown.example', groups: ['a'] }), rsaKey));
  t.match(await answer(authenticate, token), /verifier not initialized for issuer: "https:\/\/unknown.example"/);
  t.match(await answer(authenticate, token), /verifier not initialized/);
  t.equal(
    world.requests.filter((request) => request.url.startsWith('https://unknown')).length,
    1,
    'an issuer that does not answer is left alone for a while',
  );
  world.documents.set(endpoint, signJws(world.claims({ iss: groupsUrl, aud: 'other', groups: ['a'] }), rsaKey));
  t.match(await answer(authenticate, token), /verify distributed claim token: oidc: expected audience/);
  world.documents.set(endpoint, signJws(world.claims({ iss: groupsUrl }), rsaKey));
  t.match(await answer(authenticate, token), /did not contain claim: groups/);
  await world.clock.advance('10s');
  world
    .publish('https://unknown.example', [rsaKey])
    .documents.set(endpoint, signJws(world.claims({ iss: 'https://unknown.example', groups: ['a'] }), rsaKey));
  t.same(
    await Promise.all([answer(authenticate, token), answer(authenticate, token)]),
    [
      { username: 'jane', groups: ['oidc:a'] },
      { username: 'jane', groups: ['oidc:a'] },
    ],
    'who waits for an issuer waits together',
  );
  for (let i = 0; i < 40; i += 1) {
    world.documents.set(endpoint, signJws(world.claims({ iss: `https://${i}.example`, groups: ['a'] }), rsaKey));
    t.match(await answer(authenticate, token), /not initialized/);
  }
  world.documents.set(endpoint, signJws(world.claims({ iss: 'https://unknown.example', groups: ['a'] }), rsaKey));
  t.same(await answer(authenticate, token), { username: 'jane', groups: ['oidc:a'] });
  t.equal(
    world.requests.filter((request) => request.url === `https://unknown.example${discoveryPath}`).length,
    3,
    'only a few issuers are remembered',
  );
  stop();
});

// Reload

interface Reloading {
  readonly world: World;
  readonly authenticate: TokenAuthenticator;
  readonly states: string[];
  next(configuration: AuthenticationConfiguration): Promise<void>;
  stop(): void;
}

async function reloading(world: World, first: AuthenticationConfiguration): Promise<Reloading> {
  const config$ = new Subject<AuthenticationConfiguration>();
  const { authenticate, run } = authenticationFrom(concat(of(first), config$), {
    fetchDocument: world.fetchDocument,
    clock: world.clock,
  });
  const states: string[] = [];
  const running = run().subscribe((reload: AuthenticationReload) => {
    if (reload.type === 'configuration-serving') states.push('serving');
    if (reload.type === 'configuration-refused') states.push(`refused: ${reload.problem}`);
  });
  await world.clock.settled();
  return {
    world,
    authenticate,
    states,
    next: (configuration) => {
      config$.next(configuration);
      return world.clock.settled();
    },
    stop: () => {
      running.unsubscribe();
    },
  };
}

const otherUrl = 'https://other.example';
const believingOther = believing({ issuer: { url: otherUrl, audiences: ['cluster'] } });

t.test('a new configuration serves when its issuers have answered', async (t) => {
  const world = new World().publish(url, [ecKey]);
  const { authenticate, states, next, stop } = await reloading(world, believing());
  const [ours, theirs] = [signJws(world.claims(), ecKey), signJws(world.claims({ iss: otherUrl }), rsaKey)];
  t.same(await answer(authenticate, ours), { username: 'jane' });
  await next(believing());
  t.same(states, ['serving'], 'the same once more is no change');
  await next(believingOther);
  await world.clock.advance('60s');
  t.equal(states.length, 2, 'refused');
  await next(believingOther);
  t.same(await answer(authenticate, ours), { username: 'jane' }, 'the old one serves while the new one is tried');
  t.equal(await answer(authenticate, theirs), undefined);
  world.publish(otherUrl, [rsaKey]);
  await world.clock.advance('10s');
  t.equal(states.at(-1), 'serving', 'what was refused may come again');
  t.equal(await answer(authenticate, ours), undefined);
  t.same(await answer(authenticate, theirs), { username: 'jane' });
  const kept = world.requests.find((request) => request.url.startsWith(url))?.signal;
  await world.clock.advance('59s');
  t.equal(kept?.aborted, false, 'the old one is kept for those who are being answered');
  await world.clock.advance('1s');
  t.equal(kept?.aborted, true);
  await next({});
  t.equal(states.length, 4, 'without issuers no health check runs');
  t.equal(await answer(authenticate, theirs), undefined);
  stop();
  t.equal(world.clock.pending, 0);
});

t.test('a configuration that is no good changes nothing', async (t) => {
  const world = new World().publish(url, [ecKey]);
  const { authenticate, states, next, stop } = await reloading(world, { ...believing(), anonymous: { enabled: true } });
  const ours = signJws(world.claims(), ecKey);
  await next({ jwt: [] });
  await next({ ...believing({ issuer: { url: '', audiences: ['a'] } }), anonymous: { enabled: true } });
  await next({ ...believingOther, anonymous: { enabled: true } });
  await world.clock.advance('59s');
  t.equal(states.length, 3, 'it has a minute');
  await world.clock.advance('1s');
  t.match(states, [
    'serving',
    'refused: invalid authentication configuration: anonymous: Forbidden: changed from initial configuration file',
    'refused: invalid authentication configuration: jwt[0].issuer.url: Required value',
    /^refused: oidc: authenticator for issuer "https:\/\/other.example" is not healthy: .*answered with status 404/,
  ]);
  t.equal(world.clock.pending, 0, 'and is tried no more');
  await next({ ...believing(), anonymous: { enabled: true } });
  t.equal(states.length, 4, 'what serves need not be tried');
  await next({ ...believingOther, jwt: [...(believingOther.jwt ?? []), subject], anonymous: { enabled: true } });
  await next({ ...believing(), jwt: [subject], anonymous: { enabled: true } });
  t.match(states.slice(4), [/^refused/, /^serving$/], 'a newer one ends the trial of an older one');
  t.same(await answer(authenticate, ours), { username: 'jane' });
  stop();
  t.equal(world.clock.pending, 0);
});

t.test('the first configuration has to be valid; a source that fails leaves the last', async (t) => {
  const world = new World().publish(url, [ecKey]);
  const options = { fetchDocument: world.fetchDocument, clock: world.clock };
  const errors: unknown[] = [];
  const invalid = authenticationFrom(of(believing({ issuer: { url: '' } })), options);
  t.equal(
    await answer(invalid.authenticate, signJws(world.claims(), ecKey)),
    undefined,
    'before a configuration no token is ours',
  );
  invalid.run().subscribe({ error: (error: unknown) => errors.push(error) });
  t.ok(errors[0] instanceof AuthenticationConfigurationError);
  const failing = authenticationFrom(
    concat(
      of(believing()),
      throwError(() => new Error('no such file')),
    ),
    options,
  );
  const states: AuthenticationReload[] = [];
  const running = failing.run().subscribe((reload) => states.push(reload));
  await world.clock.settled();
  t.match(states, [
    { type: 'configuration-serving' },
    { type: 'configuration-refused', problem: 'no such file' },
    { type: 'issuer-ready' },
  ]);
  t.same(await answer(failing.authenticate, signJws(world.claims(), ecKey)), { username: 'jane' });
  running.unsubscribe();
});

// The wire

t.test('documents come by https from those who are vouched for, in bounds', async (t) => {
  const authority = createAuthority({ now: Date.now() });
  const { key, certificate: cert } = authority.issueServerCertificate(['localhost']);
  const seen: (string | undefined)[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    seen.push(request.headers.authorization);
    const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
    const bodies: Readonly<Record<string, string>> = {
      [discoveryPath]: JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }),
      '/keys': keySet([ecKey]),
      '/large': 'x'.repeat(2 * 1024 * 1024),
    };
    const redirects: Readonly<Record<string, string>> = {
      '/moved': '/keys',
      '/away': 'https://127.0.0.1:1/keys',
      '/plain': 'http://localhost/',
      '/loop': '/loop',
    };
    const path = request.url ?? '';
    if (path === '/silent') return;
    if (redirects[path] !== undefined) response.writeHead(302, { location: redirects[path] }).end();
    else if (bodies[path] !== undefined) response.end(bodies[path]);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const clock = virtualClock({ start: Math.trunc(Date.now() / 1000) * 1000 });
  const fetchDocument = httpsDocuments({ clock });
  const fetched = (path: string, more: Partial<DocumentRequest> = {}): Promise<FetchedDocument> =>
    fetchDocument({
      url: `${issuer}${path}`,
      certificateAuthority: authority.certificate,
      signal: new AbortController().signal,
      ...more,
    });
  t.equal((await fetched('/keys', { bearer: 'f005ba11' })).body, keySet([ecKey]));
  t.equal(seen.at(-1), 'Bearer f005ba11');
  t.equal((await fetched('/moved')).body, keySet([ecKey]));
  t.equal((await fetched('/nowhere')).status, 404);
  await t.rejects(fetched('/away'), { message: /redirected to another origin/ });
  await t.rejects(fetched('/plain'), { message: /redirected to another origin/ });
  await t.rejects(fetched('/loop'), { message: /stopped after 5 redirects/ });
  await t.rejects(fetched('/large'), { message: /more than 1048576 bytes/ });
  await t.rejects(
    fetched('/keys', { certificateAuthority: undefined }),
    { message: /certificate/ },
    'an unknown authority is not trusted',
  );
  await t.rejects(fetched('/keys', { url: issuer.replace('https', 'http') }), { message: /only https is asked/ });
  await t.rejects(fetched('/keys', { egress: 'cluster' }), {
    message: 'oidc: egress lookup for "cluster" is not configured',
  });
  const silent = t.rejects(fetched('/silent'), { message: /no answer within 30000 ms/ });
  await clock.advance('30s');
  await silent;
  const ending = new AbortController();
  const unwanted = t.rejects(fetched('/silent', { signal: ending.signal }), { message: /the request was aborted/ });
  ending.abort();
  await unwanted;
  await t.rejects(fetched('/keys', { signal: ending.signal }), { message: /the request was aborted/ });
  t.equal(clock.pending, 0);

  const tokens = oidcTokens(
    believing({ issuer: { url: issuer, audiences: ['cluster'], certificateAuthority: authority.certificate } }),
    { fetchDocument: httpsDocuments({ clock: systemClock() }), clock },
  );
  await new Promise<void>((resolve, reject) => {
    const running = tokens.run().subscribe(({ type, problem }) => {
      if (type === 'issuer-ready') resolve();
      else reject(new Error(problem));
    });
    t.teardown(() => {
      running.unsubscribe();
    });
  });
  t.same(
    await answer(
      tokens.authenticate,
      signJws({ iss: issuer, aud: 'cluster', sub: 'jane', exp: clock.now() / 1000 + 60 }, ecKey),
    ),
    { username: 'jane' },
  );
});
