// The rules of custom resource definitions. What an old definition broke, because the rule came later, its successor
// may break too: the options below ask the old one.
// As apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
import { collect, findingsMax, visitUntilFull } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { isPrintable } from '../../go/format.js';
import { utf8Length, isDns1035Label, isDns1123Subdomain } from '../../objects/names.js';
import { deepEqual } from '../../objects/json.js';
import { validateImmutable } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import type { CustomResourceDefinition } from '../../types/apiextensions-v1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import { printedWord } from '../printed-values.js';
import { validateApproval } from './api-approval.js';
import { isEstablished, validateConversion } from './conversion-validation.js';
import { printedVersions } from './internal-form.js';
import { internalSpec, schemaOf, schemasOf } from './internal-spec.js';
import type { InternalSpec, CrdVersion } from './internal-spec.js';
import { validateNames, validateRequiredNames } from './names-validation.js';
import { schemaOptions, validateVersionSchema } from './version-schema.js';
import type { SchemaOptions } from './version-schema.js';
import { validateColumn, validateSelectableFields, validateSubresources } from './version-parts.js';
import { someSchema } from './schema-walk.js';

type FieldErrors = readonly FieldError[];
type Definition = Frozen<CustomResourceDefinition>;

/** Validates a definition; `old` is the one it replaces. */
export function validateDefinition(
  definition: Definition,
  old: Definition | undefined,
  check: ExpressionCheck,
): FieldErrors {
  const spec = internalSpec(definition.spec);
  const before = old && internalSpec(old.spec);
  const errors = [...validateSpec(spec, { old, check, schemas: schemaOptions(spec, before, check) })];
  if (old !== undefined) {
    const path = fieldPath('spec');
    if (isEstablished(old)) {
      if (spec.scope !== old.spec.scope)
        errors.push(fieldInvalid(path.child('scope'), printedWord(spec.scope), 'field is immutable'));
      errors.push(...validateImmutable(spec.names.kind, old.spec.names.kind, path.child('names').child('kind')));
    }
    errors.push(...validateImmutable(spec.group, old.spec.group, path.child('group')));
    errors.push(...validateImmutable(spec.names.plural, old.spec.names.plural, path.child('names').child('plural')));
  }
  errors.push(
    ...validateDefinitionStatus(definition),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, old),
  );
  if (spec.preserveUnknownFields === true && old?.spec.preserveUnknownFields !== true) {
    const advice =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(fieldInvalid(fieldPath('spec', 'preserveUnknownFields'), true, advice));
  }
  return errors;
}

/** Validates a status. */
export function validateDefinitionStatus({ status }: Definition): FieldErrors {
  return status?.acceptedNames === undefined
    ? []
    : validateNames(status.acceptedNames, fieldPath('status', 'acceptedNames'));
}

/** Versions in which objects may still be stored: each must be there, and the one now used for storage among them. */
function validateStoredVersions({ spec, status }: Definition): FieldErrors {
  const path = fieldPath('status', 'storedVersions');
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [fieldInvalid(path, null, 'must have at least one stored version')];
  const versions = (spec as Partial<typeof spec>).versions ?? [];
  // Of versions of one name only the first counts as stored, as in Kubernetes.
  const missing = new Map(stored.map((name, index) => [name, index]));
  const errors: FieldError[] = [];
  for (const { name, storage } of versions) {
    if (errors.length > findingsMax) break;
    if (!missing.delete(name) && storage)
      errors.push(fieldInvalid(path, stored, `must have the storage version ${name}`));
  }
  for (const [name, index] of missing) {
    if (errors.length > findingsMax) break;
    const until = `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(
      fieldInvalid(
        path.index(index),
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ${until}`,
      ),
    );
  }
  return errors;
}

interface Options {
  readonly old: Definition | undefined;
  readonly check: ExpressionCheck;
  readonly schemas: SchemaOptions;
}

