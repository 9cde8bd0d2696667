// Requests that no honest client sends, from a seed: each begins as a good one, at an address that exists, and is bent
// in one or a few respects, so that it comes as far as possible before it is refused. Nearly every second one is a
// write.
import type { JsonObject } from '../../lib/core/objects/json.js';
import type { StructType } from '../../lib/core/schema/type.js';
import type { Scheme } from '../../lib/core/scheme/scheme.js';
import type { Random } from '../../lib/core/time/random.js';
import { random } from '../../lib/core/time/random.js';
import { bodyTypes, hostileBody, hostilePatch, hostileTexts, patchTypes, someObject } from './hostile-bodies.js';

/** A request as bytes would say it. */
export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  /** Names in lower case, each once. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** What requests are made of. */
export interface HostileOptions {
  readonly seed: number | string;
  readonly scheme: Scheme;
  /** Objects that a server takes, with their kind and apiVersion. Names and namespaces are replaced. */
  readonly samples: readonly JsonObject[];
}

/** The names and namespaces that requests are about: few, so that they meet. */
export const hostileNames: readonly string[] = ['a', 'b', 'c'];
export const hostileNamespaces: readonly string[] = ['default', 'fuzz'];

/** Requests without end, the same ones for the same seed. */
export function* hostileRequests({ seed, scheme, samples }: HostileOptions): Generator<HostileRequest, never> {
  const draw = random(seed);
  const addresses = addressesOf(scheme);
  const byKind = new Map<string, JsonObject[]>();
  for (const sample of samples) {
    const { apiVersion, kind } = sample;
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') continue;
    const key = `${apiVersion}/${kind}`;
    byKind.set(key, [...(byKind.get(key) ?? []), sample]);
  }
  const sampled = addresses.filter(({ apiVersion, kind }) => byKind.has(`${apiVersion}/${kind}`));
  for (;;) {
    const address = draw.next() < 0.5 ? draw.pick(sampled) : draw.pick(addresses);
    yield requestTo(draw, address, byKind.get(`${address.apiVersion}/${address.kind}`) ?? []);
  }
}

interface Address {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly subresources: readonly string[];
  readonly type: StructType;
}

function addressesOf(scheme: Scheme): readonly Address[] {
  return scheme.groups.flatMap(({ name, versions }) =>
    versions.flatMap((version) =>
      scheme.resourcesOf({ group: name, version }).map((served) => ({
        apiVersion: name === '' ? version : `${name}/${version}`,
        kind: served.kind,
        resource: served.resource.plural,
        namespaced: served.resource.namespaced,
        subresources: served.resource.subresources.map((each) => each.name),
        type: scheme.typeOf(served),
      })),
    ),
  );
}

function requestTo(draw: Random, address: Address, samples: readonly JsonObject[]): HostileRequest {
  const method = draw.next() < 0.04 ? draw.pick(oddMethods) : draw.pick(methods);
  const named = method !== 'POST' && draw.next() < (method === 'GET' || method === 'DELETE' ? 0.5 : 0.95);
  const name = draw.pick(hostileNames);
  const namespace = draw.pick(hostileNamespaces);
  const subresource = draw.next() < 0.15 ? `/${draw.pick([...address.subresources, ...oddSubresources])}` : '';
  const root = address.apiVersion.includes('/') ? `/apis/${address.apiVersion}` : `/api/${address.apiVersion}`;
  const scope = address.namespaced && draw.next() < 0.95 ? `/namespaces/${namespace}` : '';
  const path = `${root}${draw.next() < 0.03 ? '/watch' : ''}${scope}/${address.resource}${named || subresource !== '' ? `/${name}` : ''}${subresource}`;
  const query = draw.next() < 0.4 ? hostileQuery(draw) : '';
  const target = (draw.next() < 0.12 ? hostilePath(draw, path) : path) + (query === '' ? '' : `?${query}`);
  const headers: Record<string, string> = {};
  if (draw.next() < 0.3)
    for (let times = 1 + draw.integer(3); times > 0; times--) Object.assign(headers, hostileHeader(draw));
  if (!writes.has(method) || (method === 'DELETE' && draw.next() < 0.7))
    return { method, target, headers, body: undefined };
  const { contentType, bytes } = bodyOf(draw, address, { method, name, namespace, samples });
  return { method, target, headers: { 'content-type': contentType, ...headers }, body: bytes };
}

