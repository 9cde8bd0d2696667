// Encryption at rest: values look as Kubernetes v1.36 stores them, and nothing that was tampered with is ever read.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { JsonObject } from '../../lib/core/index.js';
import { encryptionFor, transformerByKey } from '../../lib/storage/encryption/encryption.js';
import { rewriteStale, type RewritableStore } from '../../lib/storage/encryption/rotate.js';
import { etcdStore } from '../../lib/storage/etcd/etcd-store.js';
import { sqliteStore } from '../../lib/storage/sqlite/sqlite-store.js';
import { isStoreError, StoreError } from '../../lib/storage/store-error.js';
import type { Batch, Entry, Outcome, Store, Transaction } from '../../lib/storage/store.js';
import type { ValueTransformer } from '../../lib/storage/transformer.js';
import { bundledProgram } from '../support/bundled-program.js';
import { etcdBinary, etcdMissing, startEtcd } from '../support/etcd-server.js';
import { fc, runs } from '../support/properties.js';

const secrets = { group: '', resource: 'secrets' };
const key = '/registry/secrets/default/web';

/** Base64 of that many bytes, counting up. */
const secret = (length: number, from = 0): string =>
  Buffer.from(Array.from({ length }, (_, index) => index + from)).toString('base64');
const provider = (kind: string, keys: Readonly<Record<string, string>>): object => ({
  [kind]: { keys: Object.entries(keys).map(([name, secret]) => ({ name, secret })) },
});
const identity = { identity: {} };
const rule = (resources: unknown, ...providers: unknown[]): object => ({ resources, providers });
const configuration = (...resources: object[]): object => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources,
});
const transformer = async (...providers: object[]): Promise<ValueTransformer> =>
  (await encryptionFor(configuration(rule(['secrets'], ...providers))))(secrets);

const bytesOf = (text: string): Buffer => Buffer.from(text);
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const flipped = (bytes: Uint8Array, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
};
const complaint = (transformer: ValueTransformer, bytes: Uint8Array, at = key): string => {
  try {
    return `read ${textOf(transformer.fromStorage(bytes, at).bytes)}`;
  } catch (error) {
    return isStoreError(error, 'corrupt')
      ? error.message.replace(`unable to transform key ${JSON.stringify(at)}: `, '')
      : `not a store error: ${String(error)}`;
  }
};

const secretboxMissing = await encryptionFor(
  configuration(rule(['secrets'], provider('secretbox', { key1: secret(32) }))),
).then(
  () => false as const,
  (error: unknown) => (isStoreError(error, 'unavailable') ? error.message : false),
);
const kinds = ['aesgcm', 'aescbc', ...(secretboxMissing === false ? ['secretbox'] : [])];
const authenticated = kinds.filter((kind) => kind !== 'aescbc');

