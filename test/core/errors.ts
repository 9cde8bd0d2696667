// The error catalogue against golden answers of Kubernetes v1.36, and against its page of documentation.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { apiErrorFrom, errorText, isApiError, toStatus } from '../../lib/core/errors/api-error.js';
import type { ApiError } from '../../lib/core/errors/api-error.js';
import * as fieldErrors from '../../lib/core/errors/field-error.js';
import { FieldPath, fieldPath } from '../../lib/core/errors/field-path.js';
import { formatValue, quote } from '../../lib/core/go/format.js';
import * as objectErrors from '../../lib/core/errors/object-errors.js';
import * as requestErrors from '../../lib/core/errors/request-errors.js';
import * as serverErrors from '../../lib/core/errors/server-errors.js';
import { successStatus } from '../../lib/core/errors/status.js';
import { fc } from '../support/properties.js';

const makers = { ...requestErrors, ...objectErrors, ...serverErrors };
type MakerName = keyof typeof makers;
const fieldMakers = Object.keys(fieldErrors).filter((name) => !/^fieldErrors?Text$/.test(name));

const pods = { group: '', resource: 'pods', name: 'p' };
const deployments = { group: 'apps', resource: 'deployments' };
const deployment = { ...deployments, name: 'd' };
const b = fieldPath('spec', 'a').index(0).child('b');

function failure(rest: string): string {
  return `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":${rest}}`;
}