interface About {
  readonly method: string;
  readonly name: string;
  readonly namespace: string;
  readonly samples: readonly JsonObject[];
}

function bodyOf(
  draw: Random,
  { apiVersion, kind, namespaced, type }: Address,
  { method, name, namespace, samples }: About,
): { readonly contentType: string; readonly bytes: Uint8Array } {
  if (method === 'DELETE')
    return hostileBody(draw, type, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: draw.pick([0, 1, -1, 1e12]),
      preconditions: { uid: draw.pick(hostileTexts) },
    });
  const sample = samples.length > 0 && draw.next() < 0.7 ? draw.pick(samples) : someObject(draw, type);
  const metadata = {
    ...(draw.next() < 0.1 ? (sample.metadata as JsonObject) : {}),
    ...(draw.next() < 0.93 ? { name } : { generateName: 'g-' }),
    ...(namespaced && { namespace }),
  };
  const object = { ...sample, kind, apiVersion, metadata };
  return method === 'PATCH' ? hostilePatch(draw, object) : hostileBody(draw, type, object);
}

const methods = ['GET', 'GET', 'POST', 'POST', 'POST', 'PUT', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'DELETE'];
const oddMethods = ['HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'FOO', 'PROPFIND', '__proto__', 'M'.repeat(200)];
const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'FOO', 'OPTIONS']);
const oddSubresources = [
  'status',
  'scale',
  'finalize',
  'log',
  'exec',
  'attach',
  'portforward',
  'proxy',
  'proxy/a/b',
  'binding',
  'eviction',
  'ephemeralcontainers',
  'resize',
  'token',
  'approval',
  'nonsense',
  'status/status',
  '__proto__',
  'Status',
  'log/x',
  '',
];

const oddPaths: readonly string[] = [
  '/',
  '//',
  '/api',
  '/apis',
  '/api/',
  '/apis/',
  '/api/v1',
  '/api/v2',
  '/api/v1/',
  '/apis/apps',
  '/apis/apps/v1',
  '/apis/apps/v9',
  '/apis/nonsense.example/v1/things',
  '/api/v1/watch',
  '/api/v1/watch/',
  '/api/v1/proxy',
  '/api/v1/namespaces',
  '/api/v1/namespaces/',
  '/api/v1/namespaces//pods',
  '/apis//v1/pods',
  '/apis///',
  '/healthz',
  '/healthz/nonsense',
  '/livez?verbose',
  '/readyz/etcd',
  '/version',
  '/version/',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/apis/apps/v1',
  '/openapi/v3/nonsense',
  '/metrics',
  '/debug/pprof/',
  '/logs',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
  '/favicon.ico',
  '/__proto__',
  '/api/__proto__',
  '/apis/constructor/v1/toString',
  '*',
  '',
  'api/v1',
  'http://x/api/v1/pods',
  'http://',
  '/api/v1/componentstatuses/etcd-0',
  '/api/v1/componentstatuses',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/api/v1/namespaces/default/status',
  '/api/v1/namespaces/default/finalize',
  '/api/v1/nodes/a/proxy/',
  '/api/v1/namespaces/default/services/https:a:b/proxy/x',
];

function hostilePath(draw: Random, path: string): string {
  const dice = draw.next();
  if (dice < 0.35) return draw.pick(oddPaths);
  const parts = path.split('/');
  const at = 1 + draw.integer(parts.length - 1);
  if (dice < 0.7) parts[at] = draw.next() < 0.5 ? encodeURIComponent(draw.pick(hostileTexts)) : draw.pick(oddSegments);
  else if (dice < 0.8) parts.splice(at, 0, draw.pick(oddSegments));
  else if (dice < 0.9) parts.splice(at, 1);
  else if (dice < 0.95) parts[at] = (parts[at] ?? '').toUpperCase();
  else parts.push(...Array.from({ length: draw.pick([1, 10, 1000]) }, () => draw.pick(oddSegments)));
  return parts.join('/');
}

