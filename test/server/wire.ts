// The wire without a socket: requests as values, answers as bytes. What stands in tables here was answered by a
// kube-apiserver v1.36.
import { gunzipSync } from 'node:zlib';
import { NEVER, Observable, Subject, concat, of, throwError } from 'rxjs';
import t from 'tap';
import { asServer } from '../support/as-server.js';
import {
  allowsObjectTransform,
  badRequest,
  builtinScheme,
  deepFreeze,
  encodeJson,
  encodeObject,
  createKinds,
  createScheme,
  field,
  forbidden,
  isApiError,
  mediaTypes,
  notFound,
  openEnvelope,
  decodeMessage,
  printYaml,
  random,
  resourceExpired,
  scalars,
  structType,
  tooManyRequests,
  virtualClock,
  watchFrameReader,
} from '../../lib/core/index.js';
import type {
  ApiObject,
  Frozen,
  JsonObject,
  Negotiated,
  Offer,
  RawEvent,
  ApiRequest,
  ApiResponse,
  Handler,
} from '../../lib/core/index.js';
import { fetchHandler } from '../../lib/server/http/fetch-handler.js';
import type { WireOptions } from '../../lib/server/http/wire.js';
import { wire } from '../../lib/server/http/wire.js';
import { parseQuery } from '../../lib/core/index.js';
import { readOptions } from '../../lib/server/http/query.js';
import { isLongRunning, missingRoute, readRequestInfo, targetCache } from '../../lib/server/http/request-info.js';
import { SocketError, encodeClose, encodeFrame, frameReader } from '../../lib/core/index.js';
import { pump } from '../../lib/server/http/stream-pump.js';
import { warningHeaders } from '../../lib/server/http/encode-response.js';
import type { WireInput } from '../../lib/server/http/wire-request.js';
import { WireRequest } from '../../lib/server/http/wire-request.js';
import { fc, runs } from '../support/properties.js';

const offer: Offer = {
  mediaTypes: [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf],
  allows: allowsObjectTransform,
};
const json: Negotiated = { mediaType: mediaTypes.json, pretty: false };
const configMap = (name: string, data: Readonly<Record<string, string>> = { k: 'v' }): Frozen<ApiObject> =>
  deepFreeze({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '7' },
    data,
  });
const listOf = (items: readonly Frozen<ApiObject>[]): Frozen<ApiObject> => ({
  kind: 'ConfigMapList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '9' },
  ...{ items },
});
const answering =
  (object: Frozen<ApiObject>, code = 200): Handler =>
  async (request) => ({ type: 'object', code, object, form: request.negotiate(offer) });
const refusing =
  (error: unknown): Handler =>
  async () => {
    throw error;
  };
const bookmark = ({ resourceVersion }: { readonly resourceVersion: string }): Frozen<ApiObject> => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { resourceVersion },
});
const watching =
  (events: Observable<RawEvent<Frozen<ApiObject>>>): Handler =>
  async (request) => ({ type: 'watch', events, form: request.negotiate(offer), bookmark });

async function ask(
  handler: Handler,
  path: string,
  init: RequestInit = {},
  options: WireOptions = {},
): Promise<Response> {
  return fetchHandler(asServer(handler), options)(new Request(`http://vivarium${path}`, init));
}

/** Asks without the help of the URL standard, which mends what real clients send. */
async function askRaw(
  handler: Handler,
  target: string,
  method = 'GET',
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly headers: readonly string[]; readonly text: string }> {
  const input: WireInput = {
    method,
    target,
    header: (name) => headers[name],
    headersWith: () => Object.entries(headers),
    readBody: async () => new Uint8Array(),
    onGone: () => undefined,
  };
  const output = await wire(asServer(handler), { random: random(1) }).answer(input);
  return {
    code: output.code,
    headers: output.headers,
    text: output.body.type === 'bytes' ? new TextDecoder().decode(output.body.bytes) : '',
  };
}

const seen = (): { readonly handler: Handler; readonly requests: ApiRequest[] } => {
  const requests: ApiRequest[] = [];
  return { requests, handler: (request) => (requests.push(request), answering(configMap('a'))(request)) };
};

t.test('a path says what it is about', async (t) => {
  const about = (method: string, target: string): string => {
    const [path = '', query = ''] = target.split('?');
    const info = readRequestInfo(method, path, parseQuery(query));
    if (info === undefined) return 'no request';
    const { verb, group, version, namespace, resource, name, subresource, rest } = info;
    return info.isResource
      ? [verb, `${group}/${version}`, namespace, resource, name, subresource, rest ?? ''].join(' ').trimEnd()
      : `${verb} ${path}`;
  };
  const table: readonly (readonly [method: string, target: string, about: string])[] = [
    ['GET', '/', 'get /'],
    ['HEAD', '/version', 'head /version'],
    ['GET', '/api/v1', 'get /api/v1'],
    ['GET', '/apis/apps/v1', 'get /apis/apps/v1'],
    ['GET', '/api/v1/pods', 'list /v1  pods'],
    ['GET', '/api/v1/pods//', 'list /v1  pods'],
    ['HEAD', '/api/v1/pods', 'list /v1  pods'],
    ['GET', '/api/v1/pods?watch', 'watch /v1  pods'],
    ['GET', '/api/v1/pods?watch=False', 'list /v1  pods'],
    ['GET', '/api/v1/pods?watch=0', 'list /v1  pods'],
    ['GET', '/api/v1/pods?watch=1&limit=abc', 'watch /v1  pods'],
    ['GET', '/api/v1/namespaces/x/pods/y', 'get /v1 x pods y'],
    ['GET', '/api/v1/namespaces/x/pods/y?watch=1', 'get /v1 x pods y'],
    ['GET', '/api/v1/namespaces/x', 'get /v1 x namespaces x'],
    ['PUT', '/api/v1/namespaces/x/finalize', 'update /v1 x namespaces x finalize'],
    ['PATCH', '/api/v1/namespaces/x/status', 'patch /v1 x namespaces x status'],
    ['DELETE', '/apis/apps/v1/namespaces/x/deployments', 'deletecollection apps/v1 x deployments'],
    ['DELETE', '/apis/apps/v1/namespaces/x/deployments/y', 'delete apps/v1 x deployments y'],
    ['POST', '/api/v1/namespaces/x/pods/y/eviction', 'create /v1 x pods y eviction'],
    ['GET', '/api/v1/nodes/n/proxy/a//b', 'get /v1  nodes n proxy a//b'],
    ['OPTIONS', '/api/v1/pods', ' /v1  pods'],
    ['POST', '/api/v1/watch/namespaces/x/pods/y', 'watch /v1 x pods y'],
    ['GET', '/api/v1/proxy/nodes/n/metrics/a', 'proxy /v1  nodes n  metrics/a'],
    ['GET', '/api/v1/watch', 'no request'],
    ['GET', '/apis/apps/v1/proxy/', 'no request'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name=y', 'list /v1  pods y'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name=y&watch=true', 'watch /v1  pods y'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name=..', 'list /v1  pods'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name!=y', 'list /v1  pods'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name=y&timeoutSeconds=x', 'list /v1  pods'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name=y&labelSelector=!!', 'list /v1  pods'],
    ['GET', '/api/v1/namespaces/x//pods', 'get /v1 x  pods'],
  ];
  for (const [method, target, expected] of table) t.equal(about(method, target), expected, `${method} ${target}`);
});