// The name of the maker, what it made, and the bytes a real server writes for it.
const golden: readonly (readonly [MakerName, ApiError, string])[] = [
  ['badRequest', makers.badRequest('b'), failure('"b","reason":"BadRequest","code":400')],
  [
    'namespaceMismatch',
    makers.namespaceMismatch(),
    failure(
      '"the namespace of the provided object does not match the namespace sent on the request","reason":"BadRequest","code":400',
    ),
  ],
  [
    'nameMismatch',
    makers.nameMismatch('b', 'a'),
    failure('"the name of the object (b) does not match the name on the URL (a)","reason":"BadRequest","code":400'),
  ],
  [
    'apiVersionMismatch',
    makers.apiVersionMismatch('apps/v1', 'v1'),
    failure(
      '"the API version in the data (apps/v1) does not match the expected API version (v1)","reason":"BadRequest","code":400',
    ),
  ],
  ['unauthorized', makers.unauthorized(), failure('"Unauthorized","reason":"Unauthorized","code":401')],
  [
    'forbidden',
    makers.forbidden(deployment, 'why'),
    failure(
      String.raw`"deployments.apps \"d\" is forbidden: why","reason":"Forbidden","details":{"name":"d","group":"apps","kind":"deployments"},"code":403`,
    ),
  ],
  [
    'forbidden',
    makers.forbidden(deployments, 'why'),
    failure(
      '"deployments.apps is forbidden: why","reason":"Forbidden","details":{"group":"apps","kind":"deployments"},"code":403',
    ),
  ],
  [
    'accessDenied',
    makers.accessDenied({ user: 'alice', verb: 'get', ...deployment, namespace: 'ns' }),
    failure(
      String.raw`"deployments.apps \"d\" is forbidden: User \"alice\" cannot get resource \"deployments\" in API group \"apps\" in the namespace \"ns\"","reason":"Forbidden","details":{"name":"d","group":"apps","kind":"deployments"},"code":403`,
    ),
  ],
  [
    'accessDenied',
    makers.accessDenied(
      { user: '<a&b>', verb: 'create', group: '', resource: 'pods', subresource: 'exec' },
      'no <rule>',
    ),
    failure(
      String.raw`"pods is forbidden: User \"&lt;a&amp;b&gt;\" cannot create resource \"pods/exec\" in API group \"\" at the cluster scope: no <rule>","reason":"Forbidden","details":{"kind":"pods"},"code":403`,
    ),
  ],
  [
    'accessDenied',
    makers.accessDenied({ user: 'system:anonymous', verb: 'get', path: '/api' }),
    failure(
      String.raw`"forbidden: User \"system:anonymous\" cannot get path \"/api\"","reason":"Forbidden","details":{},"code":403`,
    ),
  ],
  [
    'namespaceTerminating',
    makers.namespaceTerminating({ group: '', resource: 'configmaps', name: 'b' }, 'x'),
    failure(
      String.raw`"configmaps \"b\" is forbidden: unable to create new content in namespace x because it is being terminated","reason":"Forbidden","details":{"name":"b","kind":"configmaps","causes":[{"reason":"NamespaceTerminating","message":"namespace x is being terminated","field":"metadata.namespace"}]},"code":403`,
    ),
  ],
  [
    'methodNotSupported',
    makers.methodNotSupported(deployment, 'create'),
    failure(
      String.raw`"create is not supported on resources of kind \"deployments.apps\"","reason":"MethodNotAllowed","details":{"group":"apps","kind":"deployments"},"code":405`,
    ),
  ],
  [
    'notAcceptable',
    makers.notAcceptable(['application/json', 'application/yaml']),
    failure(
      '"only the following media types are accepted: application/json, application/yaml","reason":"NotAcceptable","code":406',
    ),
  ],
  [
    'requestEntityTooLarge',
    makers.requestEntityTooLarge('limit is 3145728'),
    failure('"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge","code":413'),
  ],
  [
    'unsupportedMediaType',
    makers.unsupportedMediaType(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']),
    failure(
      '"the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf","reason":"UnsupportedMediaType","code":415',
    ),
  ],
  [
    'notFound',
    makers.notFound(pods),
    failure(String.raw`"pods \"p\" not found","reason":"NotFound","details":{"name":"p","kind":"pods"},"code":404`),
  ],
  [
    'notFound',
    makers.notFound(deployments),
    failure(
      String.raw`"deployments.apps \"\" not found","reason":"NotFound","details":{"group":"apps","kind":"deployments"},"code":404`,
    ),
  ],
  [
    'alreadyExists',
    makers.alreadyExists(deployment),
    failure(
      String.raw`"deployments.apps \"d\" already exists","reason":"AlreadyExists","details":{"name":"d","group":"apps","kind":"deployments"},"code":409`,
    ),
  ],
  [
    'alreadyExists',
    makers.alreadyExists({ group: '', resource: 'configmaps', name: 'a' }, { beingDeleted: true }),
    failure(
      String.raw`"object is being deleted: configmaps \"a\" already exists","reason":"AlreadyExists","details":{"name":"a","kind":"configmaps"},"code":409`,
    ),
  ],
  [
    'generateNameConflict',
    makers.generateNameConflict({ ...deployments, name: 'd-x' }),
    failure(
      String.raw`"deployments.apps \"d-x\" already exists, the server was not able to generate a unique name for the object","reason":"AlreadyExists","details":{"name":"d-x","group":"apps","kind":"deployments","retryAfterSeconds":1},"code":409`,
    ),
  ],
  [
    'conflict',
    makers.conflict(deployment),
    failure(
      String.raw`"Operation cannot be fulfilled on deployments.apps \"d\": the object has been modified; please apply your changes to the latest version and try again","reason":"Conflict","details":{"name":"d","group":"apps","kind":"deployments"},"code":409`,
    ),
  ],
  [
    'deletePreconditionFailed',
    makers.deletePreconditionFailed({ group: '', kind: 'ConfigMap' }, 'a', {
      field: 'UID',
      expected: 'u',
      actual: 'v',
    }),
    failure(
      String.raw`"Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (u) does not match the UID in record (v). The object might have been deleted and then recreated","reason":"Conflict","details":{"name":"a","kind":"ConfigMap"},"code":409`,
    ),
  ],
  [
    'deletePreconditionFailed',
    makers.deletePreconditionFailed({ group: 'apps', kind: 'Deployment' }, 'd', {
      field: 'ResourceVersion',
      expected: '1',
      actual: '2',
    }),
    failure(
      String.raw`"Operation cannot be fulfilled on Deployment.apps \"d\": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified","reason":"Conflict","details":{"name":"d","group":"apps","kind":"Deployment"},"code":409`,
    ),
  ],
  [
    'applyConflict',
    makers.applyConflict('Apply failed with 1 conflict: conflict with "m1": .data.k', [
      { reason: 'FieldManagerConflict', message: 'conflict with "m1"', field: '.data.k' },
    ]),
    failure(
      String.raw`"Apply failed with 1 conflict: conflict with \"m1\": .data.k","reason":"Conflict","details":{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"m1\"","field":".data.k"}]},"code":409`,
    ),
  ],
  ['resourceExpired', makers.resourceExpired('g'), failure('"g","reason":"Expired","code":410')],
  [
    'tooOldResourceVersion',
    makers.tooOldResourceVersion('5', '9'),
    failure('"too old resource version: 5 (9)","reason":"Expired","code":410'),
  ],
  [
    'listExpired',
    makers.listExpired(),
    failure('"The resourceVersion for the provided list is too old.","reason":"Expired","code":410'),
  ],
  [
    'watchExpired',
    makers.watchExpired(),
    failure('"The resourceVersion for the provided watch is too old.","reason":"Expired","code":410'),
  ],
  [
    'continueExpired',
    makers.continueExpired('token'),
    '{"kind":"Status","apiVersion":"v1","metadata":{"continue":"token"},"status":"Failure","message":"The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.","reason":"Expired","code":410}',
  ],
  ['gone', makers.gone('g'), failure('"g","reason":"Gone","code":410')],
  [
    'invalid',
    makers.invalid({ group: '', kind: 'Pod' }, 'p', []),
    failure(String.raw`"Pod \"p\" is invalid","reason":"Invalid","details":{"name":"p","kind":"Pod"},"code":422`),
  ],
  [
    'invalid',
    makers.invalid({ group: '', kind: 'Pod' }, 'p', [fieldErrors.fieldRequired(b)]),
    failure(
      String.raw`"Pod \"p\" is invalid: spec.a[0].b: Required value","reason":"Invalid","details":{"name":"p","kind":"Pod","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.a[0].b"}]},"code":422`,
    ),
  ],
  [
    'invalid',
    makers.invalid({ group: 'apps', kind: 'Deployment' }, 'p', [
      fieldErrors.fieldRequired(b, 'x'),
      fieldErrors.fieldInvalid(b, 5, 'bad'),
      fieldErrors.fieldRequired(b, 'x'),
    ]),
    failure(
      String.raw`"Deployment.apps \"p\" is invalid: [spec.a[0].b: Required value: x, spec.a[0].b: Invalid value: 5: bad]","reason":"Invalid","details":{"name":"p","group":"apps","kind":"Deployment","causes":[{"reason":"FieldValueRequired","message":"Required value: x","field":"spec.a[0].b"},{"reason":"FieldValueInvalid","message":"Invalid value: 5: bad","field":"spec.a[0].b"},{"reason":"FieldValueRequired","message":"Required value: x","field":"spec.a[0].b"}]},"code":422`,
    ),
  ],
  [
    'invalid',
    makers.invalid({ group: 'apps', kind: 'Deployment' }, 'p', [
      fieldErrors.fieldRequired(b, 'x'),
      fieldErrors.fieldRequired(b, 'x'),
    ]),
    failure(
      String.raw`"Deployment.apps \"p\" is invalid: spec.a[0].b: Required value: x","reason":"Invalid","details":{"name":"p","group":"apps","kind":"Deployment","causes":[{"reason":"FieldValueRequired","message":"Required value: x","field":"spec.a[0].b"},{"reason":"FieldValueRequired","message":"Required value: x","field":"spec.a[0].b"}]},"code":422`,
    ),
  ],
  [
    'invalid',
    makers.invalid({ group: '', kind: '' }, '', [fieldErrors.fieldInvalid(fieldPath('patch'), 'a', 'x')]),
    failure(
      String.raw`" \"\" is invalid: patch: Invalid value: \"a\": x","reason":"Invalid","details":{"causes":[{"reason":"FieldValueInvalid","message":"Invalid value: \"a\": x","field":"patch"}]},"code":422`,
    ),
  ],
  [
    'tooManyRequests',
    makers.tooManyRequests('b', 10),
    failure('"b","reason":"TooManyRequests","details":{"retryAfterSeconds":10},"code":429'),
  ],
  ['tooManyRequests', makers.tooManyRequests('b'), failure('"b","reason":"TooManyRequests","details":{},"code":429')],
  [
    'tooManyRequests',
    makers.tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0, [
      { reason: 'DisruptionBudget', message: 'm' },
    ]),
    failure(
      `"Cannot evict pod as it would violate the pod's disruption budget.","reason":"TooManyRequests","details":{"causes":[{"reason":"DisruptionBudget","message":"m"}]},"code":429`,
    ),
  ],
  ['rateLimited', makers.rateLimited('b'), failure('"Too many requests: b","reason":"TooManyRequests","code":429')],
  [
    'internalError',
    makers.internalError(new Error('boom')),
    failure(
      '"Internal error occurred: boom","reason":"InternalError","details":{"causes":[{"message":"boom"}]},"code":500',
    ),
  ],
  [
    'unclassifiedError',
    makers.unclassifiedError('resourceVersion should not be set on objects to be created'),
    failure('"resourceVersion should not be set on objects to be created","code":500'),
  ],
  [
    'serverTimeout',
    makers.serverTimeout(deployments, 'list'),
    failure(
      '"The list operation against deployments.apps could not be completed at this time, please try again.","reason":"ServerTimeout","details":{"name":"list","group":"apps","kind":"deployments","retryAfterSeconds":2},"code":500',
    ),
  ],
  ['serviceUnavailable', makers.serviceUnavailable('b'), failure('"b","reason":"ServiceUnavailable","code":503')],
  [
    'timeout',
    makers.timeout(),
    failure(
      '"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504',
    ),
  ],
  [
    'timeout',
    makers.timeout('t', { retryAfterSeconds: 1 }),
    failure('"Timeout: t","reason":"Timeout","details":{"retryAfterSeconds":1},"code":504'),
  ],
  [
    'tooLargeResourceVersion',
    makers.tooLargeResourceVersion('999999999999', '7'),
    failure(
      '"Timeout: Too large resource version: 999999999999, current: 7","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504',
    ),
  ],
  ['wrongForm', makers.wrongForm('not so'), failure('"not so","reason":"NotAcceptable","code":406')],
  [
    'unknownResource',
    makers.unknownResource(),
    failure('"the server could not find the requested resource","reason":"NotFound","details":{},"code":404'),
  ],
  [
    'methodNotAllowed',
    makers.methodNotAllowed(),
    failure(
      '"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405',
    ),
  ],
  [
    'routeNotAcceptable',
    makers.routeNotAcceptable(['application/json', 'application/yaml']),
    failure(
      String.raw`"406: Not Acceptable\n\nAvailable representations: application/json, application/yaml","reason":"NotAcceptable","details":{},"code":406`,
    ),
  ],
  [
    'routeUnsupportedMediaType',
    makers.routeUnsupportedMediaType(),
    failure('"415: Unsupported Media Type","reason":"UnsupportedMediaType","details":{},"code":415'),
  ],
  [
    'patchRejected',
    makers.patchRejected(),
    failure(
      '"the server rejected our request due to an error in our request","reason":"Invalid","details":{},"code":422',
    ),
  ],
  [
    'serverResponse',
    makers.serverResponse({
      code: 409,
      method: 'POST',
      ref: deployment,
      message: 'msg',
      retryAfterSeconds: 3,
      unexpected: true,
    }),
    failure(
      '"the server reported a conflict (post deployments.apps d)","reason":"AlreadyExists","details":{"name":"d","group":"apps","kind":"deployments","causes":[{"reason":"UnexpectedServerResponse","message":"msg"}],"retryAfterSeconds":3},"code":409',
    ),
  ],
  [
    'deniedByPolicy',
    makers.deniedByPolicy(deployment, 'why', 'Invalid'),
    failure(
      String.raw`"deployments.apps \"d\" is forbidden: why","reason":"Invalid","details":{"name":"d","group":"apps","kind":"deployments","causes":[{"message":"why"}]},"code":422`,
    ),
  ],
  [
    'mutationDenied',
    makers.mutationDenied(deployment, 'why', 'Invalid'),
    failure(
      '"why","reason":"Invalid","details":{"name":"d","group":"apps","kind":"deployments","causes":[{"message":"why"}]},"code":403',
    ),
  ],
  [
    'serverResponse',
    makers.serverResponse({ code: 404, method: 'GET', ref: deployments, message: 'msg', unexpected: true }),
    failure(
      '"the server could not find the requested resource (get deployments.apps)","reason":"NotFound","details":{"group":"apps","kind":"deployments","causes":[{"reason":"UnexpectedServerResponse","message":"msg"}]},"code":404',
    ),
  ],
];

