// What to say of volumes: sources that no longer work, and files of one volume that get in each other's way.
// As pkg/api/pod/warnings.go, warningsForPodSpecAndMeta and warningsForOverlappingVirtualPaths.
import { collect } from '../../errors/collect.js';
import type { FieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import type { Frozen } from '../../objects/meta.js';
import type { Volume, VolumeProjection } from '../../types/core-v1.generated.js';
import { fractionalBytes } from './fractional-bytes.js';

/** Warnings about all volumes. */
export function volumeWarnings(volumes: readonly Frozen<Volume>[], path: FieldPath): readonly string[] {
  return [
    ...collect(volumes, (volume, index) => sourceWarnings(volume, path.index(index))),
    ...collect(volumes, overlapWarnings),
  ];
}

/** In the order Kubernetes looks. */
const deprecatedSources: readonly (readonly [keyof Volume, string, string?])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function sourceWarnings(volume: Frozen<Volume>, path: FieldPath): readonly string[] {
  const found = deprecatedSources
    .filter(([field]) => volume[field] !== undefined)
    .map(([field, message, shown = field]) => `${path.child(shown).toString()}: ${message}`);
  const resources = volume.ephemeral?.volumeClaimTemplate?.spec.resources;
  const at = path.child('ephemeral').child('volumeClaimTemplate').child('spec').child('resources');
  return [
    ...found,
    ...fractionalBytes(resources?.requests?.storage, at.child('requests').key('storage')),
    ...fractionalBytes(resources?.limits?.storage, at.child('limits').key('storage')),
  ];
}

/** A file and, in projections, where it comes from. */
interface NamedFile {
  readonly path: string;
  readonly source?: string;
}

function overlapWarnings(volume: Frozen<Volume>): readonly string[] {
  const { name, configMap, secret, downwardAPI, projected } = volume;
  const warnings = (description: string, files: readonly NamedFile[]): string[] =>
    overlaps(files).map((overlap) => `volume ${quote(name)} (${description}): overlapping paths: ${overlap}`);
  return [
    ...(configMap?.items === undefined ? [] : warnings(`ConfigMap ${quote(configMap.name ?? '')}`, configMap.items)),
    ...(secret?.items === undefined ? [] : warnings(`Secret ${quote(secret.secretName ?? '')}`, secret.items)),
    ...(downwardAPI?.items === undefined ? [] : warnings('DownwardAPI', downwardAPI.items)),
    ...(projected?.sources ?? [])
      .filter(isEmpty)
      .map(() => `volume ${quote(name)} (Projected) has no sources provided`),
    ...(projected === undefined ? [] : warnings('Projected', (projected.sources ?? []).flatMap(projectedFiles))),
  ];
}

function isEmpty(source: Frozen<VolumeProjection>): boolean {
  return Object.keys(source).length === 0;
}

function projectedFiles({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken,
}: Frozen<VolumeProjection>): readonly NamedFile[] {
  if (configMap?.items !== undefined)
    return configMap.items.map(({ path }) => ({ path, source: `ConfigMap ${quote(configMap.name ?? '')}` }));
  if (secret?.items !== undefined)
    return secret.items.map(({ path }) => ({ path, source: `Secret ${quote(secret.name ?? '')}` }));
  if (downwardAPI?.items !== undefined) return downwardAPI.items.map(({ path }) => ({ path, source: 'DownwardAPI' }));
  return serviceAccountToken === undefined ? [] : [{ path: serviceAccountToken.path, source: 'ServiceAccountToken' }];
}

/** Every pair is looked at, so their number has a limit; Kubernetes has none. */
const filesMax = 1000;

/** Pairs of files of which one is, or is inside, the other. */
function overlaps(files: readonly NamedFile[]): readonly string[] {
  const earlier: NamedFile[] = [];
  return collect(files, ({ path, source }) => {
    const file: NamedFile = { path: withoutSlashes(path), ...(source !== undefined && { source }) };
    const met = file.path === '' ? [] : earlier.filter((other) => other.path !== '' && meet(other.path, file.path));
    if (earlier.length < filesMax) earlier.push(file);
    return met.map((other) => `${printed(file)} with ${printed(other)}`);
  });
}

function meet(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

function printed({ path, source }: NamedFile): string {
  return source === undefined ? quote(path) : `${quote(path)} (${source})`;
}
