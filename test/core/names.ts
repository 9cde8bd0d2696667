// Syntax rules and metadata validation against golden answers of Kubernetes v1.36.
import t from 'tap';
import { fieldErrorText } from '../../lib/core/errors/field-error.js';
import { FieldPath, fieldPath } from '../../lib/core/errors/field-path.js';
import { utf8Length } from '../../lib/core/objects/names.js';
import {
  validateAnnotations,
  validateFieldManager,
  validateImmutable,
  validateLabels,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../../lib/core/objects/meta-validation.js';
import type { ObjectMeta } from '../../lib/core/objects/meta.js';
import * as names from '../../lib/core/objects/names.js';
import type { NameRule, SyntaxRule } from '../../lib/core/objects/names.js';
import { fc } from '../support/properties.js';

const sentence = {
  label: String.raw`a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
  subdomain: String.raw`a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
  wildcard: String.raw`a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
  label1035: String.raw`a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
  namePart: String.raw`name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
  key: String.raw`a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
  value: String.raw`a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  env: "a valid environment variable name must consist only of printable ASCII characters other than '='",
  config: String.raw`a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
  identifier: String.raw`a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')`,
  header: String.raw`a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')`,
  percent: String.raw`a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
  portCharacters: 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
  portLetter: 'must contain at least one letter (a-z)',
  portEdge: 'must not begin or end with a hyphen',
};
const a = (count: number): string => 'a'.repeat(count);
const atMost = (count: number, unit = 'characters'): string => `must be no more than ${count} ${unit}`;

// Rule, values that pass, values that do not with what is said about them.
const golden: readonly (readonly [SyntaxRule, readonly string[], Readonly<Record<string, readonly string[]>>])[] = [
  [
    names.isDns1123Label,
    ['a', '0', 'my-name', '123-abc', 'a--b', a(63)],
    {
      '': [sentence.label],
      A: [sentence.label],
      '-a': [sentence.label],
      'a-': [sentence.label],
      é: [sentence.label],
      'a\n': [sentence.label],
      'a.b': ['must not contain dots'],
      'a..b': [sentence.label],
      [a(64)]: [atMost(63)],
      [`${a(64)}-`]: [atMost(63), sentence.label],
      [`${a(63)}.b`]: [atMost(63), 'must not contain dots'],
      ['é'.repeat(31)]: [sentence.label],
      ['é'.repeat(32)]: [atMost(63), sentence.label],
    },
  ],
  [
    names.isDns1123Subdomain,
    ['a', '0.0', 'example.com', 'a--b.c', a(253)],
    {
      '': [sentence.subdomain],
      '.': [sentence.subdomain],
      '.a': [sentence.subdomain],
      'a.': [sentence.subdomain],
      'a..b': [sentence.subdomain],
      'a-.b': [sentence.subdomain],
      'a.-b': [sentence.subdomain],
      'a.b-': [sentence.subdomain],
      a_b: [sentence.subdomain],
      [a(254)]: [atMost(253)],
      [`${a(254)}.`]: [atMost(253), sentence.subdomain],
      ['é'.repeat(127)]: [atMost(253), sentence.subdomain],
    },
  ],
  [
    names.isWildcardDns1123Subdomain,
    ['*.a', '*.example.com'],
    {
      '*': [sentence.wildcard],
      '*.': [sentence.wildcard],
      '*.*.a': [sentence.wildcard],
      'f*.a': [sentence.wildcard],
      'a.b': [sentence.wildcard],
      [`*.${a(252)}`]: [atMost(253)],
    },
  ],
  [
    names.isDns1035Label,
    ['a', 'a1', 'abc-123', a(63)],
    { '': [sentence.label1035], '1a': [sentence.label1035], 'a-': [sentence.label1035], [a(64)]: [atMost(63)] },
  ],
  [
    names.isQualifiedName,
    ['a', 'My.Name_1', '1', 'example.com/MyName', 'a.b.c/d', `${a(253)}/${a(63)}`],
    {
      '': ['name part must be non-empty', sentence.namePart],
      '/': ['prefix part must be non-empty', 'name part must be non-empty', sentence.namePart],
      '/a': ['prefix part must be non-empty'],
      'a/': ['name part must be non-empty', sentence.namePart],
      'a/b/c': [sentence.key],
      _a: [sentence.namePart],
      'a b': [sentence.namePart],
      'Example.com/a': [`prefix part ${sentence.subdomain}`],
      [a(64)]: [`name part ${atMost(63, 'bytes')}`],
      [`${a(254)}/${a(64)}-`]: [
        `prefix part ${atMost(253, 'bytes')}`,
        `name part ${atMost(63, 'bytes')}`,
        sentence.namePart,
      ],
    },
  ],
  [
    names.isLabelValue,
    ['', 'a', 'MyValue', 'my_value', '1.2-3', a(63)],
    {
      '-a': [sentence.value],
      'a.': [sentence.value],
      'a b': [sentence.value],
      Māori: [sentence.value],
      [a(64)]: [atMost(63, 'bytes')],
      [`${a(64)}/`]: [atMost(63, 'bytes'), sentence.value],
    },
  ],
  [
    names.isPathSegment,
    ['', 'a', 'system:node', 'A B', a(1000)],
    {
      '.': ["may not be '.'"],
      '..': ["may not be '..'"],
      'a/b': ["may not contain '/'"],
      '%2f/': ["may not contain '/'", "may not contain '%'"],
    },
  ],
  [
    names.isPortName,
    ['a', 'http', '8080-tcp', 'a1-b2-c3-d4-e5z'],
    {
      '': [sentence.portCharacters, sentence.portLetter],
      '80': [sentence.portLetter],
      HTTP: [sentence.portCharacters, sentence.portLetter],
      'a--b': ['must not contain consecutive hyphens'],
      '-a': [sentence.portEdge],
      '-': [sentence.portLetter, sentence.portEdge],
      [`${a(15)}-_`]: [atMost(15), sentence.portCharacters],
      '---------------_-': [
        atMost(15),
        sentence.portCharacters,
        sentence.portLetter,
        'must not contain consecutive hyphens',
        sentence.portEdge,
      ],
    },
  ],
  [
    names.isEnvVarName,
    ['A', '1', ' ', '-a.b', '~!"', a(1000)],
    {
      '': ['environment variable name must be non-empty'],
      'a=b': [sentence.env],
      é: [sentence.env],
      'a\x7f': [sentence.env],
    },
  ],
  [
    names.isConfigMapKey,
    ['a', '-', '_', '.a', 'a..b', 'KEY_NAME', a(253)],
    {
      '': [sentence.config],
      '.': ["must not be '.'"],
      '..': ["must not be '..'"],
      '...': ["must not start with '..'"],
      'a/b': [sentence.config],
      '../a': [sentence.config, "must not start with '..'"],
      [a(254)]: [atMost(253)],
    },
  ],
  [
    names.isCIdentifier,
    ['a', '_', 'my_name', 'MY_NAME1'],
    { '': [sentence.identifier], '1a': [sentence.identifier], 'a-b': [sentence.identifier] },
  ],
  [names.isHttpHeaderName, ['X-Header-Name', '-', '1'], { '': [sentence.header], a_b: [sentence.header] }],
  [
    names.isValidPercent,
    ['0%', '93%', '1000%'],
    {
      '': [sentence.percent],
      '%': [sentence.percent],
      '1': [sentence.percent],
      '1%%': [sentence.percent],
      '-1%': [sentence.percent],
    },
  ],
];

t.test('rules say what Kubernetes says', async (t) => {
  for (const [rule, valid, invalid] of golden) {
    for (const value of valid) t.strictSame(rule(value), [], `${rule.name} accepts ${value.slice(0, 80)}`);
    for (const [value, wrong] of Object.entries(invalid)) {
      t.strictSame(rule(value), wrong, `${rule.name} refuses ${value.slice(0, 80)}`);
    }
  }
  t.strictSame([1, 65535].map(names.isPortNumber), [[], []]);
  for (const port of [0, 65536, -1, 1.5, NaN, Infinity]) {
    t.strictSame(names.isPortNumber(port), ['must be between 1 and 65535, inclusive']);
  }
});

t.test('a generateName may end in a hyphen', async (t) => {
  const rules: readonly NameRule[] = [names.nameIsDnsSubdomain, names.nameIsDnsLabel, names.nameIsDns1035Label];
  // How many sentences each rule has for it as a prefix.
  const table: Readonly<Record<string, readonly number[]>> = {
    'a-': [0, 0, 0],
    '-': [1, 1, 1],
    '--': [0, 0, 0],
    'a--': [0, 0, 0],
    'a.-': [0, 0, 0],
    'A-': [0, 0, 0],
    'é-': [1, 1, 1],
    '-a-': [1, 1, 1],
    'a..-': [0, 1, 1],
    [`${a(253)}-`]: [0, 1, 1],
    [`${a(254)}-`]: [1, 1, 1],
    '': [1, 1, 1],
  };
  for (const [prefix, counts] of Object.entries(table)) {
    t.strictSame(
      rules.map((rule) => rule(prefix, true).length),
      counts,
      prefix.slice(0, 20),
    );
    if (prefix.endsWith('-')) for (const rule of rules) t.not(rule(prefix, false).length, 0, 'but a name may not');
  }
  t.strictSame(names.nameIsPathSegment('..', true), []);
  t.strictSame(names.nameIsPathSegment('..', false), ["may not be '..'"]);
  t.strictSame(names.nameIsPathSegment('a/', true), ["may not contain '/'"]);
});

function characters(set: string): fc.Arbitrary<string> {
  return fc.constantFrom(...Array.from(set));
}

const lower = 'abcdefghijklmnopqrstuvwxyz0123456789';
const word = `${lower}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** A text with `edge` characters at both ends and `inner` ones between, at most `max` long. */
function edged(edge: string, inner: string, max = 63): fc.Arbitrary<string> {
  const middle = fc.string({ unit: characters(inner), maxLength: max - 2 });
  return fc
    .tuple(characters(edge), fc.option(fc.tuple(middle, characters(edge))))
    .map(([first, rest]) => first + (rest ?? []).join(''));
}

const dnsLabel = edged(lower, `${lower}-`);
const subdomain = fc
  .array(edged(lower, `${lower}-`, 40), { minLength: 1, maxLength: 6 })
  .map((labels) => labels.join('.'));
const namePart = edged(word, `${word}-_.`);

const generators: readonly (readonly [SyntaxRule, fc.Arbitrary<string>, bad: string])[] = [
  [names.isDns1123Label, dnsLabel, 'A_/ %é😀\n\0'],
  [names.isDns1035Label, dnsLabel.filter((label) => label[0]! >= 'a'), 'A_/ .%é😀\n\0'],
  [names.isDns1123Subdomain, subdomain, 'A_/ %é😀\n\0'],
  [names.isWildcardDns1123Subdomain, subdomain.map((name) => `*.${name}`), 'A_/ %é😀\n\0'],
  [
    names.isQualifiedName,
    fc.oneof(
      namePart,
      fc.tuple(subdomain, namePart).map((parts) => parts.join('/')),
    ),
    ' %=é😀\n\0',
  ],
  [names.isLabelValue, namePart, '/ %=é😀\n\0'],
  [names.isPathSegment, fc.string({ unit: characters(`${word}:-_`) }), '/%'],
  [names.isConfigMapKey, namePart, '/ %=é😀\n\0'],
  [names.isEnvVarName, fc.string({ unit: characters(`${word} !~-.`), minLength: 1 }), '=é😀\n\0\x7f'],
  [names.isCIdentifier, fc.string({ unit: characters('abzAZ_'), minLength: 1 }), '-./ é😀\n\0'],
  [names.isHttpHeaderName, fc.string({ unit: characters(`${word}-`), minLength: 1 }), '_./ é😀\n\0'],
  [names.isValidPercent, fc.nat().map((n) => `${n}%`), 'a-.% é'],
  [names.isPortName, fc.stringMatching(/^[a-z]{1,5}(-[a-z0-9]{1,3}){0,2}$/), 'A_. é😀\n\0'],
];

t.test('what is made by the rule passes, and one bad character fails it', async (t) => {
  for (const [rule, valid, bad] of generators) {
    t.doesNotThrow(() => {
      fc.assert(fc.property(valid, (value) => rule(value).length === 0));
      const place = fc.nat({ max: 400 });
      fc.assert(
        fc.property(valid, place, characters(bad), (value, place, character) => {
          const at = place % (value.length + 1);
          return rule(value.slice(0, at) + character + value.slice(at)).length > 0;
        }),
      );
    }, rule.name);
  }
});

t.test('lengths are counted in bytes of UTF-8', async (t) => {
  const encoder = new TextEncoder();
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => utf8Length(text) === encoder.encode(text).length));
  const halves = fc.string({ unit: fc.constantFrom('\ud800', '\udbff', '\udc00', '\udfff', 'a', 'é', '☃') });
  fc.assert(fc.property(halves, (text) => utf8Length(text) === encoder.encode(text).length));
  t.equal(utf8Length('aé☃😀'), 1 + 2 + 3 + 4);
});