t.test('a path that leads nowhere is missing as a page or as a Status', async (t) => {
  const routeOf = (path: string): string | undefined => missingRoute(readRequestInfo('GET', path, new Map())!);
  for (const path of ['//api/v1/pods', '/apis//v1/pods']) t.equal(routeOf(path), 'page', path);
  for (const path of [
    '/api/v1/namespaces/x/pods//y',
    '/api/v1/namespaces/x/pods/y/log/z',
    '/api/v1/namespaces/x/status/z',
  ])
    t.equal(routeOf(path), 'status', path);
  for (const path of ['/version', '/api/v1/pods', '/api/v1/nodes/n/proxy/a/b', '/api/v1/namespaces//pods'])
    t.equal(routeOf(path), undefined, path);
});

t.test('watches, logs and connections may take their time', async (t) => {
  const isLong = (target: string): boolean =>
    isLongRunning(readRequestInfo('GET', target.split('?')[0] ?? '', parseQuery(target.split('?')[1] ?? ''))!);
  for (const target of [
    '/api/v1/pods?watch=1',
    '/api/v1/namespaces/x/pods/y/log',
    '/api/v1/nodes/n/proxy',
    '/debug/pprof/heap',
  ])
    t.ok(isLong(target), target);
  for (const target of ['/api/v1/pods', '/api/v1/namespaces/x/pods/log', '/log', '/version'])
    t.notOk(isLong(target), target);
});

t.test('what Go itself refuses is refused in its words', async (t) => {
  const { handler, requests } = seen();
  t.match(await askRaw(handler, '/api/v1/namespaces/default/configmaps/%zz'), { code: 400, text: '400 Bad Request' });
  t.match(await askRaw(handler, 'api/v1'), { code: 400, text: '400 Bad Request' });
  t.match(await askRaw(handler, `/?${'x'.repeat(300_000)}`), { code: 431 });
  t.match(await askRaw(handler, '*', 'OPTIONS'), { code: 200, text: '' });
  t.match(await askRaw(handler, '/api/v1/watch?<a>'), {
    code: 500,
    text: 'Internal Server Error: "/api/v1/watch?&lt;a&gt;": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch?&lt;a&gt;\n',
  });
  t.equal(requests.length, 0, 'no other handler was called');
  await askRaw(handler, 'http://elsewhere/api/v1/namespaces/default/configmaps/a%00%ff%2fb?__proto__=1');
  t.match(requests[0]?.info, { name: 'a\0\ufffd', subresource: 'b' });
});

t.test('a query says what Kubernetes would read from it', async (t) => {
  const read = (verb: string, query: string, subresource = ''): unknown => {
    try {
      const { parameters: _parameters, ...options } = readOptions(
        { verb, isResource: true, subresource },
        parseQuery(query),
      );
      return options;
    } catch (error) {
      return isApiError(error, 'BadRequest') && error.message;
    }
  };
  t.strictSame(read('list', 'limit=5&continue=x&labelSelector=a%3Db&watch=1&limit=abc'), {
    limit: 5,
    continue: 'x',
    labelSelector: 'a=b',
  });
  t.strictSame(read('list', 'limit=%2B5&timeoutSeconds=-3'), { limit: 5, timeoutSeconds: -3 });
  t.equal(read('list', 'limit=abc'), 'strconv.ParseInt: parsing "abc": invalid syntax');
  t.equal(read('list', 'limit='), 'strconv.ParseInt: parsing "": invalid syntax');
  t.equal(read('list', 'limit=+1'), 'strconv.ParseInt: parsing " 1": invalid syntax');
  t.equal(read('list', 'limit=0x10'), 'strconv.ParseInt: parsing "0x10": invalid syntax');
  t.equal(
    read('watch', 'limit=x&timeoutSeconds=99999999999999999999'),
    'strconv.ParseInt: parsing "99999999999999999999": value out of range',
  );
  t.equal(read('list', 'limit=%07'), 'strconv.ParseInt: parsing "\\a": invalid syntax');
  t.strictSame(read('get', 'limit=abc&resourceVersion=0'), { resourceVersion: '0' }, 'a get has no limit');
  t.strictSame(read('watch', 'allowWatchBookmarks&sendInitialEvents=FALSE'), {
    allowWatchBookmarks: true,
    sendInitialEvents: false,
  });
  t.strictSame(read('create', 'dryRun=All&dryRun=x&fieldManager=me&fieldValidation=Strict'), {
    dryRun: ['All', 'x'],
    fieldManager: 'me',
    fieldValidation: 'Strict',
  });
  t.strictSame(read('patch', 'force=0'), { force: false });
  t.strictSame(read('delete', 'gracePeriodSeconds=0&propagationPolicy=Orphan&orphanDependents=x&resourceVersion=3'), {
    gracePeriodSeconds: 0,
    propagationPolicy: 'Orphan',
    orphanDependents: true,
    resourceVersion: '3',
  });
  t.equal(read('delete', 'gracePeriodSeconds=1.5'), 'strconv.ParseInt: parsing "1.5": invalid syntax');
  t.strictSame(read('deletecollection', 'limit=2&gracePeriodSeconds=3'), { limit: 2, gracePeriodSeconds: 3 });
  t.strictSame(read('get', 'tailLines=abc', 'log'), {}, 'what a log makes of its options is its own affair');
  t.strictSame(read('list', ''), {});
});

