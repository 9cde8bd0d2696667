// CustomResourceDefinition: a resource of the users' own. As
// apiextensions-apiserver/pkg/registry/customresourcedefinition and pkg/apis/apiextensions/v1/defaults.go. Serving the
// resources it defines, and accepting its names, are done elsewhere.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import { cleanupFinalizer, isDefinitionConditionTrue, withDefinitionCondition } from '../../crd/definition-status.js';
import type { ConditionState } from '../../crd/definition-status.js';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionStatus,
} from '../../types/apiextensions-v1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import type { KindStrategy, WriteContext } from '../kind-strategy.js';
import { validateDefinition, validateDefinitionStatus } from './definition-validation.js';
import { isRecognizedFormat } from './formats.js';
import { internalSpec, schemasOf } from './internal-spec.js';
import { someSchema } from './schema-walk.js';

/** The strategy of CustomResourceDefinitions. `check` is for writes whose context has none. */
export function customResourceDefinition(check: ExpressionCheck): KindStrategy<CustomResourceDefinition> {
  return {
    nameRule: nameIsDnsSubdomain,
    defaultsStatusFromSpec: true,
    prepareForCreate: storeVersion,
    prepareForUpdate: storeVersion,
    validate: (definition, { checkExpression = check }) => [
      ...validateName(definition),
      ...validateDefinition(definition, undefined, checkExpression),
    ],
    validateUpdate: (definition, old, { checkExpression = check }) =>
      validateDefinition(definition, old, checkExpression),
    warningsOnCreate: (definition) => unrecognizedFormats(definition).map(formatWarning),
    warningsOnUpdate(definition, old) {
      const known = new Set(unrecognizedFormats(old));
      return unrecognizedFormats(definition)
        .filter((format) => !known.has(format))
        .map(formatWarning);
    },
    changesGeneration: (definition, old) => !deepEqual(definition.spec, old.spec),
    requiresResourceVersion: true,
    // The first request marks the definition; it goes when its custom resources are deleted.
    holdsDeletion: ({ metadata }) => metadata?.deletionTimestamp === undefined,
    prepareForDelete: beginDeletion,
    // Metadata may change here too: Kubernetes means to keep it, but keeps the new one.
    subresources: { status: { validateUpdate: (definition) => validateDefinitionStatus(definition) } },
  };
}

/** Adds the finalizer and the condition of a definition whose custom resources are about to be deleted. */
function beginDeletion(definition: CustomResourceDefinition, { now }: WriteContext): void {
  const { finalizers = [] } = definition.metadata ?? {};
  if (!finalizers.includes(cleanupFinalizer))
    definition.metadata = { ...definition.metadata, finalizers: [...finalizers, cleanupFinalizer] };
  if (isDefinitionConditionTrue(definition, 'Terminating')) return;
  const state: ConditionState = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  definition.status = withDefinitionCondition(definition.status, state, now) as CustomResourceDefinitionStatus;
}

/** Fills in what follows from the kind's name and from the versions. */
export function customResourceDefinitionDefaults({ spec, status }: CustomResourceDefinition): void {
  const { names } = spec;
  names.singular ??= names.kind.toLowerCase();
  if (names.singular === '') delete names.singular;
  if (names.kind !== '') names.listKind ??= `${names.kind}List`;
  spec.conversion ??= { strategy: 'None' };
  if (status === undefined || (status.storedVersions ?? []).length > 0) return;
  const stored = storageVersion(spec);
  if (stored !== undefined) status.storedVersions = [stored];
}

/** Remembers that objects may be stored in the version now used for that. */
function storeVersion(definition: CustomResourceDefinition): void {
  const stored = storageVersion(definition.spec);
  const { storedVersions = [] } = definition.status ?? {};
  if (stored === undefined || storedVersions.includes(stored)) return;
  definition.status = { ...definition.status, storedVersions: [...storedVersions, stored] };
}

function storageVersion({ versions }: Partial<CustomResourceDefinition['spec']>): string | undefined {
  return versions?.find(({ storage }) => storage)?.name;
}

function validateName({ metadata, spec }: Frozen<CustomResourceDefinition>): readonly FieldError[] {
  const required = `${spec.names.plural}.${spec.group}`;
  const { name = '', generateName = '' } = metadata ?? {};
  const path = fieldPath('metadata');
  const sentence = 'must be spec.names.plural+"."+spec.group';
  return [
    ...(generateName !== '' && generateName !== required
      ? [fieldInvalid(path.child('generateName'), generateName, sentence)]
      : []),
    ...(name !== '' && name !== required ? [fieldInvalid(path.child('name'), name, sentence)] : []),
  ];
}

function formatWarning(format: string): string {
  return `unrecognized format ${quote(format)}`;
}

/** In the order they stand, each as often as it does. */
function unrecognizedFormats({ spec }: Frozen<CustomResourceDefinition>): readonly string[] {
  const found: string[] = [];
  for (const schema of schemasOf(internalSpec(spec))) {
    someSchema(schema, ({ format = '', type = '' }) => {
      if (format !== '' && !isRecognizedFormat(format, type)) found.push(format);
      return false;
    });
  }
  return found;
}
