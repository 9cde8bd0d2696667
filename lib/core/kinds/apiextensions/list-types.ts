// How lists and maps merge: as one value, as a set, by keys. As
// apiextensions-apiserver/pkg/apis/apiextensions/validation, the part about x-kubernetes-list-type and
// x-kubernetes-map-type.
import { findingsMax } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { printedSchemaList } from './internal-form.js';
import type { Schema } from './schema-value.js';
import { isSchemaList, itemSchema } from './schema-walk.js';

type FieldErrors = readonly FieldError[];

/** Which rules hold: an old definition may break those that came after it. */
export interface ListTypeRules {
  readonly requireAtomicSets: boolean;
  readonly requireMapKeys: boolean;
}

/** Validates the list or map type of one schema. */
export function validateListAndMapTypes(schema: Schema, path: FieldPath, rules: ListTypeRules): FieldErrors {
  const {
    'x-kubernetes-map-type': mapType,
    'x-kubernetes-list-type': listType,
    'x-kubernetes-list-map-keys': keys = [],
  } = schema;
  const { type = '' } = schema;
  const errors: FieldError[] = [];
  if (mapType !== undefined) {
    if (type !== 'object') errors.push(wrongType(type, path, 'must be object if x-kubernetes-map-type is specified'));
    if (mapType !== 'atomic' && mapType !== 'granular')
      errors.push(fieldNotSupported(path.child('x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  }
  if (listType !== undefined && type !== 'array')
    errors.push(wrongType(type, path, 'must be array if x-kubernetes-list-type is specified'));
  else if (rules.requireAtomicSets) errors.push(...validateSetItems(schema, path));
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType)) {
    errors.push(fieldNotSupported(path.child('x-kubernetes-list-type'), listType, ['atomic', 'set', 'map']));
  }
  if (keys.length > 0 && listType !== 'map') {
    const rule = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = path.child('x-kubernetes-list-type');
    errors.push(listType === undefined ? fieldRequired(at, rule) : fieldInvalid(at, listType, rule));
  }
  if (listType === 'map') errors.push(...validateMapList(schema, path));
  return rules.requireMapKeys ? [...errors, ...validateMapKeys(schema, path)] : errors;
}

/** Items of a set must be atomic, or two of them could not be compared. */
export function validateSetItems(schema: Schema, path: FieldPath): FieldErrors {
  const items = itemSchema(schema);
  if (schema['x-kubernetes-list-type'] !== 'set' || items === undefined) return [];
  const { 'x-kubernetes-list-type': listType, 'x-kubernetes-map-type': mapType } = items;
  const rule = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [fieldInvalid(path.child('items').child('x-kubernetes-list-type'), listType, rule)];
  }
  // Kubernetes prints the list type here as well.
  if (items.type === 'object' && mapType !== 'atomic')
    return [fieldInvalid(path.child('items').child('x-kubernetes-map-type'), listType ?? null, rule)];
  return [];
}

/** Keys must always have a value; items of sets and maps must not be null. */
export function validateMapKeys(schema: Schema, path: FieldPath): FieldErrors {
  const items = itemSchema(schema);
  const { 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const errors =
    items.nullable === true
      ? [
          fieldForbidden(
            path.child('items').child('nullable'),
            `cannot be nullable when x-kubernetes-list-type is ${listType}`,
          ),
        ]
      : [];
  if (listType === 'set') return errors;
  const required = new Set(items.required);
  for (const key of keys) {
    if (errors.length > findingsMax) break;
    const property = ownProperty(items, key);
    const at = path.child('items').child('properties').key(key);
    const why = 'this property is in x-kubernetes-list-map-keys, so it';
    if (property === undefined) continue;
    if (!required.has(key) && property.default === undefined) {
      errors.push(fieldRequired(at.child('default'), `${why} must have a default or be a required property`));
    }
    if (property.nullable === true) errors.push(fieldForbidden(at.child('nullable'), `${why} cannot be nullable`));
  }
  return errors;
}

function wrongType(type: string, path: FieldPath, rule: string): FieldError {
  return type === '' ? fieldRequired(path.child('type'), rule) : fieldInvalid(path.child('type'), type, rule);
}

function validateMapList(schema: Schema, path: FieldPath): FieldErrors {
  const { items, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  const keysPath = path.child('x-kubernetes-list-map-keys');
  const itemsPath = path.child('items');
  const errors =
    keys.length === 0 ? [fieldRequired(keysPath, 'must not be empty if x-kubernetes-list-type is map')] : [];
  if (items === undefined)
    return [...errors, fieldRequired(itemsPath, 'must have a schema if x-kubernetes-list-type is map')];
  if (isSchemaList(items)) {
    return [
      ...errors,
      fieldInvalid(
        itemsPath,
        printedSchemaList(items),
        'must only have a single schema if x-kubernetes-list-type is map',
      ),
    ];
  }
  if (items.type !== 'object') {
    return [
      ...errors,
      fieldInvalid(
        itemsPath.child('type'),
        items.type ?? '',
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    ];
  }
  const seen = new Set<string>();
  for (const key of keys) {
    if (errors.length > findingsMax) break;
    const property = ownProperty(items, key);
    if (property === undefined)
      errors.push(fieldInvalid(keysPath, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      const rule = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      // Kubernetes prints the type of the item, not that of the key.
      errors.push(fieldInvalid(itemsPath.child('properties').key(key).child('type'), items.type, rule));
    }
    if (seen.has(key)) errors.push(fieldInvalid(keysPath, keys, 'must not contain duplicate entries'));
    seen.add(key);
  }
  return errors;
}

function ownProperty({ properties = {} }: Schema, name: string): Schema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