t.test('every maker makes the bytes that Kubernetes writes', async (t) => {
  for (const [name, error, json] of golden) t.equal(JSON.stringify(error.status), json, name);
  t.strictSame([...new Set(golden.map(([name]) => name))].sort(), Object.keys(makers).sort(), 'no maker is left out');
});

t.test('an answer without a Status is judged by its code', async (t) => {
  const conflict = 'the server reported a conflict';
  const unknown = (code: number) =>
    `the server responded with the status code ${code} but did not return more information`;
  const onServer = String.raw`an error on the server ("msg \"q\"") has prevented the request from succeeding`;
  const table: readonly (readonly [code: number, reason: string | undefined, message: string])[] = [
    [400, 'BadRequest', 'the server rejected our request for an unknown reason'],
    [401, 'Unauthorized', 'the server has asked for the client to provide credentials'],
    [403, 'Forbidden', 'msg "q"'],
    [404, 'NotFound', 'the server could not find the requested resource'],
    [405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource'],
    [406, 'NotAcceptable', 'msg "q"'],
    [409, 'Conflict', conflict],
    [410, undefined, unknown(410)],
    [413, undefined, unknown(413)],
    [415, 'UnsupportedMediaType', 'msg "q"'],
    [418, undefined, unknown(418)],
    [422, 'Invalid', 'the server rejected our request due to an error in our request'],
    [429, 'TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
    [500, 'InternalError', onServer],
    [502, 'InternalError', onServer],
    [503, 'ServiceUnavailable', 'the server is currently unable to handle the request'],
    [
      504,
      'Timeout',
      'the server was unable to return a response in the time allotted, but may still be processing the request',
    ],
  ];
  for (const [code, reason, message] of table) {
    const { status } = makers.serverResponse({ code, method: 'GET', message: 'msg "q"' });
    t.strictSame([status.code, status.reason, status.message, status.details], [code, reason, message, {}]);
  }
  const nothingSaid = 'the server was unable to respond with a content type that the client supports';
  t.equal(makers.serverResponse({ code: 406, message: 'unknown' }).message, nothingSaid);
  t.equal(makers.serverResponse({ code: 406 }).message, nothingSaid);
});

t.test('a success carries details or a code and nothing else', async (t) => {
  t.equal(
    JSON.stringify(successStatus({ name: 'a', group: '', kind: 'configmaps', uid: 'u' })),
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","kind":"configmaps","uid":"u"}}',
  );
  t.equal(
    JSON.stringify(successStatus(undefined, 201)),
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}',
  );
});

t.test('the page of errors has one row for every maker, with its code and reason', async (t) => {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)\(.*?\)` \| (.*) \|$/gm)].map(([, name = '', cells = '']) => ({
    name,
    cells: cells.split(' | '),
  }));
  t.strictSame(rows.map(({ name }) => name).sort(), [...Object.keys(makers), ...fieldMakers].sort());
  for (const [name, { status }] of golden) {
    if (name === 'serverResponse') continue;
    // A maker whose caller chooses the reason names all of them: `403, 413 or 422`.
    const [codes = [], reasons = []] =
      rows.find((row) => row.name === name)?.cells.map((cell) => cell.split(/, | or /)) ?? [];
    t.ok(codes.includes(String(status.code)) && reasons.includes(status.reason ?? '–'), name);
  }
  for (const [name, { reason }] of fieldSamples) {
    t.equal(rows.find((row) => row.name === name)?.cells[0], reason, name);
  }
});

t.test('an ApiError is known by its brand', async (t) => {
  const error = makers.notFound(pods);
  t.ok(error instanceof Error);
  t.equal(error.name, 'ApiError');
  t.equal(error.message, 'pods "p" not found');
  t.ok(isApiError(error));
  t.ok(isApiError(error, 'NotFound'));
  t.notOk(isApiError(error, 'Conflict'));
  for (const other of [null, undefined, 'x', 5, {}, new Error('x'), { status: error.status }])
    t.notOk(isApiError(other));

  t.test('so another copy of the package makes the same errors', async (t) => {
    const other = Object.assign(new Error(), { status: error.status, [Symbol.for('vivarium.ApiError')]: true });
    t.ok(isApiError(other, 'NotFound'));
    t.equal(toStatus(other), error.status);
  });

  t.test('a status without a known reason is judged by its code', async (t) => {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'm' };
    const error = (code: number, reason?: string) => apiErrorFrom({ ...status, code, ...(reason && { reason }) });
    t.ok(isApiError(error(404), 'NotFound'));
    t.ok(isApiError(error(404, 'Odd'), 'NotFound'));
    t.notOk(isApiError(error(404, 'Forbidden'), 'NotFound'));
    t.notOk(isApiError(error(409, 'AlreadyExists'), 'Conflict'));
    t.notOk(isApiError(error(409), 'AlreadyExists'));
    t.notOk(isApiError(error(410), 'Expired'));
    t.ok(isApiError(error(410), 'Gone'));
    t.notOk(isApiError(error(500, 'ServerTimeout'), 'InternalError'));
    t.ok(isApiError(error(429, 'Forbidden'), 'TooManyRequests'));
    t.ok(isApiError(error(413, 'BadRequest'), 'RequestEntityTooLarge'));
  });
});

t.test('a status is frozen through and through', async (t) => {
  const { status } = makers.invalid({ group: '', kind: 'Pod' }, 'p', [fieldErrors.fieldRequired(b)]);
  const parts = [status, status.metadata, status.details, status.details?.causes, status.details?.causes?.[0]];
  for (const part of parts) t.ok(Object.isFrozen(part));
});

t.test('what is thrown becomes a status without its stack', async (t) => {
  const status = (message: string) => ({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    code: 500,
  });
  t.strictSame(toStatus(new Error('boom')), status('boom'));
  t.strictSame(toStatus(new TypeError()), status('TypeError'));
  t.strictSame(toStatus('text'), status('text'));
  for (const odd of [undefined, null, 5, Symbol('x'), Object.create(null), { message: 'secret' }]) {
    t.strictSame(toStatus(odd), status('unknown error'));
  }
  const cause = new Error('disk');
  t.equal(makers.internalError(cause).cause, cause);
  t.equal(makers.badRequest('b', { cause }).cause, cause);
  t.equal(errorText(makers.notFound(pods)), 'pods "p" not found');
});

t.test('a Status from another server is read with suspicion', async (t) => {
  const { status } = makers.tooLargeResourceVersion('9', '7');
  t.strictSame(apiErrorFrom(JSON.parse(JSON.stringify(status)))?.status, status);
  const expired = makers.continueExpired('token').status;
  t.strictSame(apiErrorFrom(JSON.parse(JSON.stringify(expired)))?.status, expired);

  const hostile: unknown = JSON.parse(
    '{"kind":"Status","apiVersion":"meta.k8s.io/v1","code":"x","message":{"toString":1},"reason":[],"__proto__":{"polluted":1},"metadata":{"continue":5,"remainingItemCount":"3"},"details":{"name":7,"causes":[null,5,{"message":"m","field":{}}],"retryAfterSeconds":"1","extra":true}}',
  );
  t.equal(
    JSON.stringify(apiErrorFrom(hostile)?.status),
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","details":{"causes":[{"message":"m"}]},"code":500}',
  );
  const paged = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: { resourceVersion: '4', remainingItemCount: 0 },
    details: { causes: 'x' },
  };
  t.equal(
    JSON.stringify(apiErrorFrom(paged)?.status),
    '{"kind":"Status","apiVersion":"v1","metadata":{"resourceVersion":"4","remainingItemCount":0},"status":"Failure","details":{},"code":500}',
  );
  const cause = new Error('socket');
  t.equal(apiErrorFrom(status, { cause })?.cause, cause);

  const none = [null, 'x', [], {}, { kind: 'Pod', apiVersion: 'v1' }, { ...status, apiVersion: 'v2' }, successStatus()];
  for (const other of none) t.equal(apiErrorFrom(other), undefined);
  fc.assert(
    fc.property(fc.jsonValue(), (details) => isApiError(apiErrorFrom({ ...status, details, metadata: details }))),
  );
});

const x = fieldPath('x');
const odd = 's"q\\\n\t\0\x7f é ☃ \u200b 😀 \u2028 \ufeff\u00a0\u00ad';
type FieldMakerName = Exclude<keyof typeof fieldErrors, 'fieldErrorText' | 'fieldErrorsText'>;
const fieldSamples: readonly (readonly [FieldMakerName, fieldErrors.FieldError, string])[] = [
  [
    'fieldInvalid',
    fieldErrors.fieldInvalid(x, odd, 'd'),
    String.raw`x: Invalid value: "s\"q\\\n\t\x00\x7f é ☃ \u200b 😀 \u2028 \ufeff\u00a0\u00ad": d`,
  ],
  ['fieldInvalid', fieldErrors.fieldInvalid(x, 5, 'd'), 'x: Invalid value: 5: d'],
  ['fieldInvalidUnprinted', fieldErrors.fieldInvalidUnprinted(x, 'd'), 'x: Invalid value: d'],
  ['fieldInvalid', fieldErrors.fieldInvalid(x, -5, ''), 'x: Invalid value: -5'],
  ['fieldInvalid', fieldErrors.fieldInvalid(x, true, 'd'), 'x: Invalid value: true: d'],
  ['fieldInvalid', fieldErrors.fieldInvalid(x, null, 'd'), 'x: Invalid value: null: d'],
  ['fieldInvalid', fieldErrors.fieldInvalid(x, undefined, 'd'), 'x: Invalid value: null: d'],
  [
    'fieldInvalid',
    fieldErrors.fieldInvalid(x, ['a<>&\u2028', 'b"\\\0\b\f\x7f'], 'd'),
    String.raw`x: Invalid value: ["a\u003c\u003e\u0026\u2028","b\"\\\u0000\b\f` + '\x7f"]: d',
  ],
  ['fieldInvalid', fieldErrors.fieldInvalid(x, { a: null, b: 1 }, 'd'), 'x: Invalid value: {"a":null,"b":1}: d'],
  ['fieldInvalid', fieldErrors.fieldInvalid(FieldPath.nil, 'v', 'd'), '<nil>: Invalid value: "v": d'],
  ['fieldTypeInvalid', fieldErrors.fieldTypeInvalid(x, 'v', 'must be int'), 'x: Invalid value: "v": must be int'],
  [
    'fieldNotSupported',
    fieldErrors.fieldNotSupported(x, 'v', ['a', 'b"']),
    String.raw`x: Unsupported value: "v": supported values: "a", "b\""`,
  ],
  ['fieldNotSupported', fieldErrors.fieldNotSupported(x, 'v', []), 'x: Unsupported value: "v"'],
  [
    'fieldNotSupported',
    fieldErrors.fieldNotSupported(x, ['v'], ['a']),
    'x: Unsupported value: ["v"]: supported values: "a"',
  ],
  ['fieldForbidden', fieldErrors.fieldForbidden(x, 'no'), 'x: Forbidden: no'],
  ['fieldForbidden', fieldErrors.fieldForbidden(x, ''), 'x: Forbidden'],
  ['fieldRequired', fieldErrors.fieldRequired(x), 'x: Required value'],
  ['fieldRequired', fieldErrors.fieldRequired(x, 'r'), 'x: Required value: r'],
  ['fieldDuplicate', fieldErrors.fieldDuplicate(x, 'v'), 'x: Duplicate value: "v"'],
  ['fieldDuplicate', fieldErrors.fieldDuplicate(x, { a: 1 }), 'x: Duplicate value: {"a":1}'],
  ['fieldDuplicateUnprinted', fieldErrors.fieldDuplicateUnprinted(x), 'x: Duplicate value'],
  ['fieldNotFound', fieldErrors.fieldNotFound(x, 'v'), 'x: Not found: "v"'],
  ['fieldTooLong', fieldErrors.fieldTooLong(x, 10), 'x: Too long: may not be more than 10 bytes'],
  ['fieldTooLong', fieldErrors.fieldTooLong(x, 1), 'x: Too long: may not be more than 1 byte'],
  ['fieldTooLong', fieldErrors.fieldTooLong(x, 0), 'x: Too long: may not be more than 0 bytes'],
  ['fieldTooLong', fieldErrors.fieldTooLong(x, -1), 'x: Too long: value is too long'],
  [
    'fieldTooLongCharacters',
    fieldErrors.fieldTooLongCharacters(x, 10),
    'x: Too long: may not be more than 10 characters',
  ],
  ['fieldTooLongCharacters', fieldErrors.fieldTooLongCharacters(x, 1), 'x: Too long: may not be more than 1 character'],
  ['fieldTooShort', fieldErrors.fieldTooShort(x, 3), 'x: Too short: must be at least 3 characters'],
  ['fieldTooShort', fieldErrors.fieldTooShort(x, 1), 'x: Too short: must be at least 1 character'],
  ['fieldTooShort', fieldErrors.fieldTooShort(x, -1), 'x: Too short: value is too short'],
  ['fieldTooMany', fieldErrors.fieldTooMany(x, 5, 3), 'x: Too many: 5: must have at most 3 items'],
  ['fieldTooMany', fieldErrors.fieldTooMany(x, 5, 1), 'x: Too many: 5: must have at most 1 item'],
  ['fieldTooMany', fieldErrors.fieldTooMany(x, -1, 3), 'x: Too many: must have at most 3 items'],
  ['fieldTooMany', fieldErrors.fieldTooMany(x, 5, -1), 'x: Too many: 5: has too many items'],
  ['fieldTooFew', fieldErrors.fieldTooFew(x, 0, 1), 'x: Too few: 0: must have at least 1 item'],
  ['fieldTooFew', fieldErrors.fieldTooFew(x, 0, 2), 'x: Too few: 0: must have at least 2 items'],
  ['fieldTooFew', fieldErrors.fieldTooFew(x, 1, -1), 'x: Too few: 1: has too few items'],
  ['fieldInternal', fieldErrors.fieldInternal(x, 'boom'), 'x: Internal error: boom'],
];

