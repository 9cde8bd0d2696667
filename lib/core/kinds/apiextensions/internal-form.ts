// How versions and schemas print in errors (go/struct-form.ts), with the unions of the API written out as the
// structures they are in Go. As the types of apiextensions-apiserver/pkg/apis/apiextensions.
import { goForms, sortedJson } from '../../go/struct-form.js';
import { isJsonObject } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import type { CustomResourceDefinitionVersion } from '../../types/apiextensions-v1.generated.js';
import type { Schema } from './schema-value.js';

/** Versions, with the parts that are not the same in all of them. */
export function printedVersions(versions: readonly Frozen<CustomResourceDefinitionVersion>[] | undefined): unknown {
  return print(
    'Version',
    versions?.map(({ schema, ...version }) => ({ ...version, ...(schema && { schema: spelledOut(schema, '') }) })),
  );
}

/** A schema. */
export function printedSchema(schema: Schema): unknown {
  return print('Schema', spelledOut(schema, ''));
}

/** Several schemas in the place of one. */
export function printedSchemaList(schemas: readonly Schema[]): unknown {
  return print('Items', { jsonSchemas: spelledOut(schemas, '') });
}

const print = /* @__PURE__ */ goForms({
  Version:
    'name! served? storage? deprecated? deprecationWarning schema:Validation subresources:Subresources additionalPrinterColumns:Column selectableFields:Selectable',
  Validation: 'openAPIV3Schema:Schema',
  Subresources: 'status scale:Scale',
  Scale: 'specReplicasPath! statusReplicasPath! labelSelectorPath',
  Column: 'name! type! format! description! priority# jsonPath=JSONPath!',
  Selectable: 'jsonPath=JSONPath!',
  Schema: [
    'id=ID! $schema=Schema! $ref=Ref description! type! nullable? format! title! default maximum exclusiveMaximum? minimum exclusiveMinimum?',
    'maxLength minLength pattern! maxItems minItems uniqueItems? multipleOf enum maxProperties minProperties required items:Items',
    'allOf:Schema oneOf:Schema anyOf:Schema not:Schema properties:{Schema} additionalProperties:Bool patternProperties:{Schema}',
    'dependencies:{Dependency} additionalItems:Bool definitions:{Schema} externalDocs:Docs example',
    'x-kubernetes-preserve-unknown-fields=XPreserveUnknownFields x-kubernetes-embedded-resource=XEmbeddedResource?',
    'x-kubernetes-int-or-string=XIntOrString? x-kubernetes-list-map-keys=XListMapKeys x-kubernetes-list-type=XListType',
    'x-kubernetes-map-type=XMapType x-kubernetes-validations=XValidations:Rule',
  ].join(' '),
  Items: 'schema:Schema jsonSchemas=JSONSchemas:Schema',
  Bool: 'allows? schema:Schema',
  Dependency: 'schema:Schema property',
  Docs: 'description! url=URL!',
  Rule: 'rule! message! messageExpression! reason fieldPath! optionalOldSelf',
});

/**
 * A copy in which every union is a structure and embedded JSON has its keys in order. `name` is the field it is in.
 */
function spelledOut(value: unknown, name: string): unknown {
  switch (name) {
    case 'default':
    case 'example':
    case 'enum':
      return sortedJson(value);
    case 'items':
      return Array.isArray(value) ? { jsonSchemas: spelledOut(value, '') } : { schema: spelledOut(value, '') };
    case 'additionalProperties':
    case 'additionalItems':
      return typeof value === 'boolean' ? { allows: value } : { allows: true, schema: spelledOut(value, '') };
    case 'dependencies':
      return mapValues(value, (item) => (Array.isArray(item) ? { property: item } : { schema: spelledOut(item, '') }));
    case 'properties':
    case 'patternProperties':
    case 'definitions':
      return mapValues(value, (item) => spelledOut(item, ''));
    default:
      if (Array.isArray(value)) return value.map((item) => spelledOut(item, ''));
      return isJsonObject(value) ? mapValues(value, spelledOut) : value;
  }
}

function mapValues(map: unknown, change: (value: unknown, key: string) => unknown): unknown {
  return isJsonObject(map)
    ? Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]))
    : map;
}
