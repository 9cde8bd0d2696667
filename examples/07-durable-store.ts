// A store in a SQLite file, with secrets encrypted at rest as Kubernetes' EncryptionConfiguration says.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encryptionFor, transformerByKey } from 'vivarium/storage/encryption';
import { sqliteStore } from 'vivarium/storage/sqlite';

const encryption = await encryptionFor({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources: [
    {
      resources: ['secrets'],
      providers: [{ aesgcm: { keys: [{ name: 'key1', secret: btoa('sixteen byte key') }] } }, { identity: {} }],
    },
  ],
});
const transformer = transformerByKey(encryption, (key) => ({ group: '', resource: key.split('/')[2] ?? '' }));

const folder = mkdtempSync(join(tmpdir(), 'vivarium-'));
const path = join(folder, 'cluster.db');
const store = await sqliteStore({ path, transformer });
await store.commit({
  put: [
    { key: '/registry/secrets/default/token', value: { data: 'very secret' } },
    { key: '/registry/configmaps/default/motd', value: { data: 'good morning' } },
  ],
});
await store.close();

const again = await sqliteStore({ path, transformer });
const { entry } = await again.get('/registry/secrets/default/token');
console.log('after a restart:', entry?.value);
await again.close();

const file = readFileSync(path, 'latin1');
console.log('the secret is readable on disk:', file.includes('very secret'));
console.log('the greeting is readable on disk:', file.includes('good morning'));
rmSync(folder, { recursive: true });

// prints:
// after a restart: { data: 'very secret' }
// the secret is readable on disk: false
// the greeting is readable on disk: true