t.test('parameters find what was sent, whatever it is called', async (t) => {
  const { parameters = {} } = readOptions(
    { verb: 'get', isResource: true, subresource: 'exec' },
    parseQuery('command=a&command=b+c&__proto__=x&constructor=y&bad=%zz&semi=a;b&=empty&flag'),
  );
  t.strictSame(Object.entries(parameters), [
    ['command', ['a', 'b c']],
    ['__proto__', ['x']],
    ['constructor', ['y']],
    ['', ['empty']],
    ['flag', ['']],
  ]);
  t.equal(parameters.toString, undefined);
  t.equal(
    parseQuery(Array.from({ length: 30_000 }, (_, index) => `n${index}`).join('&')).size,
    10_000,
    'and only so many',
  );
});

t.test('any query at all is read or refused with 400', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('list', 'delete', 'create', 'get'), (query, verb) => {
        try {
          readOptions({ verb, isResource: true, subresource: '' }, parseQuery(query));
        } catch (error) {
          if (!isApiError(error, 'BadRequest')) throw error;
        }
      }),
    ),
  );
});

t.test('an object is answered with the headers of a real server', async (t) => {
  const object = configMap('a', { html: '<&>' });
  const response = await ask(answering(object, 201), '/api/v1/namespaces/default/configmaps/a');
  t.equal(response.status, 201);
  t.equal(response.headers.get('cache-control'), 'no-cache, private');
  t.equal(response.headers.get('content-type'), 'application/json');
  t.match(response.headers.get('audit-id'), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const text = await response.text();
  t.equal(
    text,
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"uid-a","resourceVersion":"7"},"data":{"html":"\\u003c\\u0026\\u003e"}}\n',
  );
  t.equal(response.headers.get('content-length'), `${text.length}`);
  t.equal((await ask(answering(object), '/x', { headers: { 'Audit-ID': 'mine' } })).headers.get('audit-id'), 'mine');
});

t.test('two answers have two audit ids', async (t) => {
  const handler = fetchHandler(asServer(answering(configMap('a'))), { random: random(7) });
  const [first, second] = [await handler(new Request('http://x/a')), await handler(new Request('http://x/a'))];
  t.not(first.headers.get('audit-id'), second.headers.get('audit-id'));
});

t.test('kind and apiVersion come first, wherever they stood', async (t) => {
  const response = await ask(
    answering({ metadata: { name: 'a' }, apiVersion: 'v1', ...{ data: {} }, kind: 'ConfigMap' }),
    '/api/v1/namespaces/default/configmaps/a',
  );
  t.equal(await response.text(), '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{}}\n');
});

t.test('an answer has the form that was asked for', async (t) => {
  const object = configMap('a');
  const path = '/api/v1/namespaces/default/configmaps/a';
  const yaml = await ask(answering(object), path, { headers: { Accept: 'application/yaml' } });
  t.equal(yaml.headers.get('content-type'), 'application/yaml');
  t.equal(await yaml.text(), printYaml(object as JsonObject));
  const protobuf = await ask(answering(object), path, {
    headers: { Accept: 'application/vnd.kubernetes.protobuf,application/json' },
  });
  t.equal(protobuf.headers.get('content-type'), 'application/vnd.kubernetes.protobuf');
  const type = builtinScheme().typeOf({ group: '', version: 'v1', kind: 'ConfigMap' });
  t.strictSame(Buffer.from(await protobuf.arrayBuffer()), Buffer.from(encodeObject(type, object as JsonObject)));

  const pretty = (query: string, agent: string): Promise<string> =>
    ask(answering(object), path + query, { headers: { 'User-Agent': agent } }).then((each) => each.text());
  const indented = JSON.stringify(object, undefined, 2);
  for (const [query, agent, expected] of [
    ['?pretty=true', 'x', indented],
    ['?pretty=1', 'x', indented],
    ['', 'curl/8', indented],
    ['', 'Wget/1', indented],
    ['', 'Mozilla/5.0 (x)', indented],
    ['?pretty=false', 'curl/8', encodeJson(object)],
    ['?pretty=maybe', 'curl/8', encodeJson(object)],
    ['', 'kubectl/v1.36', encodeJson(object)],
  ] as const) {
    t.equal(await pretty(query, agent), expected, `${query} ${agent}`);
  }
});