/** Bytes that Kubernetes v1.36.4 wrote for `key`, after the prefix `k8s:enc:<kind>:v1:key1:`. */
const golden: readonly (readonly [kind: string, keySize: number, plain: string, stored: string])[] = [
  [
    'aesgcm',
    16,
    '{"kind":"Secret"}',
    '7194d9252683cae89c93b0341bce141f4b40ae6215656b7f3b6602c3802ceff9cff66f6c745718a2d4f045dbb9',
  ],
  [
    'aesgcm',
    24,
    '{"kind":"Secret"}',
    'ebfe7c3d514224c1d256e745baf2e43a1408ac6ee98ab2ee716e045a701ceda18b96b1e94f90e8075e9a91983c',
  ],
  [
    'aesgcm',
    32,
    '{"kind":"Secret"}',
    '7cac8a7ee10a4917f8e0f2a110174b63e8a662365b08b812b6eec186cad1504aafff89620c43887692b0a81578',
  ],
  [
    'aesgcm',
    32,
    '0123456789abcdef',
    '89435e0c48aa80a9314c1ab94aaed236d4d54d86f1ebd1ed01447a5038528fad409c057e65ce5b59fb9dfa32',
  ],
  [
    'aescbc',
    16,
    '{"kind":"Secret"}',
    'c2841de8e01f1294afe5837d659b22b425cd0a7c914f32d71cca8e04b0d954eb88c0a23b2906ee55c482ea3c5c6eed12',
  ],
  [
    'aescbc',
    24,
    '{"kind":"Secret"}',
    'f5ded4412dcda61f4e15396ff0f152caff8202b279adfc3bb9c062e80f49f3e299136810ed657e10c356bde6668a0e04',
  ],
  [
    'aescbc',
    32,
    '{"kind":"Secret"}',
    'c55334dc2cb1e72d01f1276b07ef331787b9a7783a7c32c88ed33b922ba06ddfcf4c27bc66e930ed29be4ab67d0f5dd5',
  ],
  [
    'aescbc',
    32,
    '0123456789abcdef',
    '32dca2dbb7a3c311113678847c8e41d69f1e1c8bac124cc11cc3944a556540ad77dad32f13051ccb803ac88dbff623ad',
  ],
  [
    'secretbox',
    32,
    '{"kind":"Secret"}',
    'b315470561d52712b3273b88f1b9509066519dcb32e8412d8ae06c59147e498089e462726471d85610197df3322e9de5ad026d8eba6f52fdd7',
  ],
  [
    'secretbox',
    32,
    '0123456789abcdef',
    '9bcfa0fba89746f24f6ceef5a8802741949d750ff7312dff8bae0dd08ee29adb7227f9f61877f42fc663de7ae5d9130b31d8b1ed8cb55119',
  ],
];
const nonceLength: Readonly<Record<string, number>> = { aesgcm: 12, aescbc: 16, secretbox: 24 };

t.test('what Kubernetes wrote is read, and with the same nonce the same bytes are written', async (t) => {
  for (const [kind, keySize, plain, hex] of golden) {
    if (kind === 'secretbox' && secretboxMissing !== false) {
      t.pass(kind, { skip: secretboxMissing });
      continue;
    }
    const body = Buffer.from(hex, 'hex');
    const stored = Buffer.concat([bytesOf(`k8s:enc:${kind}:v1:key1:`), body]);
    const nonce = (length: number): Buffer => {
      t.equal(length, nonceLength[kind]);
      return body.subarray(0, length);
    };
    const document = configuration(rule(['secrets'], provider(kind, { key1: secret(keySize) })));
    const transformer = (await encryptionFor(document, { randomBytes: nonce }))(secrets);
    const { bytes, stale } = transformer.fromStorage(stored, key);
    t.strictSame([textOf(bytes), stale], [plain, false], `${kind} ${keySize} reads`);
    t.equal(
      Buffer.from(transformer.toStorage(bytesOf(plain), key)).toString('hex'),
      stored.toString('hex'),
      `${kind} ${keySize} writes`,
    );
  }
});

t.test('whatever is stored is read again, and looks different every time', async (t) => {
  for (const kind of kinds) {
    const transformer_ = await transformer(provider(kind, { key1: secret(32) }));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'grapheme', maxLength: 20 }), (bytes, key) => {
        const given = Uint8Array.from(bytes);
        const stored = transformer_.toStorage(given, key);
        const read = transformer_.fromStorage(stored, key);
        return (
          Buffer.compare(given, bytes) === 0 &&
          Buffer.compare(read.bytes, bytes) === 0 &&
          !read.stale &&
          Buffer.compare(stored, transformer_.toStorage(bytes, key)) !== 0
        );
      }),
      { numRuns: runs(100) },
    );
    const large = randomBytes(1_500_000);
    t.equal(
      Buffer.compare(transformer_.fromStorage(transformer_.toStorage(large, key), key).bytes, large),
      0,
      `${kind} takes 1.5 MB`,
    );
  }
});

t.test('an authenticated value that was changed in any byte or cut anywhere is refused', async (t) => {
  for (const kind of authenticated) {
    const transformer_ = await transformer(provider(kind, { key1: secret(32) }));
    const stored = transformer_.toStorage(bytesOf('{"data":{"password":"c2VjcmV0"}}'), key);
    for (let at = 0; at < stored.length; at++) {
      for (const changed of [flipped(stored, at), stored.subarray(0, at)]) {
        if (complaint(transformer_, changed).startsWith('read '))
          t.fail(`${kind} read a value tampered with at byte ${at}`);
      }
    }
    t.not(
      complaint(transformer_, Buffer.concat([stored, Buffer.alloc(1)])).startsWith('read '),
      true,
      'nor with a byte more',
    );
  }
});