t.test('field errors read as in Kubernetes', async (t) => {
  for (const [name, error, text] of fieldSamples) t.equal(fieldErrors.fieldErrorText(error), text, name);
  t.strictSame([...new Set(fieldSamples.map(([name]) => name))].sort(), fieldMakers.sort(), 'no maker is left out');
});

t.test('values print as Go prints them', async (t) => {
  const numbers: readonly (readonly [number, string])[] = [
    [1.5, '1.5'],
    [0.0001, '0.0001'],
    [0.00001234, '1.234e-05'],
    [-0.00001, '-1e-05'],
    [123456.5, '123456.5'],
    [1234567.5, '1.2345675e+06'],
    [1e21, '1e+21'],
    [1.5e300, '1.5e+300'],
    [9007199254740991, '9007199254740991'],
  ];
  for (const [value, text] of numbers) t.equal(formatValue(value), text);
  t.equal(formatValue(12345678901234567890n), '12345678901234567890');
  t.equal(quote('\ud800a\udc00'), '"\ufffda\ufffd"', 'half a surrogate pair is what UTF-8 makes of it');
  t.equal(quote('\u{e0001}\x07\v'), String.raw`"\U000e0001\a\v"`);
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const unprintable of [cycle, { n: 1n }, () => 1, Symbol('x')]) t.equal(formatValue(unprintable), 'null');
});