t.test('aggregated discovery is known by its Content-Type', async (t) => {
  const transform = { group: 'apidiscovery.k8s.io', version: 'v2', kind: 'APIGroupDiscoveryList' };
  const handler: Handler = async () => ({
    type: 'object',
    code: 200,
    object: { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', ...{ items: [] } },
    form: { ...json, transform },
  });
  t.equal(
    (await ask(handler, '/apis')).headers.get('content-type'),
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  );
});

t.test('who accepts nothing that there is gets 406, from the router or behind it', async (t) => {
  const path = '/api/v1/namespaces/default/configmaps/a';
  const message = async (accept: string, target = path): Promise<unknown> => {
    const response = await ask(answering(configMap('a')), target, { headers: { Accept: accept } });
    const status = JSON.parse(await response.text()) as { readonly message: string };
    return response.status === 406 && status.message;
  };
  const all = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
  const router = `406: Not Acceptable\n\nAvailable representations: ${all}`;
  for (const accept of ['text/html', 'text/*', 'application/*', ';;;', 'Application/JSON'])
    t.equal(await message(accept), router, accept);
  t.equal(await message('text/html', '/api/v1/configmaps'), `${router}, ${streams}`);
  t.equal(await message('application/json;as=Foo;g=x;v=y'), `only the following media types are accepted: ${all}`);
  t.match(
    await (
      await ask(watching(NEVER), '/api/v1/configmaps?watch=1', { headers: { Accept: 'application/yaml' } })
    ).text(),
    `only the following media types are accepted: ${streams}`.slice(0, 60),
  );
  t.equal(
    await message('text/html', '/apis/apps'),
    `only the following media types are accepted: ${all}`,
    'no router in front of groups',
  );
  for (const accept of ['application/json;q=0', 'text/html, application/json', '*/*', 'application/json;foo=bar']) {
    t.equal((await ask(answering(configMap('a')), path, { headers: { Accept: accept } })).status, 200, accept);
  }
});

t.test('a refusal is a Status in a form that the client accepts', async (t) => {
  const error = notFound({ group: '', resource: 'namespaces', name: 'nope' });
  const compact =
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"namespaces \\"nope\\" not found","reason":"NotFound","details":{"name":"nope","kind":"namespaces"},"code":404}\n';
  const responseTo = async (headers: Record<string, string>): Promise<string> => {
    const response = await ask(refusing(error), '/api/v1/namespaces/nope', { headers });
    t.equal(response.status, 404);
    return `${response.headers.get('content-type') ?? ''}|${Buffer.from(await response.arrayBuffer()).toString('latin1')}`;
  };
  t.equal(await responseTo({}), `application/json|${compact}`);
  t.equal(
    await responseTo({ 'User-Agent': 'curl/8' }),
    `application/json|${JSON.stringify(JSON.parse(compact), undefined, 2)}`,
  );
  t.match(await responseTo({ Accept: 'application/yaml' }), /^application\/yaml\|apiVersion: v1\ncode: 404\n/);
  t.match(
    await responseTo({ Accept: 'application/vnd.kubernetes.protobuf' }),
    'application/vnd.kubernetes.protobuf|k8s\0',
  );
  const unacceptable = `application/json|${JSON.stringify(JSON.parse(compact), undefined, 2)}`;
  t.equal(
    await responseTo({ Accept: 'text/html' }),
    unacceptable,
    'the reason is sent even to a client that accepts no form',
  );
  t.equal(
    await responseTo({ Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }),
    unacceptable,
    'no table of a refusal',
  );
});

t.test('a defect is answered with 500 and the id of the log, never its text, and the host receives it', async (t) => {
  const defects: unknown[] = [];
  const error = new TypeError('x is not a function');
  const response = await ask(
    refusing(error),
    '/api/v1/pods',
    { headers: { 'Audit-Id': 'id-1' } },
    { onDefect: (each) => defects.push(each) },
  );
  t.equal(response.status, 500);
  t.match(await response.json(), {
    reason: 'InternalError',
    message: 'Internal error occurred: the request failed; look in the logs for details, audit ID "id-1"',
  });
  t.equal(response.headers.get('audit-id'), 'id-1');
  t.strictSame(defects, [error]);
  const failures: unknown[] = [];
  const answer = fetchHandler({ ...asServer(refusing(error)), reportFailure: (each) => failures.push(each) });
  await answer(new Request('http://x/api/v1/pods?limit=1', { headers: { 'Audit-Id': 'id-2' } }));
  t.strictSame(failures, [{ error, auditId: 'id-2', method: 'GET', path: '/api/v1/pods' }]);
  t.equal(
    (
      await ask((): never => {
        throw error;
      }, '/api/v1/pods')
    ).status,
    500,
    'also one that is thrown at once',
  );
});

t.test('Retry-After and warnings come with refusals too', async (t) => {
  const handler: Handler = async (request) => {
    request.addNotes?.({ warnings: ['unknown field "a"'], headers: ['X-A', '1'] });
    throw tooManyRequests('later', 7);
  };
  const response = await ask(handler, '/api/v1/pods');
  t.equal(response.headers.get('retry-after'), '7');
  t.equal(response.headers.get('warning'), '299 - "unknown field \\"a\\""');
  t.equal(response.headers.get('x-a'), '1');
});

t.test('warnings are quoted, sent once, and cut when they are too many', async (t) => {
  t.strictSame(warningHeaders(['say "a\\b"', 'x', 'x', '', 'new\nline', 'del\x7f', 'c1\u0085']), [
    '299 - "say \\"a\\\\b\\""',
    '299 - "x"',
  ]);
  t.strictSame(warningHeaders(['é']), [`299 - "${Buffer.from('é').toString('latin1')}"`], 'as bytes');
  const long = Array.from({ length: 30 }, (_, index) => `${index}`.padEnd(300, 'x'));
  const cut = warningHeaders(long);
  t.equal(cut.length, 16, '4096 characters of 256 each');
  t.ok(cut.every((header) => header.length === 256 + 8));
  t.equal(warningHeaders(['y'.repeat(5000)])[0]?.length, 256 + 8);
  t.equal(warningHeaders(['😀'.repeat(5000)])[0]?.length, 4 * 256 + 8, 'characters, not halves of them');
  const response = await ask(
    async () => ({ type: 'object', code: 200, object: configMap('a'), form: json, warnings: ['one', 'two'] }),
    '/x',
  );
  t.equal(response.headers.get('warning'), '299 - "one", 299 - "two"');
});

t.test('items of a list lose their kind, unless they are custom resources or partial metadata', async (t) => {
  const list = listOf([configMap('a'), configMap('b')]);
  const path = '/api/v1/configmaps';
  const bare = (name: string): string =>
    `{"metadata":{"name":"${name}","namespace":"default","uid":"uid-${name}","resourceVersion":"7"},"data":{"k":"v"}}`;
  const head = '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[';
  t.equal(await (await ask(answering(list), path)).text(), `${head}${bare('a')},${bare('b')}]}\n`);
  t.equal(await (await ask(answering(listOf([])), path)).text(), `${head}]}\n`);
  const type = structType('core/v1.ConfigMap', () => [field('data', scalars.json)]);
  const unnumbered = { group: '', version: 'v1', kind: 'ConfigMap', type: () => type };
  const kinds = createKinds(
    createScheme({ name: 'test', kinds: [{ ...unnumbered, resource: { plural: 'configmaps', namespaced: true } }] }),
  );
  const custom = await fetchHandler({ handler: answering(list), kinds })(new Request(`http://vivarium${path}`));
  t.strictSame(JSON.parse(await custom.text()), list);
  const partial = { ...list, kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' };
  t.strictSame(JSON.parse(await (await ask(answering(partial), path)).text()), partial);

  const without = {
    ...list,
    items: [configMap('a'), configMap('b')].map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest),
  };
  t.equal(await (await ask(answering(list), `${path}?pretty=true`)).text(), JSON.stringify(without, undefined, 2));
  t.equal(
    await (await ask(answering(listOf([])), `${path}?pretty=true`)).text(),
    JSON.stringify(listOf([]), undefined, 2),
  );
  t.equal(
    await (await ask(answering(list), path, { headers: { Accept: 'application/yaml' } })).text(),
    printYaml(without as unknown as JsonObject),
  );
  t.equal(
    await (await ask(answering(without as Frozen<ApiObject>), path)).text(),
    `${head}${bare('a')},${bare('b')}]}\n`,
    'items without a kind stay as they are',
  );
});

