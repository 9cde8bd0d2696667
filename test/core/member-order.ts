// The order of JSON members: that of Go's types for built-in kinds, by name for maps and for kinds without a Go type.
import t from 'tap';
import { inNameOrder, inSchemaOrder } from '../../lib/core/codec/member-order.js';
import { deepFreeze } from '../../lib/core/objects/json.js';
import type { JsonObject, JsonValue } from '../../lib/core/objects/json.js';
import { builtinSchema } from '../../lib/core/schema/builtin.js';
import type { StructType } from '../../lib/core/schema/type.js';
import { fc, runs } from '../support/properties.js';

const struct = (name: string): StructType => {
  const found = builtinSchema.struct(name);
  if (found === undefined) throw new Error(`no type ${name}`);
  return found;
};
const pod = struct('core/v1.Pod');

t.test('members of structures are in the order of the Go type, those of maps by name', async (t) => {
  const given = {
    status: { phase: 'Pending' },
    spec: {
      nodeSelector: { b: '1', a: '2' },
      containers: [{ image: 'nginx', name: 'web', ports: [{ containerPort: 80, name: 'http' }] }],
      initContainers: [{ image: 'busybox', name: 'first' }],
      volumes: [],
    },
    metadata: { resourceVersion: '1', labels: { z: '1', a: '2' }, uid: 'u', namespace: 'n', name: 'x' },
    apiVersion: 'v1',
    kind: 'Pod',
  };
  t.equal(
    JSON.stringify(inSchemaOrder(pod, given)),
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","namespace":"n","uid":"u","resourceVersion":"1",' +
      '"labels":{"a":"2","z":"1"}},"spec":{"volumes":[],"initContainers":[{"name":"first","image":"busybox"}],' +
      '"containers":[{"name":"web","image":"nginx","ports":[{"name":"http","containerPort":80}]}],' +
      '"nodeSelector":{"a":"2","b":"1"}},"status":{"phase":"Pending"}}',
  );
});

t.test('what is in order is returned as it is', async (t) => {
  const ordered = deepFreeze({ kind: 'Pod', metadata: { name: 'x', labels: { a: '1' } }, spec: { containers: [{}] } });
  t.equal(inSchemaOrder(pod, ordered), ordered);
  const partly = deepFreeze({ metadata: { name: 'x' }, spec: { containers: [{ image: 'i', name: 'n' }] } });
  t.equal(inSchemaOrder(pod, partly).metadata, partly.metadata, 'parts in order are shared');
  t.not(inSchemaOrder(pod, partly).spec, partly.spec);
});

t.test('members without a field come last, embedded JSON is not touched', async (t) => {
  const revision = struct('apps/v1.ControllerRevision');
  const data = { z: 1, a: 2 };
  const ordered = inSchemaOrder(revision, { unknown: 1, revision: 3, data, kind: 'ControllerRevision' });
  t.strictSame(Object.keys(ordered), ['kind', 'data', 'revision', 'unknown']);
  t.equal(ordered.data, data);
  const map = JSON.parse('{"metadata":{"labels":{"b":"1","__proto__":"2"}}}') as JsonObject;
  t.equal(JSON.stringify(inSchemaOrder(pod, map)), '{"metadata":{"labels":{"__proto__":"2","b":"1"}}}');
});

t.test('unions are ordered by the alternative that fits', async (t) => {
  const props = struct('apiextensions/v1.JSONSchemaProps');
  const given = { items: { type: 'string', format: 'x' }, type: 'array', additionalProperties: false };
  t.equal(
    JSON.stringify(inSchemaOrder(props, given)),
    '{"type":"array","items":{"type":"string","format":"x"},"additionalProperties":false}',
  );
});

t.test('objects without a Go type are sorted by name at every depth', async (t) => {
  const given = { kind: 'Site', spec: { b: [{ z: 1, y: [{ d: 1, c: 2 }] }], a: null }, apiVersion: 'example.com/v1' };
  t.equal(
    JSON.stringify(inNameOrder(given)),
    '{"apiVersion":"example.com/v1","kind":"Site","spec":{"a":null,"b":[{"y":[{"c":2,"d":1}],"z":1}]}}',
  );
});

t.test('ordering keeps the value, and ordering twice changes nothing', async (t) => {
  const name = fc.constantFrom('metadata', 'spec', 'name', 'labels', 'containers', 'volumes', 'b', 'a', '__proto__');
  const { object } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(name, tie('value')), { maxLength: 5 })
      .map((entries) => Object.fromEntries<JsonValue>(entries)),
  }));
  fc.assert(
    fc.property(object, (given) => {
      deepFreeze(given);
      for (const order of [inNameOrder, (object: JsonObject) => inSchemaOrder(pod, object)]) {
        const ordered = order(given);
        t.strictSame(ordered, given);
        t.equal(order(ordered), ordered);
      }
    }),
    { numRuns: runs(1000) },
  );
});
