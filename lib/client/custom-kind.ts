// Custom kinds with types: `crd({ group, version, kind, schema })` takes a schema literal and returns the definition to
// install, and a client whose objects have the type that the schema describes. Nothing is generated: the compiler
// derives the type from the literal.
import { deepEqual } from '../core/index.js';
import type { ApiObject, Frozen } from '../core/index.js';
import type { CustomResourceDefinition, JSONSchemaProps, ObjectMeta } from '../core/types/index.js';
import type { Client } from './client.js';
import type { ResourceClient } from './resources/resource-client.js';

/** The value that a schema describes. What the schema does not type is `unknown`. */
export type SchemaValue<S> = S extends { readonly nullable: true }
  ? SchemaContent<Omit<S, 'nullable'>> | null
  : SchemaContent<S>;

type SchemaContent<S> = S extends { readonly 'x-kubernetes-int-or-string': true }
  ? number | string
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly type: 'string' }
      ? string
      : S extends { readonly type: 'integer' | 'number' }
        ? number
        : S extends { readonly type: 'boolean' }
          ? boolean
          : S extends { readonly type: 'array'; readonly items: infer I }
            ? SchemaValue<I>[]
            : S extends { readonly type: 'object' }
              ? SchemaMembers<S>
              : unknown;

type SchemaMembers<S> = S extends { readonly properties: infer P }
  ? Simplified<
      { -readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: SchemaValue<P[K]> } & {
        -readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: SchemaValue<P[K]>;
      }
    >
  : S extends { readonly additionalProperties: infer V }
    ? Record<string, SchemaValue<V>>
    : Record<string, unknown>;

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

type Simplified<T> = { [K in keyof T]: T[K] };

/** The objects of a custom kind: those of its schema, with the metadata of every object. */
export type CustomObject<S> = ApiObject &
  Omit<SchemaMembers<S>, 'apiVersion' | 'kind' | 'metadata'> & {
    apiVersion?: string;
    kind?: string;
    metadata?: ObjectMeta;
  };

/** A custom kind with one version. */
export interface CustomKindSpec<S> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Default: the kind in lower case with an `s`. */
  readonly plural?: string;
  /** Default: `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** The structural schema of objects, as a literal. */
  readonly schema: S;
  readonly subresources?: CustomResourceDefinition['spec']['versions'][number]['subresources'];
  readonly printerColumns?: CustomResourceDefinition['spec']['versions'][number]['additionalPrinterColumns'];
  readonly selectableFields?: CustomResourceDefinition['spec']['versions'][number]['selectableFields'];
}

/** A custom kind. */
export interface CustomKind<T extends ApiObject> {
  readonly definition: CustomResourceDefinition;
  /** Returns the client of the kind. Sends no request. */
  client(client: Client): ResourceClient<T>;
  /** Creates or replaces the definition, waits until it is established, and resolves to the client of the kind. */
  install(client: Client): Promise<ResourceClient<T>>;
}

/** Returns the custom kind of a schema literal. */
export function crd<const S>(spec: CustomKindSpec<S>): CustomKind<CustomObject<S>> {
  const { group, version, kind, plural = `${kind.toLowerCase()}s`, scope = 'Namespaced' } = spec;
  const name = `${plural}.${group}`;
  const definition = definitionOf(spec, name, plural, scope);
  const clientOf = (client: Client): ResourceClient<CustomObject<S>> =>
    client.resource<CustomObject<S>>({
      group,
      version,
      kind,
      resource: plural,
      namespaced: scope === 'Namespaced',
    });
  return {
    definition,
    client: clientOf,
    async install(client) {
      const definitions = client.kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
      if ((await definitions.find(name)) === undefined) await definitions.create(definition);
      else
        await definitions.modify(name, (found) => {
          const wanted = {
            ...found.spec,
            ...definition.spec,
            names: { ...found.spec.names, ...definition.spec.names },
          };
          return deepEqual(found.spec, wanted) ? found : { ...found, spec: wanted };
        });
      await definitions.waitFor(name, isEstablished);
      return clientOf(client);
    },
  };
}

function definitionOf<S>(
  spec: CustomKindSpec<S>,
  name: string,
  plural: string,
  scope: 'Namespaced' | 'Cluster',
): CustomResourceDefinition {
  const { group, version, kind, schema, subresources, printerColumns, selectableFields } = spec;
  const { shortNames, categories } = spec;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group,
      scope,
      names: {
        plural,
        kind,
        ...(shortNames && { shortNames: [...shortNames] }),
        ...(categories && { categories: [...categories] }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          // The server refuses what is no schema.
          schema: { openAPIV3Schema: schema as JSONSchemaProps },
          ...(subresources && { subresources }),
          ...(printerColumns && { additionalPrinterColumns: printerColumns }),
          ...(selectableFields && { selectableFields }),
        },
      ],
    },
  };
}

function isEstablished(definition: Frozen<CustomResourceDefinition> | undefined): boolean {
  return (
    definition?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
  );
}