t.test('a list in protobuf is the message of the list', async (t) => {
  const type = builtinScheme().typeOf({ group: '', version: 'v1', kind: 'ConfigMapList' });
  for (const count of [0, 1, 300]) {
    const list = listOf(
      Array.from({ length: count }, (_, index) => configMap(`name-${index}`, { k: 'v'.repeat(index * 3) })),
    );
    const response = await ask(answering(list), '/api/v1/configmaps', { headers: { Accept: mediaTypes.protobuf } });
    const bytes = new Uint8Array(await response.arrayBuffer());
    t.strictSame(Buffer.from(bytes), Buffer.from(encodeObject(type, list as unknown as JsonObject)), `${count} items`);
    t.equal(
      (decodeMessage(type, openEnvelope(bytes).raw) as { readonly items?: readonly unknown[] }).items?.length ?? 0,
      count,
    );
  }
});

t.test('a long list comes in blocks, and is compressed for who wants that', async (t) => {
  const list = listOf(Array.from({ length: 700 }, (_, index) => configMap(`n${index}`, { k: 'x'.repeat(900) })));
  const plain = await ask(answering(list), '/api/v1/configmaps');
  t.equal(plain.headers.get('content-length'), null, 'the length is unknown before it was sent');
  const text = await plain.text();
  t.equal((JSON.parse(text) as { readonly items: readonly unknown[] }).items.length, 700);
  const packed = await ask(answering(list), '/api/v1/configmaps', { headers: { 'Accept-Encoding': 'deflate, gzip' } });
  t.equal(packed.headers.get('content-encoding'), 'gzip');
  t.equal(packed.headers.get('vary'), 'Accept-Encoding');
  t.equal(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString(), text);
  const small = await ask(answering(configMap('a')), '/x', { headers: { 'Accept-Encoding': 'gzip' } });
  t.equal(small.headers.get('content-encoding'), null, 'small ones are not worth it');
  const large = await ask(answering(configMap('a', { k: 'x'.repeat(200_000) })), '/x', {
    headers: { 'Accept-Encoding': 'gzip' },
  });
  t.equal(gunzipSync(Buffer.from(await large.arrayBuffer())).length > 200_000, true);
});

