// VolumeAttachments: a volume to be attached to a node, and whether it is.
// As pkg/registry/storage/volumeattachment/strategy.go and pkg/apis/storage/validation, ValidateVolumeAttachment.
import { fieldForbidden, fieldInvalid, fieldRequired, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, nameIsDnsSubdomain } from '../../objects/names.js';
import { deepEqual, isJsonObject } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import type { PersistentVolumeSpec } from '../../types/core-v1.generated.js';
import type {
  VolumeAttachment,
  VolumeAttachmentSource,
  VolumeAttachmentSpec,
  VolumeAttachmentStatus,
  VolumeError,
} from '../../types/storage-v1.generated.js';
import { printedNodeAffinity, printedVolumeSource } from '../core/persistent-volume-form.js';
import { validateVolumeSpec } from '../core/persistent-volume-spec.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import { roundResourceList } from '../resource-list.js';
import { keepMetadata } from '../status-metadata.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateDriverName } from '../driver-name.js';
import { mapBytes } from './class-validation.js';

const table: KindTable<VolumeAttachment> = {
  columns: [
    nameColumn,
    { name: 'Attacher', type: 'string', format: 'name', description: 'The driver that attaches it.' },
    textColumn('PV', 'The volume.'),
    textColumn('Node', 'The node.'),
    { name: 'Attached', type: 'boolean', description: 'Whether the volume is attached.' },
    ageColumn,
  ],
  row: (object, now) => {
    const { attacher, source, nodeName } = object.spec;
    return {
      cells: [
        object.metadata?.name ?? '',
        attacher,
        source.persistentVolumeName ?? '',
        nodeName,
        object.status?.attached ?? false,
        age(object, now),
      ],
    };
  },
};

/** The strategy of VolumeAttachments. */
export const volumeAttachment: KindStrategy<VolumeAttachment> = {
  nameRule: nameIsDnsSubdomain,
  validate,
  validateUpdate,
  subresources: { status: { prepareForUpdate: keepMetadata, validateUpdate } },
  requiresResourceVersion: true,
  answersDeleted: true,
  table,
};

/** Amounts of a volume that is in the attachment itself. */
export function volumeAttachmentDefaults({ spec }: VolumeAttachment): void {
  roundResourceList(spec.source.inlineVolumeSpec?.capacity);
}

function validate({ spec, status }: Frozen<VolumeAttachment>): readonly FieldError[] {
  const { attacher, source, nodeName } = spec;
  const path = fieldPath('spec');
  const { persistentVolumeName: volume } = source;
  return [
    ...validateDriverName(attacher, path.child('attacher')),
    ...validateSource(source, path.child('source')),
    ...invalidEach(path.child('nodeName'), nodeName, nameIsDnsSubdomain(nodeName, false)),
    ...validateStatus(status, fieldPath('status')),
    ...(volume === undefined
      ? []
      : invalidEach(path.child('source').child('persistentVolumeName'), volume, nameIsDnsSubdomain(volume, false))),
  ];
}

function validateUpdate(object: Frozen<VolumeAttachment>, old: Frozen<VolumeAttachment>): readonly FieldError[] {
  const changed = !deepEqual(object.spec, old.spec);
  return [
    ...validate(object),
    ...(changed ? [fieldInvalid(fieldPath('spec'), printed(object.spec), 'field is immutable')] : []),
  ];
}

const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

function validateSource(
  { persistentVolumeName, inlineVolumeSpec }: Frozen<VolumeAttachmentSource>,
  path: FieldPath,
): readonly FieldError[] {
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) return [fieldRequired(path, exactlyOne)];
  if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) return [fieldForbidden(path, exactlyOne)];
  if (persistentVolumeName === '')
    return [fieldRequired(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')];
  return inlineVolumeSpec === undefined
    ? []
    : validateVolumeSpec(inlineVolumeSpec, { path: path.child('inlineVolumeSpec'), name: '', inline: true });
}

const metadataBytesMax = 256 * 1024;
const messageBytesMax = 1024;

function validateStatus(status: Frozen<VolumeAttachmentStatus> | undefined, path: FieldPath): readonly FieldError[] {
  const { attachmentMetadata = {}, attachError, detachError } = status ?? {};
  return [
    ...(mapBytes(Object.entries(attachmentMetadata)) > metadataBytesMax
      ? [fieldTooLong(path.child('attachmentMetadata'), metadataBytesMax)]
      : []),
    ...validateError(attachError, path.child('attachError')),
    ...validateError(detachError, path.child('detachError')),
  ];
}

function validateError(
  { message = '', errorCode = 0 }: Frozen<VolumeError> = {},
  path: FieldPath,
): readonly FieldError[] {
  return [
    // The limit it prints is another one, in Kubernetes too.
    ...(utf8Length(message) > messageBytesMax ? [fieldTooLong(path.child('message'), metadataBytesMax)] : []),
    ...(errorCode < 0
      ? [fieldInvalid(path.child('errorCode'), errorCode, 'must be between 0 and 2147483647, inclusive')]
      : []),
  ];
}

/** The spec as Kubernetes prints it. */
function printed({ attacher, source, nodeName }: Frozen<VolumeAttachmentSpec>): unknown {
  const { persistentVolumeName = null, inlineVolumeSpec: spec } = source;
  return {
    Attacher: attacher,
    Source: {
      PersistentVolumeName: persistentVolumeName,
      InlineVolumeSpec: spec === undefined ? null : printedVolume(spec),
    },
    NodeName: nodeName,
  };
}

function printedVolume(spec: Frozen<PersistentVolumeSpec>): unknown {
  const source = printedVolumeSource(spec);
  return {
    Capacity: spec.capacity ?? null,
    ...(isJsonObject(source) && source),
    AccessModes: spec.accessModes ?? null,
    ClaimRef: spec.claimRef ?? null,
    PersistentVolumeReclaimPolicy: spec.persistentVolumeReclaimPolicy ?? '',
    StorageClassName: spec.storageClassName ?? '',
    MountOptions: spec.mountOptions ?? null,
    VolumeMode: spec.volumeMode ?? null,
    NodeAffinity: printedNodeAffinity(spec.nodeAffinity),
    VolumeAttributesClassName: spec.volumeAttributesClassName ?? null,
  };
}