t.test('a value moved below another key is refused by AES-GCM', async (t) => {
  const gcm = await transformer(provider('aesgcm', { key1: secret(32) }));
  const stored = gcm.toStorage(bytesOf('{}'), key);
  t.equal(complaint(gcm, stored, '/registry/secrets/default/other'), 'cipher: message authentication failed');
  t.throws(() => gcm.fromStorage(stored, '/a"b'), {
    code: 'corrupt',
    message: 'unable to transform key "/a\\"b": cipher: message authentication failed',
  });
});

t.test('what cannot be read is refused in the words of Kubernetes', async (t) => {
  const plain = bytesOf('{"a":1}');
  const gcm = await transformer(provider('aesgcm', { key1: secret(32) }));
  const cbc = await transformer(provider('aescbc', { key1: secret(32) }));
  const otherGcm = await transformer(provider('aesgcm', { key1: secret(32, 1) }));
  const twoGcm = await transformer(
    provider('aesgcm', { key1: secret(32, 1) }),
    provider('aesgcm', { key1: secret(16), key2: secret(32) }),
  );
  const clear = await transformer(identity);
  const unconfigured = (await encryptionFor(configuration(rule(['configmaps'], identity))))(secrets);
  const gcmStored = gcm.toStorage(plain, key);
  const cbcStored = cbc.toStorage(plain, key);
  const prefixLength = 'k8s:enc:aesgcm:v1:key1:'.length;
  const table: readonly (readonly [string, ValueTransformer, Uint8Array, string])[] = [
    ['a secret of the same name', otherGcm, gcmStored, 'cipher: message authentication failed'],
    ['several secrets of the same name', twoGcm, gcmStored, 'cipher: message authentication failed'],
    [
      'a key unknown to one provider and wrong in another',
      twoGcm,
      bytesOf(`k8s:enc:aesgcm:v1:key2:${'x'.repeat(60)}`),
      '[no matching key was found for the provided AES transformer, cipher: message authentication failed]',
    ],
    [
      'an unknown key',
      gcm,
      bytesOf(`k8s:enc:aesgcm:v1:key2:${'x'.repeat(60)}`),
      'no matching key was found for the provided AES transformer',
    ],
    ['an unknown provider', gcm, bytesOf('k8s:enc:kms:v2:x:y'), 'no matching prefix found'],
    ['another provider', gcm, cbcStored, 'no matching prefix found'],
    ['plain text, where the identity is not configured', gcm, plain, 'no matching prefix found'],
    ['encrypted data, where only the identity is', clear, gcmStored, 'no matching prefix found'],
    [
      'encrypted data of a resource that is not configured',
      unconfigured,
      gcmStored,
      'identity transformer tried to read encrypted data',
    ],
    [
      'less than a nonce',
      gcm,
      gcmStored.subarray(0, prefixLength + 11),
      'the stored data was shorter than the required size',
    ],
    ['less than a tag', gcm, gcmStored.subarray(0, prefixLength + 27), 'cipher: message authentication failed'],
    [
      'less than a vector',
      cbc,
      cbcStored.subarray(0, prefixLength + 15),
      'the stored data was shorter than the required size',
    ],
    ['nothing but a vector', cbc, cbcStored.subarray(0, prefixLength + 16), 'invalid PKCS7 data (empty or not padded)'],
    ['half a block', cbc, cbcStored.subarray(0, -8), 'the stored data is not a multiple of the block size'],
    // The last byte of the vector decides the last byte of the only block: a padding of 9 becomes 8, or 57.
    ['a padding of other bytes', cbc, flipped(cbcStored, prefixLength + 15), 'invalid padding on input'],
    [
      'a padding longer than a block',
      cbc,
      Buffer.from(cbcStored).fill((cbcStored[prefixLength + 15] ?? 0) ^ 0x30, prefixLength + 15, prefixLength + 16),
      'invalid PKCS7 data (empty or not padded)',
    ],
  ];
  for (const [name, transformer, bytes, message] of table) t.equal(complaint(transformer, bytes), message, name);
  t.equal(complaint(gcm, new Uint8Array()), 'no matching prefix found');
});