t.test('a stored object is encoded once per form, others each time', async (t) => {
  const forms: string[] = [];
  const kept = new Map<object, Uint8Array>();
  const encoded = {
    get(object: object, form: string, encode: () => Uint8Array): Uint8Array {
      forms.push(form);
      const bytes = kept.get(object) ?? encode();
      kept.set(object, bytes);
      return bytes;
    },
  };
  const object = configMap('a');
  await ask(answering(object), '/x', {}, { encoded });
  await ask(answering(listOf([object])), '/x', {}, { encoded });
  t.strictSame(forms, ['json', 'json'], 'the list took the bytes of the object');
  await ask(answering({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' } }), '/x', {}, { encoded });
  t.equal(forms.length, 2, 'what was never stored is not kept');
});

t.test('any objects at all come out as they went in', async (t) => {
  const data = fc.dictionary(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    { maxKeys: 4 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(data, { maxLength: 6 }), fc.boolean(), async (all, pretty) => {
      const items = all.map((each, index) => configMap(`n${index}`, each));
      const response = await ask(answering(listOf(items)), `/api/v1/configmaps${pretty ? '?pretty=1' : ''}`);
      const read = JSON.parse(await response.text()) as { readonly items: readonly { readonly data: unknown }[] };
      t.strictSame(
        read.items.map((item) => item.data),
        JSON.parse(JSON.stringify(all)),
      );
    }),
    { numRuns: runs(50) },
  );
});

t.test('a body is read when it is asked for, once, and not beyond its limit', async (t) => {
  const bodies: unknown[] = [];
  const reading: Handler = async (request) => {
    const [first, second] = [await request.body(), await request.body()];
    t.equal(first, second);
    bodies.push(first);
    return answering(configMap('a'))(request);
  };
  await ask(reading, '/api/v1/namespaces', {
    method: 'POST',
    body: '{"a":1}',
    headers: { 'Content-Type': 'application/yaml' },
  });
  t.match(bodies[0], { contentType: 'application/yaml' });
  t.equal(new TextDecoder().decode((bodies[0] as { readonly bytes: Uint8Array }).bytes), '{"a":1}');
  await ask(reading, '/api/v1/namespaces', { method: 'POST' });
  t.equal(bodies[1], undefined);
  const large = await ask(reading, '/api/v1/namespaces', { method: 'POST', body: 'x'.repeat(3 * 1024 * 1024 + 1) });
  t.equal(large.status, 413);
  t.match(await large.json(), {
    message: 'Request entity too large: limit is 3145728',
    reason: 'RequestEntityTooLarge',
  });
  t.equal(
    (await ask(reading, '/api/v1/namespaces', { method: 'POST', body: 'x'.repeat(3 * 1024 * 1024) })).status,
    200,
  );
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
  t.equal((await ask(reading, '/x', { method: 'POST', body: broken, duplex: 'half' })).status, 400);
});

t.test('HEAD describes, and no resource answers to it', async (t) => {
  const document: Handler = async () => ({
    type: 'raw',
    code: 200,
    contentType: 'text/plain; charset=utf-8',
    content: 'ok',
  });
  const health = await ask(document, '/healthz', { method: 'HEAD' });
  t.equal(health.headers.get('content-length'), '2');
  t.equal(await health.text(), '');
  t.equal((await ask(answering(configMap('a')), '/api/v1/namespaces/x', { method: 'HEAD' })).status, 405);
  t.equal((await askRaw(watching(NEVER), '/api/v1/watch/pods', 'POST')).code, 405);
  t.equal((await askRaw(refusing(badRequest('x')), '/api/v1/pods', 'HEAD')).code, 405);
  t.equal(
    (await askRaw(refusing(forbidden({ group: '', resource: 'pods' }, 'no')), '/api/v1/pods', 'HEAD')).code,
    403,
    'but first one must be allowed to ask',
  );
});

t.test('documents keep their own headers and are not sent twice', async (t) => {
  const document: Handler = async () => ({
    type: 'raw',
    code: 200,
    contentType: 'application/json',
    content: new TextEncoder().encode('{}'),
    headers: { ETag: '"1"', 'cache-control': 'public', Vary: 'Accept' },
  });
  const fresh = await ask(document, '/openapi/v3/api/v1');
  t.equal(fresh.headers.get('etag'), '"1"');
  t.equal(fresh.headers.get('cache-control'), 'public');
  t.equal(await fresh.text(), '{}');
  for (const known of ['"1"', 'W/"1"', '"0", "1"', '*']) {
    const again = await ask(document, '/openapi/v3/api/v1', { headers: { 'If-None-Match': known } });
    t.equal(again.status, 304, known);
    t.equal(again.headers.get('content-type'), null);
    t.equal(await again.text(), '');
  }
  t.equal((await ask(document, '/openapi/v3/api/v1', { headers: { 'If-None-Match': '"2"' } })).status, 200);
});

t.test('a request that takes too long is aborted, also for its handler', async (t) => {
  const clock = virtualClock();
  const signals: AbortSignal[] = [];
  const forever: Handler = (request) => {
    if (request.signal !== undefined) signals.push(request.signal);
    return new Promise<ApiResponse>(() => undefined);
  };
  const answer = fetchHandler(asServer(forever), { clock });
  const [ordinary, hasty, zero, generous] = ['', '?timeout=2s', '?timeout=0s', '?timeout=1h'].map((query) =>
    answer(new Request(`http://x/api/v1/namespaces/a${query}`)),
  );
  await clock.advance(2_000);
  t.equal((await hasty)?.status, 504);
  t.equal(signals.filter(({ aborted }) => aborted).length, 1);
  await clock.advance(58_000);
  const response = await ordinary;
  t.equal(response?.status, 504);
  t.equal(response?.headers.get('content-type'), 'text/plain; charset=utf-8');
  t.equal(
    await response?.text(),
    '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n',
  );
  t.equal((await zero)?.status, 504, 'no time means the usual time');
  t.equal((await generous)?.status, 504, 'and no request gets more');
  t.equal(clock.pending, 0);
  const bad = await ask(answering(configMap('a')), '/api/v1/pods?timeout=abc');
  t.match(await bad.json(), {
    code: 400,
    message: 'invalid timeout specified in the request URL - time: invalid duration "abc"',
  });
  t.equal((await ask(watching(of()), '/api/v1/pods?watch=1&timeout=abc')).status, 200, 'a watch has no such limit');
});

t.test('requests that came later have later deadlines, and none leaves a timer', async (t) => {
  const clock = virtualClock();
  let release: (() => void) | undefined;
  const handler: Handler = async (request) => {
    if (request.info.name === 'slow') await new Promise<void>((resolve) => (release = resolve));
    if (request.info.name === 'never') await new Promise<void>(() => undefined);
    return answering(configMap('a'))(request);
  };
  const answer = fetchHandler(asServer(handler), { clock });
  const slow = answer(new Request('http://x/api/v1/namespaces/slow'));
  await clock.advance(30_000);
  const late = answer(new Request('http://x/api/v1/namespaces/never'));
  await clock.advance(29_000);
  release?.();
  t.equal((await slow).status, 200);
  t.equal((await answer(new Request('http://x/api/v1/namespaces/quick'))).status, 200);
  await clock.advance(30_999);
  t.equal(clock.pending, 1);
  await clock.advance(1);
  t.equal((await late).status, 504);
  t.equal(clock.pending, 0);
});

const added = (name: string): RawEvent<Frozen<ApiObject>> => ({ type: 'ADDED', object: configMap(name) });

t.test('a watch is a line for each event', async (t) => {
  const events = of<RawEvent<Frozen<ApiObject>>[]>(
    added('a'),
    { type: 'MODIFIED', object: configMap('a') },
    { type: 'BOOKMARK', resourceVersion: '9' },
    { type: 'DELETED', object: configMap('a') },
  );
  const response = await ask(watching(events), '/api/v1/configmaps?watch=1&pretty=1', {
    headers: { 'User-Agent': 'curl/8' },
  });
  t.equal(response.headers.get('content-type'), 'application/json');
  const lines = (await response.text()).trimEnd().split('\n');
  t.equal(lines[0], `{"type":"ADDED","object":${encodeJson(configMap('a')).trimEnd()}}`, 'never indented');
  t.strictSame(
    lines.map((line) => (JSON.parse(line) as { readonly type: string }).type),
    ['ADDED', 'MODIFIED', 'BOOKMARK', 'DELETED'],
  );
  t.match(JSON.parse(lines[2] ?? ''), { object: { kind: 'ConfigMap', metadata: { resourceVersion: '9' } } });
});

t.test('a watch in protobuf is a frame for each event', async (t) => {
  const response = await ask(watching(of(added('a'), added('b'))), '/api/v1/configmaps?watch=1', {
    headers: { Accept: mediaTypes.protobuf },
  });
  t.equal(response.headers.get('content-type'), 'application/vnd.kubernetes.protobuf;stream=watch');
  const frames = watchFrameReader({ frameBytesMax: 10_000 })(new Uint8Array(await response.arrayBuffer()));
  const type = builtinScheme().typeOf({ group: '', version: 'v1', kind: 'ConfigMap' });
  t.strictSame(
    frames.map((frame) => [
      frame.type,
      (decodeMessage(type, openEnvelope(frame.object).raw) as ApiObject).metadata?.name,
    ]),
    [
      ['ADDED', 'a'],
      ['ADDED', 'b'],
    ],
  );
});

t.test('a watch that fails emits one ERROR and ends', async (t) => {
  const defects: unknown[] = [];
  const responseTo = async (error: unknown, accept: string): Promise<Uint8Array> => {
    const events = concat(
      of(added('a')),
      throwError(() => error as Error),
    );
    return new Uint8Array(
      await (
        await ask(
          watching(events),
          '/api/v1/configmaps?watch=1',
          { headers: { Accept: accept } },
          { onDefect: (each) => defects.push(each) },
        )
      ).arrayBuffer(),
    );
  };
  const expired = resourceExpired('too old resource version: 1 (5)');
  const [, line = ''] = new TextDecoder().decode(await responseTo(expired, mediaTypes.json)).split('\n');
  t.equal(
    line,
    '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (5)","reason":"Expired","code":410}}',
  );
  t.strictSame(
    watchFrameReader({ frameBytesMax: 10_000 })(await responseTo(expired, mediaTypes.protobuf)).map(({ type }) => type),
    ['ADDED', 'ERROR'],
  );
  t.strictSame(defects, []);
  const defect = new Error('bug');
  t.match(
    new TextDecoder().decode(await responseTo(defect, mediaTypes.json)),
    'look in the logs for details, audit ID',
  );
  t.strictSame(defects, [defect]);
});

t.test('an event that cannot be encoded ends the watch as a failure', async (t) => {
  const hostile = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'x', uid: 'u', resourceVersion: '1' },
    toJSON: () => {
      throw new Error('no');
    },
  } as unknown as Frozen<ApiObject>;
  const events = new Observable<RawEvent<Frozen<ApiObject>>>((subscriber) => {
    subscriber.next(added('a'));
    subscriber.next({ type: 'ADDED', object: hostile });
    subscriber.next(added('b'));
    return () => (unsubscribed = true);
  });
  let unsubscribed = false;
  const text = await (await ask(watching(events), '/api/v1/configmaps?watch=1')).text();
  t.strictSame(
    text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly type: string }).type),
    ['ADDED', 'ERROR'],
  );
  t.ok(unsubscribed);
});

