// CSIDrivers: what a storage driver can do and wants done for it.
// As pkg/registry/storage/csidriver/strategy.go and pkg/apis/storage/validation, ValidateCSIDriver.
import { collect, findingsMax } from '../../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldNotSupported } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { validateImmutable } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { CSIDriver, CSIDriverSpec, TokenRequest } from '../../types/storage-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable, TableColumn } from '../kind-table.js';
import { printedWord } from '../printed-values.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';

const table: KindTable<CSIDriver> = {
  columns: [
    nameColumn,
    flagColumn('AttachRequired', 'Whether volumes must be attached to a node first.'),
    flagColumn('PodInfoOnMount', 'Whether mounts pass information about the pod to the driver.'),
    flagColumn('StorageCapacity', 'Whether pods wait for capacity to be published.'),
    textColumn('TokenRequests', 'The audiences of the tokens the driver gets.'),
    flagColumn('RequiresRepublish', 'Whether volumes are published again and again.'),
    textColumn('Modes', 'The kinds of volumes the driver has.'),
    ageColumn,
  ],
  row: (object, now) => {
    const {
      attachRequired = true,
      podInfoOnMount = false,
      storageCapacity = false,
      requiresRepublish = false,
      tokenRequests,
      volumeLifecycleModes = [],
    } = object.spec;
    const audiences = tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>';
    const modes = volumeLifecycleModes.join(',');
    return {
      cells: [
        object.metadata?.name ?? '',
        attachRequired,
        podInfoOnMount,
        storageCapacity,
        audiences,
        requiresRepublish,
        modes === '' ? '<none>' : modes,
        age(object, now),
      ],
    };
  },
};

/** The strategy of CSIDrivers. */
export const csiDriver: KindStrategy<CSIDriver> = {
  nameRule: nameIsDnsSubdomain,
  prepareForCreate: ({ spec }) => {
    delete spec.preventPodSchedulingIfMissing;
  },
  prepareForUpdate: (object, old) => {
    if (old.spec.preventPodSchedulingIfMissing === undefined) delete object.spec.preventPodSchedulingIfMissing;
    // A new driver has no generation: only changes are counted.
    if (!deepEqual(object.spec, old.spec))
      object.metadata = { ...object.metadata, generation: (old.metadata?.generation ?? 0) + 1 };
  },
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec }, old) => [
    ...validateSpec(spec),
    // The first name is wrong in Kubernetes too.
    ...validateImmutable(spec.attachRequired, old.spec.attachRequired, fieldPath('spec', 'attachedRequired')),
    ...validateImmutable(
      spec.volumeLifecycleModes,
      old.spec.volumeLifecycleModes,
      fieldPath('spec', 'volumeLifecycleModes'),
    ),
  ],
  warningsOnCreate: ({ spec }) => tokenWarnings(spec),
  warningsOnUpdate: ({ spec }, old) =>
    deepEqual(spec.tokenRequests, old.spec.tokenRequests) ? [] : tokenWarnings(spec),
  requiresResourceVersion: true,
  answersDeleted: true,
  table,
};

function flagColumn(name: string, description: string): TableColumn {
  return { name, type: 'boolean', description, priority: 0 };
}

const fsGroupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycleModes = ['Persistent', 'Ephemeral'];

function validateSpec(spec: Frozen<CSIDriverSpec>): readonly FieldError[] {
  const {
    fsGroupPolicy,
    tokenRequests = [],
    volumeLifecycleModes = [],
    nodeAllocatableUpdatePeriodSeconds: period,
    serviceAccountTokenInSecrets,
  } = spec;
  const path = fieldPath('spec');
  const errors = [...validateTokenRequests(tokenRequests, path.child('tokenRequests'))];
  if (fsGroupPolicy !== undefined && !fsGroupPolicies.includes(fsGroupPolicy)) {
    errors.unshift(fieldNotSupported(path.child('fsGroupPolicy'), printedWord(fsGroupPolicy), fsGroupPolicies));
  }
  for (const mode of volumeLifecycleModes) {
    if (errors.length > findingsMax) break;
    if (!lifecycleModes.includes(mode))
      errors.push(fieldNotSupported(path.child('volumeLifecycleModes'), printedWord(mode), lifecycleModes));
  }
  if (period !== undefined && period < periodSecondsMin) {
    errors.push(
      fieldInvalid(
        path.child('nodeAllocatableUpdatePeriodSeconds'),
        period,
        'must be greater than or equal to 10 seconds',
      ),
    );
  }
  if (serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0) {
    const sentence = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
    errors.push(fieldInvalid(path.child('serviceAccountTokenInSecrets'), serviceAccountTokenInSecrets, sentence));
  }
  return errors;
}

const periodSecondsMin = 10;
const tokenSecondsMin = 600;
const tokenSecondsMax = 2 ** 32;

function validateTokenRequests(requests: readonly Frozen<TokenRequest>[], path: FieldPath): readonly FieldError[] {
  const audiences = new Set<string>();
  return collect(requests, ({ audience, expirationSeconds: seconds }, index) => {
    const at = path.index(index);
    if (audiences.has(audience)) return [fieldDuplicate(at.child('audience'), audience)];
    audiences.add(audience);
    if (seconds === undefined) return [];
    if (seconds < tokenSecondsMin)
      return [fieldInvalid(at.child('expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes')];
    return seconds > tokenSecondsMax
      ? [fieldInvalid(at.child('expirationSeconds'), seconds, 'may not specify a duration larger than 2^32 seconds')]
      : [];
  });
}

function tokenWarnings({ tokenRequests = [], serviceAccountTokenInSecrets }: Frozen<CSIDriverSpec>): readonly string[] {
  return tokenRequests.length > 0 && serviceAccountTokenInSecrets === undefined ? [tokenWarning] : [];
}

const tokenWarning =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';
