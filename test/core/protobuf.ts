// Protobuf: the wire format, messages driven by the schema, envelopes and watch frames. The golden messages are what
// Kubernetes v1.36 itself writes for these objects.
import t from 'tap';
import { decodeBase64, encodeBase64 } from '../../lib/core/go/base64.js';
import { decodeMessage } from '../../lib/core/codec/protobuf/decode.js';
import { encodeMessage } from '../../lib/core/codec/protobuf/encode.js';
import { encodeObject, openEnvelope } from '../../lib/core/codec/protobuf/envelope.js';
import { encodeWatchFrame, watchFrameReader } from '../../lib/core/codec/protobuf/watch-frame.js';
import { deepEqual } from '../../lib/core/objects/json.js';
import type { JsonObject } from '../../lib/core/objects/json.js';
import { builtinSchema } from '../../lib/core/schema/builtin.js';
import { decodeValue } from '../../lib/core/schema/decode.js';
import type { StructType } from '../../lib/core/schema/type.js';
import { field, listOf, mapOf, scalars, structType } from '../../lib/core/schema/type.js';
import { arbitraryObject, servedKinds } from '../support/arbitrary-object.js';
import { fc, runs } from '../support/properties.js';

const hex = (text: string): Uint8Array =>
  Uint8Array.from(text.replaceAll(' ', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const toHex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const type = (name: string): StructType => builtinSchema.struct(name)!;
const refused = { name: 'DecodeError' };

/** A few members of each family of shapes, with the presence that each has in Go. */
const sample: StructType = structType('test/v1.Sample', () => [
  field('text', scalars.string, { tags: [1] }),
  field('pointer', scalars.int64, { tags: [2], presence: 'pointer' }),
  field('always', scalars.bool, { tags: [3], presence: 'always' }),
  field('numbers', listOf(scalars.int32), { tags: [4] }),
  field('doubles', listOf(scalars.double), { tags: [5] }),
  field('map', mapOf(scalars.string), { tags: [6] }),
  field('self', sample, { tags: [7], presence: 'pointer' }),
  field('inline', scalars.string, { tags: [8, 1], embedded: ['Inline'] }),
  field('deeper', scalars.string, { tags: [8, 2, 1], embedded: ['Inline', 'Deeper'] }),
  field('quantities', mapOf(scalars.quantity), { tags: [9] }),
  field('bytes', scalars.bytes, { tags: [10] }),
  field('selves', listOf(sample), { tags: [11] }),
  field('port', scalars['int-or-string'], { tags: [12], presence: 'pointer' }),
  field('at', scalars['micro-time'], { tags: [13], presence: 'pointer' }),
  field('raw', scalars.raw, { tags: [14], presence: 'pointer' }),
  field('far', scalars.bool, { tags: [5000] }),
]);

t.test('every served kind survives the way to protobuf and back', async (t) => {
  for (const { apiVersion, kind, type } of servedKinds()) {
    const objects = arbitraryObject(type, { typeMeta: { apiVersion, kind } });
    fc.assert(
      fc.property(objects, (object) => {
        const envelope = openEnvelope(encodeObject(type, object));
        const decoded = { apiVersion: envelope.apiVersion, kind: envelope.kind, ...decodeMessage(type, envelope.raw) };
        return deepEqual(decoded, object) && deepEqual(decodeValue(type, decoded).object, object);
      }),
      { numRuns: runs(6) },
    );
  }
  t.ok(servedKinds().length > 100);
});

const golden: readonly (readonly [type: string, message: string, object: JsonObject])[] = [
  [
    'core/v1.Pod',
    '6b3873000a090a0276311203506f6412c2010a2b0a0377656212001a0022002a0032003800420808a5ebdcca0610005a060a01611201315a060a0162120132127e0a090a0176120412020a0012500a016312056e67696e782a00420f120d0a0363707512060a043130306d52210a1512130a012f120a080110001a04687474701a00220010001800200a280030006a007200800100880100900100a201001a002000320042004a0052005800600068008201008a01009a0100a80100c201001a130a001a0022002a0032004a005a0072008801001a002200',
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', creationTimestamp: '2026-01-02T03:04:05Z', labels: { a: '1', b: '2' } },
      spec: {
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [
          {
            name: 'c',
            image: 'nginx',
            resources: { requests: { cpu: '100m' } },
            livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 10 },
          },
        ],
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
      },
      status: {},
    },
  ],
  [
    'core/v1.Secret',
    '6b3873000a0c0a027631120653656372657412260a110a017312001a0022002a0032003800420012090a016b1204000102031a064f70617175651a002200',
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { k: 'AAECAw==' }, type: 'Opaque' },
  ],
  [
    'core/v1.Service',
    '6b3873000a0d0a02763112075365727669636512520a110a017312001a0022002a0032003800420012390a110a00120018502207080010903f1a0028000a140a0012001851220a080110001a046874747028001a0022003a00420052005a00600068001a020a001a002200',
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: {
        ports: [
          { port: 80, targetPort: 8080 },
          { port: 81, targetPort: 'http' },
        ],
      },
      status: { loadBalancer: {} },
    },
  ],
  [
    'coordination/v1.Lease',
    '6b3873000a1f0a16636f6f7264696e6174696f6e2e6b38732e696f2f763112054c65617365122c0a110a016c12001a0022002a003200380042001217220a08a5ebdcca0610f0b02928ffffffffffffffffff011a002200',
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l' },
      spec: { renewTime: '2026-01-02T03:04:05.000678Z', leaseTransitions: -1 },
    },
  ],
  [
    'apps/v1.ControllerRevision',
    '6b3873000a1d0a07617070732f76311212436f6e74726f6c6c65725265766973696f6e12270a110a017212001a0022002a0032003800420012100a0e7b2261223a5b312c6e756c6c5d7d18031a002200',
    { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'r' }, data: { a: [1, null] }, revision: 3 },
  ],
  [
    'apiextensions/v1.CustomResourceDefinition',
    '6b3873000a330a17617069657874656e73696f6e732e6b38732e696f2f76311218437573746f6d5265736f75726365446566696e6974696f6e12f4010a110a017812001a0022002a0032003800420012d0010a01671a0b0a02787312002201582a002207436c75737465723ab2010a0276311001180122a5010aa2010a00120022002a066f626a65637432003a0042090a077b2261223a317d49000000000000f83f500060007a00900100a201050a03227822a20100a201030a0132c201260a240a00120022002a06737472696e6732003a00500060007a00900100a80200b80200c00200f20128080112240a00120022002a06737472696e6732003a00500060007a00900100a80200b80200c002008a02020800a80200b80200c00200380050001a0c12080a00120022002a0020001a002200',
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'x' },
      spec: {
        group: 'g',
        names: { plural: 'xs', kind: 'X' },
        scope: 'Cluster',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                default: { a: 1 },
                maximum: 1.5,
                enum: ['x', null, 2],
                items: { type: 'string' },
                additionalProperties: { type: 'string' },
                additionalItems: false,
              },
            },
          },
        ],
      },
      status: { acceptedNames: { plural: '', kind: '' } },
    },
  ],
  [
    'authorization/v1.SubjectAccessReview',
    '6b3873000a2e0a17617574686f72697a6174696f6e2e6b38732e696f2f763112135375626a65637441636365737352657669657712300a100a0012001a0022002a0032003800420012121a01752a0b0a016b12060a01610a016232001a08080012001a0020001a002200',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user: 'u', extra: { k: ['a', 'b'] } },
      status: { allowed: false },
    },
  ],
];