t.test('who stops reading a watch lets it go', async (t) => {
  const source = new Subject<RawEvent<Frozen<ApiObject>>>();
  const response = await ask(watching(source), '/api/v1/configmaps?watch=1');
  const reader = response.body?.getReader();
  t.equal(source.observed, true);
  source.next(added('a'));
  t.match(new TextDecoder().decode((await reader?.read())?.value as Uint8Array), '"name":"a"');
  await reader?.cancel();
  t.equal(source.observed, false);
});

t.test('a client that falls behind receives Expired, then is cut off', async (t) => {
  const clock = virtualClock();
  const source = new Subject<number>();
  const taken: string[] = [];
  let room = true;
  const sink = {
    write: (bytes: Uint8Array) => (taken.push(new TextDecoder().decode(bytes)), room),
    end: () => taken.push('end'),
    cut: () => taken.push('cut'),
  };
  const overflow = (): unknown => 'overflow';
  const start = (values: Observable<number>): ReturnType<typeof pump> =>
    pump(
      {
        values,
        encode: (value) => new TextEncoder().encode(`${value};`),
        failure: (error) => new TextEncoder().encode(String(error)),
        overflow,
        joins: true,
      },
      sink,
      { clock, waitingMax: 3, lingerMs: 1_000 },
    );
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  const first = start(source);
  room = false;
  source.next(1);
  source.next(2);
  await settle();
  t.strictSame(taken, ['1;2;'], 'what comes together goes together');
  for (const value of [3, 4, 5]) source.next(value);
  t.ok(source.observed);
  source.next(6);
  t.notOk(source.observed, 'let go at the fourth that waits');
  room = true;
  first.drain();
  t.strictSame(taken.splice(0), ['1;2;', 'overflow', 'end']);
  first.stop();
  t.equal(clock.pending, 0);

  room = false;
  start(source);
  for (let value = 1; value <= 100; value++) source.next(value);
  await settle();
  t.equal(taken.splice(0).length, 1);
  t.ok(source.observed, 'the first burst is a snapshot and may be long');
  for (let value = 0; value < 4; value++) {
    source.next(value);
    await settle();
  }
  t.notOk(source.observed);
  await clock.advance(1_000);
  t.strictSame(taken.splice(0), ['cut']);

  room = true;
  const third = start(source);
  source.next(1);
  third.finish();
  await settle();
  t.strictSame(taken.splice(0), ['1;', 'end'], 'a server that closes says what it has to say');
  t.notOk(source.observed);
  start(throwError(() => new Error('failed')));
  await settle();
  t.strictSame(taken.splice(0), ['Error: failed', 'end']);
  t.equal(clock.pending, 0);
});

t.test('a slow reader of a long snapshot gets all of it in order', async (t) => {
  const numbers = Array.from({ length: 20_000 }, (_, index) => index);
  const clock = virtualClock();
  const taken: string[] = [];
  const flow = pump(
    {
      values: of(...numbers),
      encode: (value) => new TextEncoder().encode(`${value} `),
      failure: () => undefined,
      overflow: () => undefined,
      joins: false,
    },
    {
      write: (bytes) => (taken.push(new TextDecoder().decode(bytes)), false),
      end: () => taken.push('end'),
      cut: () => taken.push('cut'),
    },
    { clock, waitingMax: 10, lingerMs: 1 },
  );
  await new Promise((resolve) => setImmediate(resolve));
  while (taken.at(-1) !== 'end') flow.drain();
  t.equal(taken.join(''), `${numbers.join(' ')} end`);
});

t.test('a stream of bytes that breaks off is cut, one that ends ends', async (t) => {
  const log =
    (content: Observable<Uint8Array>): Handler =>
    async () => ({ type: 'raw', code: 200, contentType: 'text/plain', content });
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  t.equal(await (await ask(log(of(bytes('a\n'), bytes('b\n'))), '/api/v1/namespaces/x/pods/y/log')).text(), 'a\nb\n');
  const broken = await ask(
    log(
      concat(
        of(bytes('a\n')),
        throwError(() => new Error('x')),
      ),
    ),
    '/api/v1/namespaces/x/pods/y/log',
  );
  await t.rejects(broken.text());
});