function validateSpec(spec: InternalSpec, options: Options): FieldErrors {
  const path = fieldPath('spec');
  const { group, scope, versions, names, conversion, preserveUnknownFields: preserving = false } = spec;
  const errors = [
    ...validateGroup(group, path.child('group')),
    ...validateScope(scope, path.child('scope')),
    ...validateSchemasPresent(spec, path, options),
  ];
  const hasDefaults = schemasOf(spec).some((schema) => someSchema(schema, (inner) => inner.default !== undefined));
  if (hasDefaults && preserving) {
    errors.push(
      fieldInvalid(path.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema'),
    );
  }
  visitUntilFull(versions, errors, (version, index) => {
    const at = path.child('versions').index(index);
    const wrong = isDns1035Label(version.name);
    if (wrong.length > 0) errors.push(fieldInvalid(at.child('name'), version.name, wrong.join(',')));
    errors.push(...validateVersion(version, at, { spec, ...options }));
  });
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(fieldInvalid(path.child('versions'), printedVersions(versions), 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const printed = spec.listsVersions ? printedVersions(versions) : null;
    errors.push(
      fieldInvalid(path.child('versions'), printed, 'must have exactly one version marked as storage version'),
    );
  }
  const [first] = versions;
  const wrongFirst = first === undefined || first.name === '' ? [] : isDns1035Label(first.name);
  if (wrongFirst.length > 0) errors.push(fieldInvalid(path.child('version'), first?.name, wrongFirst.join(',')));
  errors.push(...validateRequiredNames(names, path.child('names')), ...validateNames(names, path.child('names')));
  errors.push(...validateShared(spec, path, options));
  if (conversion !== undefined && conversion.strategy !== 'None' && preserving) {
    errors.push(
      fieldInvalid(
        path.child('conversion').child('strategy'),
        printedWord(conversion.strategy),
        'must be None if spec.preserveUnknownFields is true',
      ),
    );
  }
  return [...errors, ...validateConversion(conversion, options.old)];
}

function validateGroup(group: string, path: FieldPath): FieldErrors {
  if (group === '') return [fieldRequired(path)];
  const wrong = isDns1123Subdomain(group);
  if (wrong.length > 0) return [fieldInvalid(path, group, wrong.join(','))];
  return group.includes('.') ? [] : [fieldInvalid(path, group, 'should be a domain with at least one dot')];
}

function validateScope(scope: string, path: FieldPath): FieldErrors {
  if (scope === '') return [fieldRequired(path)];
  return scope === 'Cluster' || scope === 'Namespaced'
    ? []
    : [fieldNotSupported(path, scope, ['Cluster', 'Namespaced'])];
}

/**
 * Every version needs a schema; of an old definition without some, only those served, and only if unknown fields go.
 */
function validateSchemasPresent(
  { shared, versions, preserveUnknownFields }: InternalSpec,
  path: FieldPath,
  { old }: Options,
): FieldErrors {
  if (schemaOf(shared) !== undefined) return [];
  const strict =
    old === undefined ||
    (old.spec as Partial<typeof old.spec>).versions?.every((version) => schemaOf(version) !== undefined) !== false;
  if (!strict && preserveUnknownFields === true) return [];
  return collect(versions, (version, index) => {
    if (schemaOf(version) !== undefined || (!strict && !version.served)) return [];
    const at = path.child('versions').index(index).child('schema').child('openAPIV3Schema');
    return [fieldRequired(at, strict ? '' : 'because otherwise all fields are pruned')];
  });
}

function validateVersion(
  version: CrdVersion,
  path: FieldPath,
  { spec, schemas, old }: Options & { readonly spec: InternalSpec },
): FieldErrors {
  const { deprecationWarning, subresources, additionalPrinterColumns = [], selectableFields = [] } = version;
  // Whether any version has subresources of its own: then those of this version count, else the shared ones.
  const own = spec.versions.some((each) => each.subresources !== undefined);
  const hasStatus = (own ? subresources : spec.shared.subresources)?.status !== undefined;
  const errors = deprecationProblems(version).map((problem) =>
    fieldInvalid(path.child('deprecationWarning'), deprecationWarning, problem),
  );
  errors.push(
    ...validateVersionSchema(version.schema, path.child('schema'), {
      ...schemas,
      hasStatus,
      unchanged: schemas.unchanged.has(version.name),
    }),
  );
  errors.push(...validateSubresources(subresources, path.child('subresources')));
  visitUntilFull(additionalPrinterColumns, errors, (column, index) =>
    errors.push(...validateColumn(column, path.child('additionalPrinterColumns').index(index))),
  );
  if (selectableFields.length === 0) return errors;
  const at = path.child('selectableFields');
  const schema = schemaOf(version);
  if (schema === undefined)
    return [...errors, fieldInvalid(at, '', 'may only be set when `version.schema.openAPIV3Schema` is not included')];
  const before = old?.spec.versions.find(({ name }) => name === version.name)?.selectableFields;
  const keepsMany = deepEqual(selectableFields, before);
  return [
    ...errors,
    ...validateSelectableFields(selectableFields, schema, at, {
      schemaPath: path.child('schema.openAPIV3Schema'),
      keepsMany,
    }),
  ];
}

function deprecationProblems({ deprecated = false, deprecationWarning: warning }: CrdVersion): readonly string[] {
  if (warning === undefined) return [];
  if (!deprecated) return ['can only be set for deprecated versions'];
  const problems: string[] = [];
  if (utf8Length(warning) > 256) problems.push('must be <= 256 characters long');
  if (warning === '') problems.push('must not be an empty string');
  let bytes = 0;
  for (const character of warning) {
    if (!isPrintable(character)) {
      problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${bytes}`);
      break;
    }
    bytes += utf8Length(character);
  }
  return problems;
}

/** What all versions share. */
function validateShared({ shared, versions }: InternalSpec, path: FieldPath, { schemas, old }: Options): FieldErrors {
  const { subresources, additionalPrinterColumns = [], selectableFields = [] } = shared;
  const hasStatus = [shared, ...versions].some((version) => version.subresources?.status !== undefined);
  const unchanged = schemas.unchanged.has(versions[0]?.name ?? '');
  const errors = [
    ...validateVersionSchema(shared.schema, path.child('validation'), { ...schemas, hasStatus, unchanged }),
  ];
  errors.push(...validateSubresources(subresources, path.child('subresources')));
  visitUntilFull(additionalPrinterColumns, errors, (column, index) =>
    errors.push(...validateColumn(column, path.child('additionalPrinterColumns').index(index))),
  );
  if (selectableFields.length === 0) return errors;
  const at = path.child('selectableFields');
  const schema = schemaOf(shared);
  if (shared.schema === undefined)
    return [...errors, fieldInvalid(at, '', 'may only be set when validations.schema is included')];
  const keepsMany = old !== undefined && deepEqual(selectableFields, internalSpec(old.spec).shared.selectableFields);
  return [
    ...errors,
    ...validateSelectableFields(selectableFields, schema ?? {}, at, {
      schemaPath: path.child('schema.openAPIV3Schema'),
      keepsMany,
    }),
  ];
}