const oddSegments: readonly string[] = [
  '..',
  '.',
  '',
  '%2e%2e',
  '%2f',
  '%2F..',
  '%00',
  '%',
  '%zz',
  '%ff',
  '%c0%80',
  '%ED%A0%80',
  'a%20b',
  'a+b',
  ';',
  'a;b=c',
  ':',
  '@',
  '*',
  '~',
  '\\',
  '%5c',
  'x'.repeat(300),
  'x'.repeat(20_000),
  '__proto__',
  'constructor',
  'é',
  '%E2%80%AE',
  'namespaces',
  'watch',
  'proxy',
  'status',
  'a:80',
  'http:a:',
];

const optionNames: readonly string[] = [
  'watch',
  'allowWatchBookmarks',
  'sendInitialEvents',
  'timeoutSeconds',
  'timeout',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'labelSelector',
  'fieldSelector',
  'pretty',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
  'gracePeriodSeconds',
  'propagationPolicy',
  'orphanDependents',
  'includeObject',
  'container',
  'follow',
  'tailLines',
  'limitBytes',
  'sinceSeconds',
  'sinceTime',
  'command',
  'stdin',
  'ports',
  'path',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  '__proto__',
  'constructor',
  'toString',
  '',
  'nonsense',
  'shardSelector',
  'verbose',
  'exclude',
];
const goodOptions: readonly string[] = [
  'watch=1',
  'watch=true&allowWatchBookmarks=true',
  'limit=1',
  'limit=500',
  'resourceVersion=0',
  'resourceVersion=1',
  'resourceVersion=9999999',
  'resourceVersionMatch=Exact',
  'resourceVersionMatch=NotOlderThan',
  'labelSelector=a',
  'labelSelector=a%20in%20(b,c),!d',
  'fieldSelector=metadata.name=a',
  'dryRun=All',
  'fieldManager=x',
  'fieldValidation=Strict',
  'fieldValidation=Warn',
  'force=true',
  'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  'timeoutSeconds=1',
  'timeout=1s',
  'pretty=1',
  'propagationPolicy=Foreground',
  'propagationPolicy=Orphan',
  'gracePeriodSeconds=0',
];

function hostileQuery(draw: Random): string {
  return Array.from({ length: 1 + draw.integer(3) }, () => {
    const dice = draw.next();
    if (dice < 0.4) return draw.pick(goodOptions);
    if (dice < 0.43)
      return draw.pick([
        '&&&',
        ';',
        '=',
        '%',
        '%zz=1',
        'a;b',
        '+',
        'x'.repeat(30_000),
        'a=b&'.repeat(12_000),
        '?',
        '#',
        'labelSelector',
        'watch&watch=0',
      ]);
    const name = draw.pick(optionNames);
    return `${draw.next() < 0.1 ? encodeURIComponent(name) : name}=${encodeURIComponent(optionValue(draw, name))}`;
  }).join('&');
}

function optionValue(draw: Random, name: string): string {
  const dice = draw.next();
  if (dice < 0.6 && name.endsWith('Selector')) return draw.pick(selectors);
  if (dice < 0.6 && name === 'continue') return draw.pick(tokens);
  if (dice < 0.6 && name === 'dryRun') return draw.pick(['All', 'all', 'None', '', 'All,All']);
  return draw.pick(hostileTexts);
}