t.test('messages of Kubernetes are read as it meant them, and ours are byte for byte the same', async (t) => {
  for (const [name, message, object] of golden) {
    const envelope = openEnvelope(hex(message));
    t.strictSame(
      { apiVersion: envelope.apiVersion, kind: envelope.kind, ...decodeMessage(type(name), envelope.raw) },
      object,
      name,
    );
    t.equal(toHex(encodeObject(type(name), object)), message, name);
  }
});

t.test('zero values are dropped where JSON omits them, kept where it prints them', async (t) => {
  t.strictSame(decodeMessage(sample, hex('0a00 1000 1800 5200')), { pointer: 0, always: false });
  t.strictSame(decodeMessage(sample, hex('0a0161 0a00')), {}, 'the last one wins, also when it is zero');
  t.equal(toHex(encodeMessage(sample, {})).slice(0, 8), '0a001800', 'Go writes what is no pointer');
  t.strictSame(decodeMessage(sample, hex('6a00 7200 7202 0a00')), {}, 'a zero time and an empty raw are no values');
});

t.test('messages that Kubernetes would not write but accepts', async (t) => {
  t.strictSame(
    decodeMessage(sample, hex('2001 20ffffffffffffffffff01 2203 02 8101')),
    { numbers: [1, -1, 2, 129] },
    'packed and unpacked numbers',
  );
  t.strictSame(decodeMessage(sample, hex('2a10 000000000000f83f 000000000000f0bf 29 000000000000f03f')), {
    doubles: [1.5, -1, 1],
  });
  t.strictSame(
    decodeMessage(sample, hex('3a030a0161 3a021005 3a00')),
    { self: { text: 'a', pointer: 5 } },
    'a message that comes twice is merged',
  );
  t.strictSame(
    decodeMessage(sample, hex('4203 0a0178 4205 1203 0a0179')),
    { inline: 'x', deeper: 'y' },
    'embedded messages too',
  );
  t.strictSame(
    decodeMessage(
      sample,
      hex('a20601 00 b00601 a906 0102030405060708 ad06 01020304 a306 a306 a80601 a406 a406 c0b80201'),
    ),
    { far: true },
    'unknown fields and groups are skipped',
  );
  t.strictSame(
    decodeMessage(sample, hex('3200 32030a0161 32031a0162 4a00 4a030a0163')),
    { map: { '': '', a: '' }, quantities: { '': '0', c: '0' } },
    'entries without key or value',
  );
  t.strictSame(
    decodeMessage(sample, hex('6a04 0801 1001')),
    { at: '1970-01-01T00:00:01.000000Z' },
    'nanoseconds are cut',
  );
  t.strictSame(decodeMessage(sample, hex('6206 08001005 1a00')), { port: 5 });
});