t.test('secretbox refuses in the words of Kubernetes', { skip: secretboxMissing }, async (t) => {
  const box = await transformer(provider('secretbox', { key1: secret(32) }));
  const stored = box.toStorage(bytesOf('{}'), key);
  t.equal(complaint(box, flipped(stored, stored.length - 1)), 'output array was not large enough for encryption');
  t.equal(
    complaint(box, stored.subarray(0, 'k8s:enc:secretbox:v1:key1:'.length + 39)),
    'the stored data was shorter than the required size',
  );
  t.equal(
    complaint(box, bytesOf(`k8s:enc:secretbox:v1:key2:${'x'.repeat(60)}`)),
    'no matching key was found for the provided Secretbox transformer',
  );
  t.equal(complaint(box, stored, '/elsewhere'), 'read {}', 'the storage key is not authenticated');
});

t.test('the first key of the first provider writes, all of them read, and what another wrote is stale', async (t) => {
  const [one, two, three] = [secret(32), secret(32, 1), secret(16, 2)];
  const configurations: readonly (readonly [prefix: string, ...providers: object[]])[] = [
    ['{', identity],
    ['k8s:enc:aesgcm:v1:key1:', provider('aesgcm', { key1: one }), identity],
    ['k8s:enc:aesgcm:v1:key2:', provider('aesgcm', { key2: two, key1: one }), identity],
    [
      'k8s:enc:aescbc:v1:key1:',
      provider('aescbc', { key1: three }),
      provider('aesgcm', { key2: two, key1: one }),
      identity,
    ],
    // The same kind twice, with a key of the same name: the second is found although the first fails.
    [
      'k8s:enc:aesgcm:v1:key1:',
      provider('aesgcm', { key1: three }),
      provider('aesgcm', { key1: one, key2: two }),
      provider('aescbc', { key1: three }),
      identity,
    ],
    // The way back: the identity in front decrypts.
    [
      '{',
      identity,
      provider('aesgcm', { key1: three }),
      provider('aesgcm', { key2: two, key1: one }),
      provider('aescbc', { key1: three }),
    ],
  ];
  const plain = '{"a":1}';
  const earlier: Uint8Array[] = [];
  for (const [prefix, ...providers] of configurations) {
    const transformer_ = await transformer(...providers);
    const stored = transformer_.toStorage(bytesOf(plain), key);
    t.equal(textOf(stored).startsWith(prefix), true, prefix);
    t.equal(transformer_.fromStorage(stored, key).stale, false);
    for (const bytes of earlier) {
      const read = transformer_.fromStorage(bytes, key);
      t.strictSame([textOf(read.bytes), read.stale], [plain, Buffer.compare(bytes, stored) !== 0]);
    }
    earlier.push(stored);
  }
});

t.test('each resource has its own rule: by name, by group, or the one for everything', async (t) => {
  const rules = configuration(
    rule(['secrets', 'pandas.bears.example.com'], provider('aesgcm', { own: secret(32) })),
    rule(['*.apps', '*.'], provider('aesgcm', { group: secret(32) })),
    rule(['leases.coordination.k8s.io'], identity),
    rule(['*.*'], provider('aesgcm', { all: secret(32) })),
  );
  const encryption = await encryptionFor(rules);
  const written = (group: string, resource: string): string =>
    textOf(encryption({ group, resource }).toStorage(bytesOf('{}'), key)).split(':')[4] ?? 'clear';
  t.equal(written('', 'secrets'), 'own');
  t.equal(written('bears.example.com', 'pandas'), 'own');
  t.equal(written('', 'configmaps'), 'group');
  t.equal(written('apps', 'deployments'), 'group');
  t.equal(written('apps', 'secrets'), 'group');
  t.equal(written('batch', 'jobs'), 'all');
  t.equal(written('coordination.k8s.io', 'leases'), 'clear');

  const onlySecrets = await encryptionFor(configuration(rule(['secrets'], provider('aesgcm', { own: secret(32) }))));
  const byKey = transformerByKey(onlySecrets, (key) => ({ group: '', resource: key.split('/')[2] ?? '' }));
  t.match(textOf(byKey.toStorage(bytesOf('{}'), key)), /^k8s:enc:aesgcm:v1:own:/);
  t.equal(textOf(byKey.toStorage(bytesOf('{}'), '/registry/pods/default/web')), '{}');
  t.equal(textOf(byKey.fromStorage(byKey.toStorage(bytesOf('{}'), key), key).bytes), '{}');
});

