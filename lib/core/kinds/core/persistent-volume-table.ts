// How volumes and claims on them are printed. As printPersistentVolume and printPersistentVolumeClaim in
// pkg/printers/internalversion/printers.go.
import { isTerminating } from '../../objects/meta.js';
import type { Frozen } from '../../objects/meta.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../types/core-v1.generated.js';
import type { KindTable } from '../kind-table.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';

const modeColumn = textColumn('VolumeMode', 'Whether it is a file system or a block device.', 1);
const classColumns = [
  textColumn('StorageClass', 'Its class of storage.'),
  textColumn('VolumeAttributesClass', 'The class of its attributes.'),
];

/** The table of PersistentVolumes. */
export const volumeTable: KindTable<PersistentVolume> = {
  columns: [
    nameColumn,
    textColumn('Capacity', 'How much it holds.'),
    textColumn('Access Modes', 'How it can be mounted.'),
    textColumn('Reclaim Policy', 'What becomes of it when its claim goes.'),
    textColumn('Status', 'Whether it is free, bound or on its way out.'),
    textColumn('Claim', 'The claim it is bound to.'),
    ...classColumns,
    textColumn('Reason', 'Why it is in this state.'),
    ageColumn,
    modeColumn,
  ],
  row: (volume, now) => {
    const { metadata, spec = {}, status = {} } = volume;
    const { claimRef } = spec;
    return {
      cells: [
        metadata?.name ?? '',
        amountOf(spec.capacity),
        printModes(spec.accessModes ?? []),
        spec.persistentVolumeReclaimPolicy ?? '',
        isTerminating(volume) ? 'Terminating' : (status.phase ?? ''),
        claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`,
        classOf(volume),
        spec.volumeAttributesClassName ?? '<unset>',
        status.reason ?? '',
        age(volume, now),
        spec.volumeMode ?? '<unset>',
      ],
    };
  },
};

/** The table of PersistentVolumeClaims. */
export const claimTable: KindTable<PersistentVolumeClaim> = {
  columns: [
    nameColumn,
    textColumn('Status', 'Whether it has a volume.'),
    textColumn('Volume', 'The volume it is bound to.'),
    textColumn('Capacity', 'How much the volume holds.'),
    textColumn('Access Modes', 'How the volume can be mounted.'),
    ...classColumns,
    ageColumn,
    modeColumn,
  ],
  row: (claim, now) => {
    const { metadata, spec = {}, status = {} } = claim;
    const { volumeName = '' } = spec;
    return {
      cells: [
        metadata?.name ?? '',
        isTerminating(claim) ? 'Terminating' : (status.phase ?? ''),
        volumeName,
        volumeName === '' ? '' : amountOf(status.capacity),
        volumeName === '' ? '' : printModes(status.accessModes ?? []),
        classOf(claim),
        spec.volumeAttributesClassName ?? '<unset>',
        age(claim, now),
        spec.volumeMode ?? '<unset>',
      ],
    };
  },
};

function amountOf(amounts: Readonly<Record<string, string>> | undefined): string {
  return amounts?.storage ?? '0';
}

/** Always in the same order, each once. */
function printModes(modes: readonly string[]): string {
  return shortModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

const shortModes = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

/** The annotation that was before the field still counts. */
function classOf({ metadata, spec }: Frozen<PersistentVolume | PersistentVolumeClaim>): string {
  return metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';
}