t.test('numbers of every size', async (t) => {
  for (const pointer of [
    0,
    1,
    127,
    128,
    16383,
    16384,
    2 ** 21,
    2 ** 28,
    2 ** 31,
    2 ** 32 - 1,
    2 ** 32,
    2 ** 35,
    Number.MAX_SAFE_INTEGER,
    -1,
    -(2 ** 31),
    -(2 ** 32),
    Number.MIN_SAFE_INTEGER,
  ]) {
    t.equal(decodeMessage(sample, encodeMessage(sample, { pointer })).pointer, pointer);
  }
  t.equal(
    decodeMessage(sample, encodeMessage(sample, { pointer: 2 ** 63 })).pointer,
    2 ** 63,
    'the largest int64 does not turn negative',
  );
});

t.test('strings of every length and alphabet', async (t) => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), fc.string({ minLength: 1, maxLength: 80 })),
      (text) => decodeMessage(sample, encodeMessage(sample, { text })).text === text,
    ),
    { numRuns: runs(300) },
  );
  const text = '\ufeff' + 'é'.repeat(70_000);
  t.equal(decodeMessage(sample, encodeMessage(sample, { text })).text, text, 'a byte order mark is part of the value');
  t.equal(decodeMessage(sample, encodeMessage(sample, { text: 'a\ud800' })).text, 'a\ufffd');
  t.equal(decodeMessage(sample, hex('0a02 ff61')).text, '\ufffda', 'invalid UTF-8 is replaced');
});

t.test('a map may have any key, and none reaches a prototype', async (t) => {
  const map = JSON.parse('{"__proto__":"x","constructor":"y","toString":"z"}') as JsonObject;
  const decoded = decodeMessage(sample, encodeMessage(sample, { map }));
  t.strictSame(Object.entries(decoded.map as JsonObject).sort(), Object.entries(map).sort());
  t.equal(Object.getPrototypeOf(decoded.map), Object.prototype);
});

t.test('a message that breaks the format is refused in the words of Kubernetes', async (t) => {
  const refuse = (bytes: string, message: string): unknown =>
    t.throws(() => decodeMessage(sample, hex(bytes)), { ...refused, message });
  refuse('0a05 61', 'unexpected EOF');
  refuse('0a', 'unexpected EOF');
  refuse('10 80', 'unexpected EOF');
  refuse('0a ffffffff0f', 'unexpected EOF');
  refuse('0a ffffffffffffffffff01', 'proto: negative length found during unmarshaling');
  refuse('10 ffffffffffffffffffff01', 'proto: integer overflow');
  refuse('00', 'proto: illegal tag 0 (wire type 0)');
  refuse('0801', 'proto: wrong wireType = 0 for field text');
  refuse('220180', 'unexpected EOF');
  refuse('3a020a05', 'unexpected EOF');
  refuse('0c', 'proto: v1.Sample: wiretype end group for non-group');
  refuse('a306 a306 a406', 'unexpected EOF');
  refuse('a606', 'proto: illegal wireType 6');
  refuse('32010c', 'proto: unexpected end of group');
  refuse('6a07 08ffffffffff7f', 'proto: timestamp 4398046511103 is not within the years 1 to 9999');
  refuse('6202 0802', 'impossible IntOrString.Type');
  refuse('7203 0a017b', 'proto: an embedded object is not JSON');
});

t.test('nesting is bounded on the way in and on the way out', async (t) => {
  const nested = (depth: number): JsonObject => {
    let object: JsonObject = { always: true };
    for (let i = 0; i < depth; i++) object = { always: false, self: object };
    return object;
  };
  t.ok(deepEqual(decodeMessage(sample, encodeMessage(sample, nested(900))), nested(900)));
  t.throws(() => encodeMessage(sample, nested(2000)), TypeError);
  let bytes = new Uint8Array();
  for (let i = 0; i < 1001; i++) {
    const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >>> 7];
    bytes = Uint8Array.from([0x5a, ...length, ...bytes]);
  }
  t.throws(() => decodeMessage(sample, bytes), { ...refused, message: /nested more than 1000 messages deep/ });
  const groups = new Uint8Array(200_000).fill(0xa3).map((_, i) => (i % 2 === 0 ? 0xa3 : 0x06));
  t.throws(() => decodeMessage(sample, groups), refused, 'endless groups need no stack');
});