const namespaced = { namespaced: true, nameRule: names.nameIsDnsSubdomain };
const clusterScoped = { namespaced: false, nameRule: names.nameIsDnsLabel };
const now = '2026-11-16T02:24:00Z';

t.test('metadata of a new object', async (t) => {
  const valid: ObjectMeta = {
    name: 'web-x2x4z',
    generateName: 'web-',
    namespace: 'default',
    generation: 1,
    labels: { app: 'web', 'app.kubernetes.io/name': '' },
    annotations: { 'Example.COM/Any': 'any text at all\n' },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true },
      { apiVersion: 'events.k8s.io/v1', kind: 'Event', name: 'e', uid: 'v', controller: false },
    ],
    finalizers: ['example.com/hold', 'orphan'],
    managedFields: [{ manager: 'é ☃', operation: 'Apply', fieldsType: 'FieldsV1', subresource: 'status' }],
  };
  t.strictSame(validateObjectMeta(valid, namespaced), []);
  t.strictSame(validateObjectMeta({ name: 'a' }, clusterScoped), []);

  const wrong: ObjectMeta = {
    generateName: 'A!',
    generation: -1,
    namespace: 'a.b',
    labels: { 'a b': 'c d' },
    annotations: { 'A B': '' },
    finalizers: ['orphan', 'foregroundDeletion', 'b c'],
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Event', name: 'e', uid: '1', controller: true },
      { apiVersion: 'apps/v1', kind: 'Deployment', name: '<d>', uid: '1', controller: true, blockOwnerDeletion: false },
      { apiVersion: 'a/b/c', kind: 'X', name: '', uid: '' },
      { apiVersion: 'a/', kind: '', name: '', uid: '' },
    ],
    managedFields: [
      {},
      { operation: 'Apply', fieldsType: 'x', manager: 'm'.repeat(129), subresource: 's'.repeat(257) },
      { operation: 'Update', fieldsType: 'FieldsV1', manager: 'é\x07\u200b\u{e0001}a' },
    ],
  };
  const event = '{"apiVersion":"v1","kind":"Event","name":"e","uid":"1","controller":true}';
  const rest = [
    'metadata.generation: Invalid value: -1: must be greater than or equal to 0',
    `metadata.labels: Invalid value: "a b": ${sentence.namePart}`,
    `metadata.labels: Invalid value: "c d": ${sentence.value}`,
    `metadata.annotations: Invalid value: "A B": ${sentence.namePart}`,
    `metadata.ownerReferences: Invalid value: ${event}: /v1, Kind=Event is disallowed from being an owner`,
    String.raw`metadata.ownerReferences: Invalid value: [${event},{"apiVersion":"apps/v1","kind":"Deployment","name":"\u003cd\u003e","uid":"1","controller":true,"blockOwnerDeletion":false},{"apiVersion":"a/b/c","kind":"X","name":"","uid":""},{"apiVersion":"a/","kind":"","name":"","uid":""}]: Only one reference can have Controller set to true. Found "true" in references for Event/e and Deployment/<d>`,
    'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
    'metadata.ownerReferences.name: Invalid value: "": must not be empty',
    'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    'metadata.ownerReferences.apiVersion: Invalid value: "a/": version must not be empty',
    'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
    'metadata.ownerReferences.name: Invalid value: "": must not be empty',
    'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    `metadata.finalizers: Invalid value: "b c": ${sentence.namePart}`,
    'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion","b c"]: finalizer orphan and foregroundDeletion cannot be both set',
    'metadata.managedFields[0].operation: Invalid value: "": must be `Apply` or `Update`',
    'metadata.managedFields[1].fieldsType: Invalid value: "x": must be `FieldsV1`',
    'metadata.managedFields[1].manager: Too long: may not be more than 128 bytes',
    'metadata.managedFields[1].subresource: Too long: may not be more than 256 bytes',
    String.raw`metadata.managedFields[2].manager: Invalid value: "é\a\u200b\U000e0001a": invalid character U+0007 (at position 2)`,
    String.raw`metadata.managedFields[2].manager: Invalid value: "é\a\u200b\U000e0001a": invalid character U+200B (at position 3)`,
    String.raw`metadata.managedFields[2].manager: Invalid value: "é\a\u200b\U000e0001a": invalid character U+E0001 (at position 6)`,
  ];
  const required = 'metadata.name: Required value: name or generateName is required';
  t.strictSame(validateObjectMeta(wrong, namespaced).map(fieldErrorText), [
    `metadata.generateName: Invalid value: "A!": ${sentence.subdomain}`,
    required,
    'metadata.namespace: Invalid value: "a.b": must not contain dots',
    ...rest,
  ]);
  t.strictSame(validateObjectMeta(wrong, clusterScoped).map(fieldErrorText), [
    `metadata.generateName: Invalid value: "A!": ${sentence.label}`,
    required,
    'metadata.namespace: Forbidden: not allowed on this type',
    ...rest,
  ]);
  t.strictSame(
    validateObjectMeta(
      { name: 'a.b' },
      { ...clusterScoped, namespaced: true, path: fieldPath('template', 'metadata') },
    ).map(fieldErrorText),
    [
      'template.metadata.name: Invalid value: "a.b": must not contain dots',
      'template.metadata.namespace: Required value',
    ],
  );
});

