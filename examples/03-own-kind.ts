// A kind of the host, defined by a JSON Schema and added while the cluster runs. It is stored, validated, watched, found
// by its short name and described by OpenAPI, as built-in kinds are.
import { createCluster, isApiError } from 'vivarium';
import { defineKind } from 'vivarium/server';

const backup = await defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Backup',
  shortNames: ['bk'],
  subresources: ['status'],
  printerColumns: [{ name: 'Keep', type: 'integer', jsonPath: '.spec.keepDays' }],
  selectableFields: ['.spec.target'],
  schema: {
    type: 'object',
    description: 'A backup of some volumes.',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['volumes'],
        properties: {
          volumes: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'Names of volumes.' },
          keepDays: { type: 'integer', minimum: 1, default: 7 },
          target: { type: 'string', enum: ['disk', 'tape'], default: 'disk' },
        },
      },
      status: { type: 'object', properties: { phase: { type: 'string' } } },
    },
  },
});

const cluster = await createCluster();
const { client, server } = cluster;
const backups = client.resource({ apiVersion: 'example.com/v1', kind: 'Backup' }).in('default');
server.kinds.add(backup);

const watching = backups.watch().subscribe({
  next: ({ type }) => console.log(`watch: ${type}`),
  complete: () => console.log('watch: ended'),
  error: console.error,
});
const made = await backups.create({ metadata: { name: 'nightly' }, spec: { volumes: ['data'] } });
console.log(JSON.stringify(made.spec));
try {
  await backups.create({ metadata: { name: 'wrong' }, spec: { volumes: [], keepDays: 0 } });
} catch (error) {
  if (!isApiError(error, 'Invalid')) throw error;
  for (const { field, message } of error.status.details?.causes ?? []) console.log(`${field}: ${message}`);
}
const { mapper } = await client.discover({ fresh: true });
console.log(`bk is ${mapper.argument('bk')[0]?.resource}`);
const openapi = JSON.stringify(await client.read('/openapi/v3/apis/example.com/v1'));
console.log(`described: ${openapi.includes('Names of volumes.')}`);

server.kinds.remove(backup);
watching.unsubscribe();
await cluster.close();

// prints:
// watch: ADDED
// {"volumes":["data"],"keepDays":7,"target":"disk"}
// spec.volumes: Invalid value: 0: spec.volumes in body should have at least 1 items
// spec.keepDays: Invalid value: 0: spec.keepDays in body should be greater than or equal to 1
// bk is backups
// described: true
// watch: ended