t.test('no bytes crash the decoder', async (t) => {
  const attempt = (type: StructType, bytes: Uint8Array): boolean => {
    try {
      decodeMessage(type, bytes);
    } catch (error) {
      return error instanceof Error && error.name === 'DecodeError';
    }
    return true;
  };
  fc.assert(
    fc.property(
      fc.constantFrom(sample, ...servedKinds().map((each) => each.type)),
      fc.uint8Array({ maxLength: 200 }),
      attempt,
    ),
    { numRuns: runs(3000) },
  );
  const mutated = fc.constantFrom(...golden).chain(([name, message]) => {
    const { raw } = openEnvelope(hex(message));
    return fc.tuple(fc.nat(raw.length - 1), fc.nat(255), fc.nat(raw.length)).map(([at, byte, end]) => ({
      type: type(name),
      bytes: raw.map((old, i) => (i === at ? byte : old)).slice(0, end === 0 ? undefined : end),
    }));
  });
  fc.assert(
    fc.property(mutated, ({ type, bytes }) => attempt(type, bytes)),
    { numRuns: runs(3000) },
  );
  t.pass();
});

t.test('an object that does not fit its type is not encoded', async (t) => {
  for (const wrong of [
    { text: 1 },
    { pointer: 1.5 },
    { numbers: 'x' },
    { map: [] },
    { self: 'x' },
    { bytes: 1 },
    { doubles: ['x'] },
  ] as JsonObject[]) {
    t.throws(
      () => encodeMessage(sample, wrong),
      { name: 'TypeError', message: /^cannot encode/ },
      JSON.stringify(wrong),
    );
  }
  t.equal(
    toHex(encodeMessage(sample, { unknown: 1 })),
    toHex(encodeMessage(sample, {})),
    'what the type does not know is left out',
  );
});

t.test('an envelope is recognised by its first bytes', async (t) => {
  const refuse = (bytes: Uint8Array, message: string): unknown =>
    t.throws(() => openEnvelope(bytes), { ...refused, message });
  refuse(new Uint8Array(), 'empty data');
  refuse(hex('7b7d'), 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  refuse(hex('6b3873'), 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  refuse(hex('6b387300'), 'empty body');
  refuse(hex('6b387300 0a05'), 'unexpected EOF');
  const { raw, ...rest } = openEnvelope(hex('6b387300 0a08 0a0176 12016b 2801 1201ff 1a0165 220163 2801'));
  t.strictSame(rest, { apiVersion: 'v', kind: 'k', contentEncoding: 'e', contentType: 'c' });
  t.strictSame([...raw], [0xff]);
});

t.test('a watch is split into events wherever its pieces end', async (t) => {
  const frame = fc.record({
    type: fc.constantFrom('ADDED', 'MODIFIED', 'BOOKMARK'),
    object: fc.uint8Array({ maxLength: 300 }),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 5 }), fc.integer({ min: 1, max: 50 }), (frames, size) => {
      const stream = Uint8Array.from(frames.flatMap((each) => [...encodeWatchFrame(each)]));
      const read = watchFrameReader({ frameBytesMax: 1000 });
      const seen = [];
      for (let at = 0; at < stream.length; at += size) seen.push(...read(stream.slice(at, at + size)));
      return deepEqual(
        seen.map((each) => ({ ...each, object: [...each.object] })),
        frames.map((each) => ({ ...each, object: [...each.object] })),
      );
    }),
  );
  t.equal(
    toHex(encodeWatchFrame({ type: 'ADDED', object: hex('6b38') })),
    '0000000d' + '0a054144444544' + '1204' + '0a026b38',
  );
  t.throws(() => watchFrameReader({ frameBytesMax: 1000 })(hex('000003e9')), {
    ...refused,
    message: 'watch event of 1001 bytes exceeds the limit of 1000',
  });
});

t.test('base64 is that of Go', async (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      (bytes) =>
        encodeBase64(bytes) === Buffer.from(bytes).toString('base64') &&
        deepEqual([...decodeBase64(encodeBase64(bytes))], [...bytes]),
    ),
  );
  t.strictSame([...decodeBase64('AA\nEC\r\n')], [0, 1, 2]);
  for (const wrong of ['A', 'AA', 'AA=', 'A===', 'AA*A', 'é==='])
    t.throws(
      () => decodeBase64(wrong),
      { name: 'ParseError', message: /^illegal base64 data at input byte \d+$/ },
      wrong,
    );
});