const selectors: readonly string[] = [
  'a=b',
  'a==b',
  'a!=b',
  'a in (b',
  'a in ()',
  'a in (,)',
  'a notin (b,c',
  '!a',
  '!',
  '!!a',
  'a,,b',
  ',',
  '(',
  ')',
  'a>1',
  'a<1',
  'a>x',
  'a>99999999999999999999',
  '=',
  '==',
  'a=b=c',
  'a in in (b)',
  'in in (in)',
  'notin',
  'a ~ b',
  `${'a,'.repeat(2_000)}b`,
  `a in (${'x,'.repeat(3_000)}y)`,
  '('.repeat(5_000),
  `${' '.repeat(20_000)}a`,
  `a${'!'.repeat(5_000)}`,
  `${'a'.repeat(64)}=b`,
  `a=${'b'.repeat(64)}`,
  '-a=b',
  'a/b/c=d',
  '__proto__=x',
  'constructor',
  'metadata.name=a',
  'metadata.name!=a,metadata.namespace=default',
  'spec.nodeName=',
  'status.phase=Running',
  'metadata.labels.a=b',
  'metadata.name=a\\,b',
  'metadata.name=\\',
  'metadata.name=\\x',
  `metadata.name=${'\\\\'.repeat(5_000)}`,
  'é=é',
  '\u0000',
];

const tokens: readonly string[] = [
  'a',
  '!!!',
  'e30=',
  'e30',
  'bnVsbA',
  'W10',
  btoa('{"v":"meta.k8s.io/v1","rv":-1,"start":"a\\u0000"}'),
  btoa('{"v":"meta.k8s.io/v1","rv":1,"start":"a\\u0000"}'),
  btoa('{"v":"meta.k8s.io/v1","rv":99999999,"start":"../../a"}'),
  btoa('{"v":"meta.k8s.io/v1","rv":"x","start":""}'),
  btoa('{"v":"v0"}'),
  btoa('{"__proto__":{"polluted":1},"v":"meta.k8s.io/v1","rv":5,"start":"x"}'),
  btoa('['.repeat(5_000)),
  'A'.repeat(50_000),
];

const accepts: readonly string[] = [
  '*/*',
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=Nonsense',
  'application/json;as=Table;v=v9;g=x',
  'application/json;stream=watch',
  'application/*',
  'text/html',
  '',
  ',',
  ';',
  ';;;',
  'application/json;',
  'application/json;q=0',
  'application/json;q=nonsense',
  'application/json;q=1e9',
  'application/json;a="b',
  'application/json;__proto__=x',
  'a/b/c',
  '/',
  `${'application/json;q=0.1,'.repeat(500)}*/*`,
  `application/json${';a=b'.repeat(1_000)}`,
  `${'a'.repeat(10_000)}/b`,
  'application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2',
  'application/cbor',
  '"\\"',
  'é',
];

function hostileHeader(draw: Random): Readonly<Record<string, string>> {
  const dice = draw.next();
  if (dice < 0.4) return { accept: draw.pick(accepts) };
  if (dice < 0.65) return { 'content-type': draw.pick([...bodyTypes, ...patchTypes, ...oddContentTypes]) };
  return {
    [draw.pick(oddHeaders)]: draw
      .pick([
        ...hostileTexts,
        'x'.repeat(50_000),
        'gzip',
        'chunked',
        '100-continue',
        'Bearer x',
        'Basic eDp5',
        'system:masters',
        'W/"a"',
        '*',
      ])
      .replace(/[\u0000-\u001F]|[^\u0000-\u00FF]/g, '?'),
  };
}

const oddContentTypes: readonly string[] = [
  '',
  ';',
  'application',
  'application/',
  '/json',
  'application/json; charset=utf-16',
  'application/json;charset="',
  'application/json, application/yaml',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/cbor',
  'application/apply-patch+cbor',
  'APPLICATION/JSON',
  'application/json\u0000',
  `application/json${';a=b'.repeat(1_000)}`,
  '__proto__',
];
const oddHeaders: readonly string[] = [
  'impersonate-user',
  'impersonate-group',
  'impersonate-uid',
  'impersonate-extra-scopes',
  'impersonate-extra-%ff',
  'authorization',
  'user-agent',
  'audit-id',
  'if-none-match',
  'if-match',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'connection',
  'cookie',
  'x-forwarded-for',
  'x-remote-user',
  'range',
  'host',
  'traceparent',
  '__proto__',
  'constructor',
  'sec-websocket-protocol',
  'sec-websocket-key',
  'kubectl-command',
  'origin',
];
