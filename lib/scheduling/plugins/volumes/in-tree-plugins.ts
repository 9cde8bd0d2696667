// The former in-tree volume plugins and the CSI drivers that replace them. Their volumes are still written in the
// in-tree fields; to count, limit or place them they are translated to the driver's terms. Names and handles as
// csi-translation-lib. azure-file and vsphere-volume are known, but not translated.
import { inTreeDrivers } from '../../../core/index.js';
import type { Frozen, Labels } from '../../../core/index.js';
import type { AzureDiskVolumeSource } from '../../../core/types/index.js';
import { legacyZoneLabel, zoneLabel, zoneSeparator } from './zone-labels.js';

/** The in-tree volume sources. */
export interface InTreeSources {
  readonly awsElasticBlockStore?: { readonly volumeID: string };
  readonly gcePersistentDisk?: { readonly pdName: string };
  readonly cinder?: { readonly volumeID: string };
  readonly azureDisk?: Frozen<Pick<AzureDiskVolumeSource, 'diskURI' | 'kind'>>;
  readonly portworxVolume?: { readonly volumeID: string };
  readonly azureFile?: object;
  readonly vsphereVolume?: object;
}

/** A former in-tree plugin. */
export interface InTreePlugin {
  readonly name: string;
  /** The CSI driver that replaces it. */
  readonly driver: string;
  /** The driver's topology label for zones, if in-tree volumes are bound to zones. */
  readonly topologyKey?: string;
  /**
   * Returns the driver's volume handle, which may depend on the zone labels. Throws if there is none. Absent for
   * plugins that are not translated.
   */
  handle?(sources: InTreeSources, labels: Labels): string;
  /** Returns whether a volume belongs to this plugin. */
  owns(sources: InTreeSources): boolean;
}

/** Returns the in-tree plugin of a volume; undefined for other volumes. */
export function inTreePluginOf(sources: InTreeSources): InTreePlugin | undefined {
  return plugins.find((plugin) => plugin.owns(sources));
}

/** Returns the in-tree plugin with a provisioner name. */
export function inTreePluginNamed(name: string): InTreePlugin | undefined {
  return plugins.find((plugin) => plugin.name === name);
}

const plugins: readonly InTreePlugin[] = [
  {
    name: 'kubernetes.io/aws-ebs',
    driver: inTreeDrivers['kubernetes.io/aws-ebs'],
    topologyKey: 'topology.ebs.csi.aws.com/zone',
    owns: ({ awsElasticBlockStore: disk }) => disk !== undefined,
    handle: ({ awsElasticBlockStore: disk }) => awsHandle(disk?.volumeID ?? ''),
  },
  {
    name: 'kubernetes.io/gce-pd',
    driver: inTreeDrivers['kubernetes.io/gce-pd'],
    topologyKey: 'topology.gke.io/zone',
    owns: ({ gcePersistentDisk: disk }) => disk !== undefined,
    handle: ({ gcePersistentDisk: disk }, labels) =>
      `projects/UNSPECIFIED/${gcePlace(labels)}/disks/${disk?.pdName ?? ''}`,
  },
  {
    name: 'kubernetes.io/cinder',
    driver: inTreeDrivers['kubernetes.io/cinder'],
    topologyKey: 'topology.cinder.csi.openstack.org/zone',
    owns: ({ cinder }) => cinder !== undefined,
    handle: ({ cinder }) => cinder?.volumeID ?? '',
  },
  {
    name: 'kubernetes.io/azure-disk',
    driver: inTreeDrivers['kubernetes.io/azure-disk'],
    owns: ({ azureDisk }) => azureDisk !== undefined,
    handle: ({ azureDisk }) => azureHandle(azureDisk),
  },
  {
    name: 'kubernetes.io/portworx-volume',
    driver: inTreeDrivers['kubernetes.io/portworx-volume'],
    owns: ({ portworxVolume }) => portworxVolume !== undefined,
    handle: ({ portworxVolume }) => portworxVolume?.volumeID ?? '',
  },
  {
    name: 'kubernetes.io/azure-file',
    driver: inTreeDrivers['kubernetes.io/azure-file'],
    owns: ({ azureFile }) => azureFile !== undefined,
  },
  {
    name: 'kubernetes.io/vsphere-volume',
    driver: inTreeDrivers['kubernetes.io/vsphere-volume'],
    owns: ({ vsphereVolume }) => vsphereVolume !== undefined,
  },
];

/** Returns the handle of an id, which may be written as `aws://zone/vol-1`. */
function awsHandle(id: string): string {
  if (!id.startsWith(awsScheme)) return id;
  const [, ...path] = id.slice(awsScheme.length).split('/');
  const [volume = '', ...others] = path.filter((segment) => segment !== '');
  if (!volume.startsWith('vol-') || others.length > 0)
    throw new Error(`failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${id})`);
  return volume;
}

const awsScheme = 'aws://';

/** Returns the zone, or the region of several zones. Zones are named `locale-region-zone`. */
function gcePlace(labels: Labels): string {
  const label = labels[legacyZoneLabel] ?? '';
  const zones = (label === '' ? (labels[zoneLabel] ?? '') : label).split(zoneSeparator);
  const [zone = ''] = zones;
  if (zones.length === 1) return `zones/${zone === '' ? 'UNSPECIFIED' : zone}`;
  const regions = [...new Set(zones.map(gceRegion))].toSorted();
  if (regions.length > 1)
    throw new Error(
      `failed to get region from zones: multiple or no regions gotten from zones, got: map[${regions.map((region) => `${region}:{}`).join(' ')}]`,
    );
  return `regions/${regions.join('')}`;
}

function gceRegion(zone: string): string {
  const parts = zone.split('-');
  if (parts.length !== 3)
    throw new Error(
      `failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: ${zone}`,
    );
  return parts.slice(0, 2).join('-');
}

function azureHandle(disk: InTreeSources['azureDisk']): string {
  if (disk?.kind !== undefined && disk.kind.toLowerCase() !== 'managed')
    throw new Error(`kind(${disk.kind}) is not supported in csi migration`);
  return disk?.diskURI ?? '';
}