t.test('a resource in several rules has the providers of all', async (t) => {
  const document = configuration(
    rule(['secrets'], provider('aesgcm', { key1: secret(32) })),
    rule(['secrets'], identity),
  );
  const both = (await encryptionFor(document))(secrets);
  t.strictSame(
    [textOf(both.fromStorage(bytesOf('{}'), key).bytes), both.fromStorage(bytesOf('{}'), key).stale],
    ['{}', true],
  );
  t.match(textOf(both.toStorage(bytesOf('{}'), key)), /^k8s:enc:aesgcm/);
});

t.test('a configuration is refused in the words of Kubernetes, and secrets are never printed', async (t) => {
  const good = secret(32);
  const gcm = (name: string, secret: string): object => provider('aesgcm', { [name]: secret });
  const key0 = 'resources[0].providers[0].aesgcm.keys[0]';
  const overlap =
    "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
  const invalid = (...names: string[]): object => configuration(rule(names, identity));
  const table: readonly (readonly [document: unknown, message: string | undefined])[] = [
    [configuration(), 'resources: Required value: at least one resources is required'],
    [
      configuration({}),
      '[resources[0].resources: Required value: at least one resources[0].resources is required, resources[0].providers: Required value: at least one resources[0].providers is required]',
    ],
    [
      configuration(rule(['secrets'], {})),
      'resources[0].providers[0]: Invalid value: {"AESGCM":null,"AESCBC":null,"Secretbox":null,"Identity":null,"KMS":null}: provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
    ],
    [
      configuration(rule(['secrets'], { ...identity, ...gcm('key1', good) })),
      'resources[0].providers[0]: Invalid value: {"AESGCM":{"Keys":[{"Name":"key1","Secret":"REDACTED"}]},"AESCBC":null,"Secretbox":null,"Identity":{},"KMS":null}: more than one provider specified in a single element, should split into different list elements',
    ],
    [
      configuration(rule(['secrets'], { aesgcm: {} })),
      'resources[0].providers[0].aesgcm.keys: Required value: at least one keys is required',
    ],
    [
      configuration(rule(['secrets'], gcm('', good))),
      `${key0}.name: Required value: name is a mandatory field for a key`,
    ],
    [
      configuration(rule(['secrets'], gcm('a', ''))),
      `${key0}.secret: Required value: secret is a mandatory field for a key`,
    ],
    [
      configuration(rule(['secrets'], gcm('a', '!!'))),
      `${key0}.secret: Invalid value: "REDACTED": secrets must be base64 encoded`,
    ],
    [
      configuration(rule(['secrets'], gcm('a', ` ${good}`))),
      `${key0}.secret: Invalid value: "REDACTED": secrets must be base64 encoded`,
    ],
    [
      configuration(rule(['secrets'], gcm('a', good.replace('=', '')))),
      `${key0}.secret: Invalid value: "REDACTED": secrets must be base64 encoded`,
    ],
    [
      configuration(rule(['secrets'], gcm('a', secret(15)))),
      `${key0}.secret: Invalid value: "REDACTED": secret is not of the expected length, got 15, expected one of [16 24 32]`,
    ],
    [
      configuration(rule(['secrets'], provider('aescbc', { a: secret(33) }))),
      'resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 33, expected one of [16 24 32]',
    ],
    [
      configuration(rule(['secrets'], provider('secretbox', { a: secret(16) }))),
      'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]',
    ],
    [
      configuration(rule(['secrets'], { kms: { name: 'k', endpoint: 'unix:///k.sock' } })),
      'resources[0].providers[0].kms: Forbidden: KMS providers are not supported, use aesgcm, aescbc, secretbox or identity',
    ],
    [
      invalid('Secrets'),
      'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters',
    ],
    [
      invalid('*'),
      'resources[0].resources[0]: Invalid value: "*": use \'*.\' to encrypt all the resources from core API group or *.* to encrypt all resources',
    ],
    [
      invalid('apiserveripinfo'),
      'resources[0].resources[0]: Invalid value: "apiserveripinfo": resources which do not have REST API/s cannot be encrypted',
    ],
    [
      invalid('events.events.k8s.io'),
      "resources[0].resources[0]: Invalid value: \"events.events.k8s.io\": '*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file",
    ],
    [
      invalid('*.extensions'),
      'resources[0].resources[0]: Invalid value: "*.extensions": \'extensions\' group has been removed and cannot be used for encryption',
    ],
    [
      invalid('secrets.*'),
      'resources[0].resources[0]: Invalid value: "secrets.*": encrypting the same resource across groups is not supported',
    ],
    [
      invalid('secrets', 'secrets'),
      'resources[0].resources: Invalid value: ["secrets","secrets"]: the same resource cannot be specified multiple times',
    ],
    [invalid('secrets', '*.'), `resources[0].resources: Invalid value: ["secrets","*."]: ${overlap}`],
    [invalid('*.*', 'secrets'), `resources[0].resources: Invalid value: ["*.*","secrets"]: ${overlap}`],
    [
      invalid('*.*', '*.*'),
      `[resources[0].resources: Invalid value: ["*.*","*.*"]: the same resource cannot be specified multiple times, resources[0].resources: Invalid value: ["*.*","*.*"]: ${overlap}]`,
    ],
    [invalid('*.apps', '*.batch', 'pods.apps.example.com'), undefined],
    [
      configuration(rule(['*.*'], identity), rule(['secrets'], identity)),
      'resource "secrets" is masked by earlier rule "*.*"',
    ],
    [
      configuration(rule(['*.'], identity), rule(['secrets'], identity)),
      'resource "secrets" is masked by earlier rule "*."',
    ],
    [configuration(rule(['*.*'], identity), rule(['*.'], identity)), 'resource "*." is masked by earlier rule "*.*"'],
    [configuration(rule(['*.'], identity), rule(['deployments.apps'], identity)), undefined],
    [configuration(rule(['secrets'], { ...gcm('a', good), identity: null })), undefined],
    [configuration(rule(['secrets'], gcm('a', `${good}\n`))), undefined],
    [{ apiVersion: 'v1', kind: 'EncryptionConfig', resources: [rule(['secrets'], identity)] }, undefined],
    [
      { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'Foo', x: 1 },
      'no kind "Foo" is registered for version "apiserver.config.k8s.io/v1"',
    ],
    [{}, 'no kind "" is registered for version ""'],
    [
      [],
      'error decoding encryption provider configuration: json: cannot unmarshal array into Go value of type v1.EncryptionConfiguration',
    ],
    [
      configuration(rule(['secrets'], { foo: {} })),
      'error decoding encryption provider configuration: strict decoding error: unknown field "resources[0].providers[0].foo"',
    ],
    [
      JSON.parse('{"apiVersion":"v1","kind":"EncryptionConfig","__proto__":{}}'),
      'error decoding encryption provider configuration: strict decoding error: unknown field "__proto__"',
    ],
    [
      configuration(rule(['secrets'], { aesgcm: { keys: 'no' } })),
      'error decoding encryption provider configuration: json: cannot unmarshal string into Go struct field AESConfiguration.resources.providers.aesgcm.keys of type []v1.Key',
    ],
    [
      configuration(rule([1], identity)),
      'error decoding encryption provider configuration: json: cannot unmarshal number into Go struct field ResourceConfiguration.resources.resources of type string',
    ],
  ];
  for (const [document, expected] of table) {
    const message = await encryptionFor(document).then(
      () => undefined,
      (error: unknown) =>
        isStoreError(error, 'invalid') ? error.message.replace('invalid EncryptionConfiguration: ', '') : error,
    );
    t.equal(message, expected, expected ?? 'accepted');
  }
});