t.test('a request knows its headers one by one, and whether its client left', async (t) => {
  const leaving = new AbortController();
  let request: WireRequest | undefined;
  const handler: Handler = async (each) => {
    if (each instanceof WireRequest) request = each;
    return answering(configMap('a'))(each);
  };
  const certificate = { raw: new Uint8Array(), intermediates: [] };
  await fetchHandler(asServer(handler))(
    new Request('http://x/api/v1/pods', { headers: { 'X-A': '1' }, signal: leaving.signal }),
    { certificate, remoteAddress: '10.0.0.1' },
  );
  t.equal(request?.header('X-a'), '1');
  t.strictSame(request?.headersWith('x-'), [['x-a', '1']]);
  t.equal(request?.certificate, certificate);
  t.equal(request?.remoteAddress, '10.0.0.1');
  t.equal(request?.method, 'GET');
  const { signal } = request ?? {};
  t.equal(signal?.aborted, false);
  leaving.abort();
  t.equal(signal?.aborted, true);
});

t.test('frames of a WebSocket are read whole, in whatever pieces they come', async (t) => {
  const masked = (first: number, payload: Uint8Array): Uint8Array => {
    const [head] = [encodeFrame('text', payload)];
    const lengthBytes = head.subarray(1, head.length - payload.length);
    const mask = Uint8Array.of(1, 2, 3, 4);
    return Buffer.concat([
      Uint8Array.of(first, (lengthBytes[0] ?? 0) | 0x80),
      lengthBytes.subarray(1),
      mask,
      payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)),
    ]);
  };
  const stream = Buffer.concat([
    masked(0x81, Buffer.from('hé')),
    masked(0x89, Buffer.from('p')),
    masked(0x02, Buffer.alloc(200, 1)),
    masked(0x8a, Buffer.alloc(0)),
    masked(0x80, Buffer.alloc(70_000, 2)),
    masked(0x88, Uint8Array.of(3, 232)),
  ]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 30 }), (sizes) => {
      const read = frameReader({ messageBytesMax: 100_000 });
      const messages: ReturnType<typeof read> = [];
      let at = 0;
      for (const size of [...sizes, stream.length]) {
        messages.push(...read(stream.subarray(at, at + size)));
        at += size;
      }
      t.strictSame(
        messages.map((each) => (each.type === 'close' ? ['close', each.code] : [each.type, each.payload.length])),
        [
          ['text', 3],
          ['ping', 1],
          ['pong', 0],
          ['binary', 70_200],
          ['close', 1000],
        ],
      );
    }),
    { numRuns: runs(20) },
  );
  const refused = (bytes: Uint8Array): number | undefined => {
    try {
      frameReader({ messageBytesMax: 1_000 })(bytes);
      return undefined;
    } catch (error) {
      return error instanceof SocketError ? error.code : -1;
    }
  };
  const table: readonly (readonly [what: string, bytes: Uint8Array, code: number])[] = [
    ['an unmasked frame', encodeFrame('text', Buffer.from('x')), 1002],
    ['a reserved bit', masked(0xc1, Buffer.from('x')), 1002],
    ['an unknown opcode', masked(0x83, Buffer.from('x')), 1002],
    ['a control frame in parts', masked(0x09, Buffer.from('x')), 1002],
    ['a long control frame', masked(0x89, Buffer.alloc(126)), 1002],
    ['a continuation of nothing', masked(0x80, Buffer.from('x')), 1002],
    [
      'a beginning inside of a message',
      Buffer.concat([masked(0x01, Buffer.from('x')), masked(0x81, Buffer.from('x'))]),
      1002,
    ],
    ['a frame that is too long, before it has come', masked(0x82, Buffer.alloc(1_001)).subarray(0, 8), 1009],
    ['a length beyond all numbers', Uint8Array.of(0x82, 0xff, 0xff, 255, 255, 255, 255, 255, 255, 255), 1009],
    [
      'fragments that are too long together',
      Buffer.concat([masked(0x02, Buffer.alloc(600)), masked(0x80, Buffer.alloc(600))]),
      1009,
    ],
    ['text that is no UTF-8', masked(0x81, Uint8Array.of(0xff)), 1007],
    ['half a closing code', masked(0x88, Uint8Array.of(3)), 1002],
    ['a closing code that must not be sent', masked(0x88, Uint8Array.of(3, 237)), 1002],
  ];
  for (const [what, bytes, code] of table) t.equal(refused(bytes), code, what);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => refused(bytes) !== -1),
    { numRuns: runs(500) },
  );
  t.strictSame([...encodeClose(1001)], [0x88, 2, 3, 233]);
});

t.test('targets are remembered by method, whole, and not without end', async (t) => {
  const targetOf = targetCache(10_000);
  const read = (method: string, target: string): ReturnType<typeof targetOf> =>
    targetOf({ method, target } as WireInput);
  const verbOf = (method: string, target: string): string => {
    const found = read(method, target);
    return 'info' in found ? found.info.verb : `${found.code}`;
  };
  const path = '/api/v1/namespaces/a/pods';
  for (let round = 0; round < 2; round += 1) {
    t.strictSame(
      ['GET', 'POST', 'DELETE', 'get'].map((method) => verbOf(method, path)),
      ['list', 'create', 'deletecollection', ''],
      'methods are distinguished',
    );
    t.strictSame(
      [verbOf('GET', `${path}?watch=1`), verbOf('GET', `${path}?watch=0`), verbOf('GET', `${path}/x`)],
      ['watch', 'list', 'get'],
      'so are queries and names',
    );
    t.strictSame(
      [verbOf('GET', '/%zz'), verbOf('GET', `/${'a'.repeat(10_000)}`)],
      ['400', '431'],
      'refusals stay refusals',
    );
  }
  const first = read('GET', path);
  t.equal(read('GET', path), first, 'it is read once');
  const long = `${path}?labelSelector=${'a'.repeat(600)}`;
  t.not(read('GET', long), read('GET', long), 'long ones are not kept');
  for (let n = 0; n < 2000; n += 1) read('GET', `${path}/p-${n}`);
  t.not(read('GET', path), first, 'nor more than so many');
});
