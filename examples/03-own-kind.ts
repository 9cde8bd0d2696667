// A host brings its own kind in two versions: each converts through one hub, and the built-in kinds stand beside it.
import { builtinScheme } from 'vivarium';
import type { ApiObject, Frozen, HubConversion, KindOptions } from 'vivarium/core';
import { field, listOf, printGroupVersionResource, restMapperOf, scalars, structType } from 'vivarium/core';

interface BackupV1 extends ApiObject {
  spec: { volumes: string[]; keepDays?: number };
}
interface BackupV1beta1 extends ApiObject {
  spec: { volume: string };
}

const hub = { group: 'example.com', version: 'v1', kind: 'Backup' };
const spec = structType('example.com/v1.BackupSpec', () => [
  field('volumes', listOf(scalars.string)),
  field('keepDays', scalars.int32, { default: 7 }),
]);
const oldSpec = structType('example.com/v1beta1.BackupSpec', () => [field('volume', scalars.string)]);
const resource = { plural: 'backups', shortNames: ['bk'], namespaced: true };

const throughTheHub: HubConversion<Frozen<BackupV1beta1>, Frozen<BackupV1>> = {
  hub,
  toHub: (old) => ({ ...old, spec: { volumes: [old.spec.volume] } }),
  fromHub: (backup) => ({ ...backup, spec: { volume: backup.spec.volumes[0] ?? '' } }),
};
const kinds: KindOptions[] = [
  {
    ...hub,
    resource,
    type: () => structType('example.com/v1.Backup', () => [field('spec', spec, { presence: 'always' })]),
  },
  {
    ...hub,
    version: 'v1beta1',
    resource,
    conversion: throughTheHub,
    type: () => structType('example.com/v1beta1.Backup', () => [field('spec', oldSpec)]),
  },
];

const scheme = builtinScheme({ kinds, switches: { 'example.com/v1beta1': true } });
const old = { apiVersion: 'example.com/v1beta1', kind: 'Backup', spec: { volume: 'data' } };
console.log(JSON.stringify(scheme.convert(old, { group: 'example.com', version: 'v1' })));

const mapper = restMapperOf(scheme);
for (const argument of ['bk', 'deploy', 'events']) {
  for (const mapping of mapper.argument(argument)) console.log(`${argument} is ${printGroupVersionResource(mapping)}`);
}

// prints:
// {"kind":"Backup","apiVersion":"example.com/v1","spec":{"volumes":["data"]}}
// bk is example.com/v1, Resource=backups
// deploy is apps/v1, Resource=deployments
// events is /v1, Resource=events