t.test(
  'a configuration with a secretbox says which package it needs',
  { skip: secretboxMissing === false && 'it is installed' },
  (t) => {
    t.equal(secretboxMissing, 'the encryption provider secretbox needs the package @noble/ciphers');
    t.end();
  },
);

/** A store of bytes, as far as rotation needs one. */
class BytesStore implements RewritableStore {
  transformer: ValueTransformer;
  readonly stored = new Map<
    string,
    { readonly bytes: Uint8Array; readonly modRevision: number; readonly lease?: string }
  >();
  revision = 1;
  /** Called before each commit, to get in its way. */
  meanwhile: (key: string) => void = () => undefined;

  constructor(transformer: ValueTransformer) {
    this.transformer = transformer;
  }

  put(key: string, value: object, lease?: string): void {
    const bytes = this.transformer.toStorage(bytesOf(JSON.stringify(value)), key);
    this.revision += 1;
    this.stored.set(key, { bytes, modRevision: this.revision, ...(lease === undefined ? {} : { lease }) });
  }

  read(key: string): Entry | undefined {
    const found = this.stored.get(key);
    if (found === undefined) return undefined;
    const { bytes, stale } = this.transformer.fromStorage(found.bytes, key);
    const { modRevision, lease } = found;
    return {
      key,
      value: JSON.parse(textOf(bytes)) as JsonObject,
      createRevision: 0,
      modRevision,
      ...(lease === undefined ? {} : { lease }),
      ...(stale ? { stale } : {}),
    };
  }

