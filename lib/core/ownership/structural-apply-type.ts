// The schema contract of field ownership for OpenAPI v3 schemas: structural schemas of custom resources, and JSON
// schemas of the host's kinds. As kube-openapi/pkg/schemaconv/openapi.go.
import type { JsonObject, JsonValue } from '../objects/json.js';
import { isJsonObject } from '../objects/json.js';
import { once } from '../schema/type.js';
import type { ApplyList, ApplyMap, ApplyType } from './apply-type.js';
import { deducedType, noFields, untypedAtomic } from './apply-type.js';
import { fieldElement } from './path-element.js';

/** Options of `structuralApplyType`. */
export interface StructuralTypeOptions {
  /** Whether fields that the schema does not declare are kept everywhere, as `spec.preserveUnknownFields` says. */
  readonly preservesUnknownFields?: boolean;
  /** Types of declared members of the root that replace those of the schema: `metadata` of an object. */
  readonly members?: Readonly<Record<string, ApplyType>>;
}

/** Returns the type of a schema; nested types are made on first use. */
export function structuralApplyType(
  schema: JsonObject,
  { preservesUnknownFields = false, members = {} }: StructuralTypeOptions = {},
): ApplyType {
  return typeOf(schema, preservesUnknownFields, members);
}

function typeOf(schema: JsonObject, inherited: boolean, members: Readonly<Record<string, ApplyType>> = {}): ApplyType {
  const preserves = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object':
      return { map: mapOf(schema, preserves, members) };
    case 'array':
      return { list: listOf(schema, preserves) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: plainFormats.has(schema.format) ? 'string' : 'untyped' };
    default:
      return { scalar: 'untyped', list: listOf(schema, preserves), map: mapOf(schema, preserves, members) };
  }
}

/** Formats that Go decodes into a string. */
const plainFormats: ReadonlySet<JsonValue | undefined> = new Set([undefined, '', 'byte']);

function mapOf(schema: JsonObject, preserves: boolean, members: Readonly<Record<string, ApplyType>>): ApplyMap {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const fields = once(() => {
    const made = noFields();
    for (const [name, member] of Object.entries(properties)) {
      const type = once(() => typeOf(isJsonObject(member) ? member : {}, preserves));
      made[name] = {
        element: fieldElement(name),
        default: isJsonObject(member) ? member.default : undefined,
        isNullable: false,
        get type() {
          return type();
        },
      };
    }
    for (const [name, type] of Object.entries(members))
      made[name] = { element: fieldElement(name), type, isNullable: false };
    return made;
  });
  const values = once(() => valuesOf(schema, preserves, Object.keys(properties).length + Object.keys(members).length));
  return {
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    get fields() {
      return fields();
    },
    get values() {
      return values();
    },
  };
}

function valuesOf(schema: JsonObject, preserves: boolean, declared: number): ApplyType | undefined {
  const additional = schema.additionalProperties;
  if (isJsonObject(additional)) return typeOf(additional, preserves);
  if (additional === undefined) return preserves || declared === 0 ? deducedType : undefined;
  return additional === true ? deducedType : undefined;
}

function listOf(schema: JsonObject, preserves: boolean): ApplyList {
  const items = once(() => {
    const item = schema.items;
    return isJsonObject(item) ? typeOf(item, preserves) : untypedAtomic;
  });
  const keys = schema['x-kubernetes-list-map-keys'];
  const listType = schema['x-kubernetes-list-type'];
  return {
    relation: listType === 'map' || listType === 'set' ? listType : 'atomic',
    keys: listType === 'map' && Array.isArray(keys) ? keys.map(String) : [],
    get items() {
      return items();
    },
  };
}
