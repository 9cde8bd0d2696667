// CSINodes: the storage drivers of a node; the name is the node's.
// As pkg/registry/storage/csinode/strategy.go and pkg/apis/storage/validation, ValidateCSINode.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, isQualifiedName, nameIsDnsSubdomain } from '../../objects/names.js';
import { deepEqual } from '../../objects/json.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import type { CSINode, CSINodeDriver, CSINodeSpec } from '../../types/storage-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import { age, ageColumn, integerColumn, nameColumn } from '../table-cells.js';
import { validateDriverName } from '../driver-name.js';

/** The strategy of CSINodes. */
export const csiNode: KindStrategy<CSINode> = {
  nameRule: nameIsDnsSubdomain,
  validate: ({ spec }) => validateDrivers(spec),
  validateUpdate: ({ spec }, old) => [...validateDrivers(spec), ...validateSameDrivers(spec, old.spec)],
  requiresResourceVersion: true,
  answersDeleted: true,
  table: {
    columns: [nameColumn, integerColumn('Drivers', 'How many drivers the node has.'), ageColumn],
    row: (object, now) => ({ cells: [object.metadata?.name ?? '', driversOf(object.spec).length, age(object, now)] }),
  },
};

const path: FieldPath = fieldPath('spec', 'drivers');
const nodeIdBytesMax = 256;

function driversOf({ drivers = [] }: Partial<Frozen<CSINodeSpec>>): readonly Frozen<CSINodeDriver>[] {
  return drivers;
}

function validateDrivers(spec: Frozen<CSINodeSpec>): readonly FieldError[] {
  const names = new Set<string>();
  return collect(driversOf(spec), ({ name, nodeID, allocatable, topologyKeys = [] }, index) => {
    const at = path.index(index);
    const repeated = names.has(name);
    names.add(name);
    return [
      ...validateDriverName(name, at.child('name')),
      ...validateNodeId(nodeID, at.child('nodeID')),
      ...validateNonNegative(allocatable?.count ?? 0, at.child('allocatable').child('count')),
      ...(repeated ? [fieldDuplicate(at.child('name'), name)] : []),
      ...validateTopologyKeys(topologyKeys, at),
    ];
  });
}

function validateNodeId(nodeId: string, at: FieldPath): readonly FieldError[] {
  if (nodeId === '') return [fieldRequired(at)];
  return utf8Length(nodeId) > nodeIdBytesMax
    ? [fieldInvalid(at, nodeId, `must be ${nodeIdBytesMax} characters or less`)]
    : [];
}

/** The errors name the driver, not the key, as Kubernetes has it. */
function validateTopologyKeys(keys: readonly string[], at: FieldPath): readonly FieldError[] {
  const seen = new Set<string>();
  return collect(keys, (key) => {
    const repeated = seen.has(key);
    seen.add(key);
    return [
      ...(key === '' ? [fieldRequired(at)] : []),
      ...(repeated ? [fieldDuplicate(at, key)] : []),
      ...invalidEach(at, key, isQualifiedName(key)),
    ];
  });
}

/** Drivers may come and go, but only how much they can take may change. */
function validateSameDrivers(spec: Frozen<CSINodeSpec>, old: Frozen<CSINodeSpec>): readonly FieldError[] {
  // A list that was accepted has each name once.
  const known = new Map(driversOf(old).map((driver) => [driver.name, printed(driver)]));
  return collect(driversOf(spec), (driver) => {
    const changed = known.has(driver.name) && !deepEqual(printed(driver), known.get(driver.name));
    return changed ? [fieldInvalid(path, printed(driver), 'field is immutable')] : [];
  });
}

/** The driver as Kubernetes compares and prints it. */
function printed({ name, nodeID, topologyKeys }: Frozen<CSINodeDriver>): unknown {
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys ?? null, Allocatable: null };
}