  async list(
    prefix: string,
    { limit = Infinity, after = '' } = {},
  ): Promise<{ entries: Entry[]; revision: number; remaining: number }> {
    const keys = [...this.stored.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const entries = keys.slice(0, limit).map((key) => this.read(key)!);
    return { entries, revision: this.revision, remaining: keys.length - entries.length };
  }

  async commit({ compare = [], put = [] }: Transaction): Promise<Outcome> {
    for (const { key } of put) this.meanwhile(key);
    if (put.some(({ lease }) => lease === 'ended')) throw new StoreError('lease-not-found', 'gone');
    if (compare.some(({ key, modRevision }) => (this.stored.get(key)?.modRevision ?? 0) !== modRevision)) {
      return { committed: false, revision: this.revision, found: compare.map(({ key }) => this.read(key)) };
    }
    for (const { key, value, lease } of put) this.put(key, value, lease);
    return { committed: true, revision: this.revision };
  }
}

t.test('rotation rewrites exactly what is stale, after which the old key is not needed', async (t) => {
  const [old, fresh] = [{ old: secret(32) }, { fresh: secret(32, 1) }];
  const names = Array.from({ length: 300 }, (_, index) => `/registry/secrets/a/${String(index).padStart(3, '0')}`);
  const store = new BytesStore(await transformer(provider('aesgcm', old)));
  for (const [index, name] of names.entries()) store.put(name, { index }, index === 7 ? 'lease' : undefined);
  store.put('/registry/secretly/a', {});
  store.transformer = await transformer(provider('aesgcm', { ...fresh, ...old }));
  store.put(names[5]!, { index: 5 });
  t.strictSame(await rewriteStale(store, '/registry/secrets/'), { examined: 300, rewritten: 299, left: 0 });
  t.equal(store.read('/registry/secretly/a')?.stale, true, 'another prefix is left alone');
  t.strictSame(await rewriteStale(store, '/registry/secrets/'), { examined: 300, rewritten: 0, left: 0 });
  t.strictSame(await rewriteStale(store, '/registry/none/'), { examined: 0, rewritten: 0, left: 0 });

  store.transformer = await transformer(provider('aesgcm', fresh));
  const { entries } = await store.list('/registry/secrets/');
  t.strictSame(
    entries.map(({ value }) => value),
    names.map((_, index) => ({ index })),
  );
  t.equal(entries[7]?.lease, 'lease');
  await t.rejects(rewriteStale(store, '/registry/secretly/'), {
    code: 'corrupt',
    message:
      'unable to transform key "/registry/secretly/a": no matching key was found for the provided AES transformer',
  });
});

t.test('rotation never overwrites what was written meanwhile', async (t) => {
  const oldOnly = await transformer(provider('aesgcm', { old: secret(32) }));
  const both = await transformer(provider('aesgcm', { fresh: secret(32, 1), old: secret(32) }));
  const interfering: Readonly<Record<string, (store: BytesStore, key: string) => void>> = {
    '/a/fresh': (store, key) => store.put(key, { by: 'another' }),
    '/a/gone': (store, key) => store.stored.delete(key),
    '/a/stale': (store, key) => {
      store.transformer = oldOnly;
      store.put(key, { by: 'another' });
      store.transformer = both;
    },
  };
  const store = new BytesStore(oldOnly);
  for (const name of [...Object.keys(interfering), '/a/plain']) store.put(name, { by: 'us' });
  store.put('/a/ended', {}, 'ended');
  store.transformer = both;
  store.meanwhile = (key) => interfering[key]?.(store, key);
  t.strictSame(await rewriteStale(store, '/a/'), { examined: 5, rewritten: 1, left: 1 });
  t.strictSame(
    ['/a/fresh', '/a/gone', '/a/plain', '/a/stale'].map((key) => store.read(key)?.value.by),
    ['another', undefined, 'us', 'another'],
  );

  store.commit = () => Promise.reject(new StoreError('unavailable', 'not now'));
  await t.rejects(rewriteStale(store, '/a/'), { code: 'unavailable' });
});

/** Rotates the keys of a store on disk, as docs/storage.md says, while another client writes. */
async function rotateIn(t: Test, open: (transformer: ValueTransformer) => Promise<Store>): Promise<void> {
  const [old, fresh] = [{ old: secret(32) }, { fresh: secret(32, 1) }];
  const prefix = '/registry/secrets/a/';
  const names = Array.from({ length: 300 }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);
  const before = await open(await transformer(provider('aesgcm', old)));
  const lease = await before.grantLease(3_600_000);
  for (let start = 0; start < names.length; start += 100) {
    await before.commit({
      put: names
        .slice(start, start + 100)
        .map((name, index) => ({ key: name, value: { index: start + index }, ...(index === 7 && { lease }) })),
    });
  }
  await before.close();

  const during = await open(await transformer(provider('aesgcm', { ...fresh, ...old })));
  const received: Batch[] = [];
  const watch = during.watch(prefix, { after: await during.revision() }).subscribe((batch) => received.push(batch));
  const rewriting = rewriteStale(during, prefix);
  await Promise.all(names.slice(-20).map((name) => during.commit({ put: [{ key: name, value: { by: 'another' } }] })));
  const { examined, rewritten, left } = await rewriting;
  t.strictSame([examined, left], [300, 0], 'all were looked at, none is left');
  t.ok(rewritten >= 280 && rewritten <= 300, `${rewritten} were rewritten, the others written meanwhile`);
  t.strictSame(await rewriteStale(during, prefix), { examined: 300, rewritten: 0, left: 0 });
  await during.requestProgress();
  watch.unsubscribe();
  const changes = received.flatMap((batch) => batch.changes);
  const changed = changes.filter(
    (change) =>
      change.type === 'delete' || JSON.stringify(change.entry.value) !== JSON.stringify(change.previous?.value),
  );
  t.strictSame(
    [...new Set(changed.map(({ key: name }) => name))].sort(),
    names.slice(-20),
    'watchers see no value change but those of the other writer',
  );
  t.equal(changes.length, rewritten + 20, 'and every rewriting');
  await during.close();

  const after = await open(await transformer(provider('aesgcm', fresh)));
  const { entries } = await after.list(prefix);
  t.strictSame(
    entries.map(({ value }) => value),
    names.map((_, index) => (index < 280 ? { index } : { by: 'another' })),
    'the old key is not needed any more',
  );
  t.strictSame(
    entries.flatMap((entry, index) => (entry.lease === lease ? [index] : [])),
    [7, 107, 207],
    'leases stay',
  );
  t.notOk(
    entries.some(({ stale }) => stale),
    'nothing is stale',
  );
  await after.close();
}

t.test('rotation in SQLite', async (t) => {
  const path = join(t.testdir({}), 'store.db');
  const worker = await bundledProgram('lib/storage/sqlite/database-worker.ts');
  await rotateIn(t, (transformer) => sqliteStore({ path, worker, transformer }));
});

t.test('rotation in etcd', { skip: etcdBinary === undefined && etcdMissing }, async (t) => {
  const etcd = await startEtcd();
  t.teardown(() => etcd.dispose());
  await rotateIn(t, async (transformer) =>
    Promise.resolve(etcdStore({ endpoints: [etcd.endpoint], transformer, timeoutMs: 20_000 })),
  );
});