t.test('what is quoted can be read back', async () => {
  const named: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
  const unquote = (quoted: string) =>
    quoted
      .slice(1, -1)
      .replace(/\\(?:x(..)|u(.{4})|U(.{8})|(.))/g, (_, x?: string, u?: string, long?: string, one?: string) => {
        const code = x ?? u ?? long;
        return code === undefined ? (named[one ?? ''] ?? one ?? '') : String.fromCodePoint(parseInt(code, 16));
      });
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => unquote(quote(text)) === text));
  fc.assert(fc.property(fc.string({ unit: 'binary-ascii' }), (text) => /^[\x20-\x7e]*$/.test(quote(text))));
});

t.test('a path prints as the way to the field', async (t) => {
  const nil = FieldPath.nil;
  const table: readonly (readonly [FieldPath, string])[] = [
    [nil, '<nil>'],
    [fieldPath(), '<nil>'],
    [nil.child('a'), 'a'],
    [nil.index(0), '[0]'],
    [nil.key('k').child('x'), '[k].x'],
    [fieldPath(''), '[]'],
    [x.child('').child('c'), 'x[].c'],
    [x.key('a.b/c').index(3).child('q').child('r'), 'x[a.b/c][3].q.r'],
    [fieldPath('spec', 'containers').index(0).child('name'), 'spec.containers[0].name'],
    [fieldPath('data').key('__proto__'), 'data[__proto__]'],
  ];
  for (const [path, text] of table) t.equal(String(path), text);

  t.test('extending a path leaves it as it was', async (t) => {
    const base = fieldPath('spec');
    t.equal(`${String(base.child('a'))} ${String(base.index(1))} ${String(base)}`, 'spec.a spec[1] spec');
  });

  t.test('a hundred thousand steps are no danger', async (t) => {
    let path = x;
    for (let i = 0; i < 100_000; i++) path = path.index(0);
    t.equal(path.toString().length, 1 + 300_000);
  });
});

t.test('a megabyte of control characters is quoted in linear time', async (t) => {
  const started = process.cpuUsage();
  t.equal(quote('\x01'.repeat(1 << 20)).length, 4 * (1 << 20) + 2);
  t.ok(process.cpuUsage(started).user < 2_000_000, 'under two seconds of computing');
});