t.test('annotations together take at most 256 KiB', async (t) => {
  const path = fieldPath('metadata', 'annotations');
  const size = 256 * 1024;
  t.strictSame(validateAnnotations({ k: `${'é'.repeat(size / 2 - 1)}a` }, path), []);
  t.strictSame(validateAnnotations({ k: 'é'.repeat(size / 2) }, path).map(fieldErrorText), [
    'metadata.annotations: Too long: may not be more than 262144 bytes',
  ]);
  t.equal(validateAnnotations({ k: 'x'.repeat(size / 2), l: 'x'.repeat(size / 2 - 1) }, path).length, 1);
});

t.test('metadata of a changed object', async (t) => {
  const old: ObjectMeta = {
    name: 'a',
    namespace: 'n',
    uid: 'u',
    generation: 3,
    creationTimestamp: now,
    deletionTimestamp: now,
    deletionGracePeriodSeconds: 30,
    finalizers: ['a/b'],
  };
  const changed: ObjectMeta = {
    name: 'b',
    namespace: 'm',
    uid: 'v',
    generation: 2,
    finalizers: ['z/b', 'a/b', 'c/d', 'z/b'],
    labels: { 'a b': 'c d' },
    annotations: { 'A B': '' },
    ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }],
    managedFields: [{}],
  };
  t.strictSame(validateObjectMetaUpdate(changed, old).map(fieldErrorText), [
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d", "z/b"}',
    'metadata.resourceVersion: Invalid value: "": must be specified for an update',
    'metadata.generation: Invalid value: 2: must not be decremented',
    'metadata.name: Invalid value: "b": field is immutable',
    'metadata.namespace: Invalid value: "m": field is immutable',
    'metadata.uid: Invalid value: "v": field is immutable',
    'metadata.creationTimestamp: Invalid value: null: field is immutable',
    'metadata.deletionTimestamp: Invalid value: null: field is immutable',
    'metadata.deletionGracePeriodSeconds: Invalid value: null: field is immutable',
    `metadata.labels: Invalid value: "a b": ${sentence.namePart}`,
    `metadata.labels: Invalid value: "c d": ${sentence.value}`,
    `metadata.annotations: Invalid value: "A B": ${sentence.namePart}`,
    'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
    'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
    'metadata.ownerReferences.name: Invalid value: "": must not be empty',
    'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    'metadata.managedFields[0].operation: Invalid value: "": must be `Apply` or `Update`',
  ]);
  t.strictSame(validateObjectMetaUpdate({ ...old, resourceVersion: '5' }, changed).map(fieldErrorText), [
    'metadata.name: Invalid value: "a": field is immutable',
    'metadata.namespace: Invalid value: "n": field is immutable',
    'metadata.uid: Invalid value: "u": field is immutable',
    `metadata.creationTimestamp: Invalid value: "${now}": field is immutable`,
    `metadata.deletionTimestamp: Invalid value: "${now}": field is immutable`,
    'metadata.deletionGracePeriodSeconds: Invalid value: 30: field is immutable',
  ]);
  const { deletionTimestamp: _, ...alive } = { ...old, resourceVersion: '5' };
  t.strictSame(
    validateObjectMetaUpdate({ ...alive, finalizers: ['new/one'] }, alive),
    [],
    'finalizers may be added in life',
  );
  t.strictSame(validateObjectMetaUpdate({ ...old, resourceVersion: '5', finalizers: [] }, old), [], 'and taken away');

  t.strictSame(validateImmutable({ a: [1] }, { a: [1] }, FieldPath.nil), []);
  t.strictSame(validateImmutable(undefined, null, FieldPath.nil), []);
  t.equal(validateImmutable({ a: [1] }, { a: [2] }, FieldPath.nil).length, 1);
});

t.test('hostile metadata is refused fast, in full, and leaves no trace', async (t) => {
  const megabyte = 1 << 20;
  const started = process.cpuUsage();
  const long = [
    a(megabyte),
    'a.'.repeat(megabyte / 2),
    `a${'-'.repeat(megabyte)}`,
    '/'.repeat(megabyte),
    '\x01'.repeat(megabyte),
  ];
  for (const value of long) {
    for (const [rule] of golden) rule(value);
    t.ok(names.isDns1123Subdomain(value).includes(atMost(253)));
  }
  t.strictSame(names.isDns1123Subdomain(`${a(megabyte)}!`), [atMost(253), sentence.subdomain], 'both are said');

  const controllers = Array.from({ length: 20_000 }, () => ({
    apiVersion: '',
    kind: '',
    name: '',
    uid: '',
    controller: true,
  }));
  const errors = validateObjectMeta(
    {
      name: 'a',
      labels: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`!${index}`, ''])),
      ownerReferences: controllers,
      managedFields: [{ operation: 'Apply', manager: '\x01'.repeat(megabyte) }],
    },
    clusterScoped,
  );
  t.ok(errors.length > 1000 && errors.length < 4000, 'the number of errors is bounded');
  t.ok(errors.filter(({ message }) => message.includes('Only one reference')).length <= 10, 'long texts are bounded');
  t.strictSame(validateFieldManager('\x01'.repeat(megabyte), fieldPath('fieldManager')).map(fieldErrorText), [
    'fieldManager: Too long: may not be more than 128 bytes',
  ]);
  t.equal(validateFieldManager('\x01'.repeat(129), fieldPath('fieldManager')).length, 130);
  t.ok(process.cpuUsage(started).user < 8_000_000, 'all that in a few seconds of computing');

  const polluting = JSON.parse('{"__proto__":"a b","constructor":"ok","toString":"ok"}') as Record<string, string>;
  t.strictSame(validateLabels(polluting, fieldPath('labels')).map(fieldErrorText), [
    `labels: Invalid value: "__proto__": ${sentence.namePart}`,
    `labels: Invalid value: "a b": ${sentence.value}`,
  ]);
  t.equal(validateAnnotations(polluting, fieldPath('annotations')).length, 1);
  t.strictSame(Object.keys(Object.prototype), []);
});
