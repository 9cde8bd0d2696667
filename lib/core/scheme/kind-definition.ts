// The definition of one version of one kind, by a host or built in. Definitions are
// data and a few pure functions, never changed once given.
//
// Versions of a kind meet in one hub version: each of the others knows the way to the hub and back, so n versions need
// 2(n-1) functions. The hub is named in full because it may live in another group (both Events share the core one).
// The functions are written as methods so that a definition for Pods is also a definition for objects: the scheme calls
// them only with objects of their own kind.
import type { GroupVersion, GroupVersionKind } from '../objects/gvk.js';
import type { JsonObject } from '../objects/json.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import type { ApplyType } from '../ownership/apply-type.js';
import type { KindStrategy } from '../kinds/kind-strategy.js';
import type { StructType } from '../schema/type.js';

/** One version of one kind. */
export interface KindOptions<T extends ApiObject = ApiObject> extends GroupVersionKind {
  /** The schema; called on first use, so that registering costs nothing. */
  readonly type: () => StructType;
  /**
   * How field managers share the fields of an object, where `type` does not say it: for kinds with a schema of their
   * own, such as custom resources. By default it follows from `type`.
   */
  readonly applyType?: () => ApplyType;
  /** The schema of `⟨kind⟩List`. Kinds whose resource can be listed have one anyway, made from `type`. */
  readonly listType?: () => StructType;
  /**
   * Where the kind is served. Kinds that only appear in bodies and options (Scale, Eviction) have no place of their
   * own.
   */
  readonly resource?: ResourceOptions;
  /** The way to the hub. A version without one is its own hub. */
  readonly conversion?: HubConversion;
  /** On the hub only: the version storage keeps, if not the hub's own. */
  readonly storage?: GroupVersion;
  /**
   * Fills in the defaults that depend on other fields; the rest are in the schema. The object is freshly decoded,
   * not frozen, and owned by the caller alone: it is changed in place and not kept. Running twice changes nothing more.
   */
  setDefaults?(object: T): void;
  /**
   * What an API server has to know to write, delete, select and print objects of the kind: on the hub, and on versions
   * with `versionStorage`.
   */
  readonly strategy?: KindStrategy<T>;
  /**
   * Makes the version read and write the store itself instead of through its hub: custom resources, whose versions
   * differ in schema, columns and subresources, and may be converted by webhooks.
   */
  readonly versionStorage?: VersionStorage;
}

/** How a version that does not use its hub reads and writes the store. */
export interface VersionStorage {
  /**
   * Decodes a stored object of any version, fills in the defaults of that version, and brings it into this one. The
   * caller owns the result.
   */
  read(value: JsonObject): ApiObject;
  /** The object as it is stored in a version, where versions differ in their names and schemas only. */
  write(object: Frozen<ApiObject>, apiVersion: string): JsonObject;
  /**
   * Converts objects into a version of the kind, each with the apiVersion it has. Rejects with ApiError 500. Undefined
   * where versions differ in their names and schemas only.
   */
  readonly convert?: ConvertObjects;
}

/** Converts objects into the version with that apiVersion. Rejects with ApiError 500. */
export type ConvertObjects = (objects: readonly JsonObject[], apiVersion: string) => Promise<readonly JsonObject[]>;

/** What a version of a kind has beyond the tables of resources and schemas. */
export type KindParticulars = Partial<Pick<KindOptions, 'conversion' | 'storage' | 'setDefaults' | 'strategy'>>;

/** The way between one version and the hub. */
export interface HubConversion<
  T extends Frozen<ApiObject> = Frozen<ApiObject>,
  H extends Frozen<ApiObject> = Frozen<ApiObject>,
> {
  readonly hub: GroupVersionKind;
  /**
   * Pure: takes a frozen object of this version and returns one of the hub, sharing what did not change. `kind` and
   * `apiVersion` of the result do not matter, the scheme sets them.
   */
  toHub(object: T): H;
  /** The other direction, likewise. */
  fromHub(object: H): T;
  /**
   * The hub's name of a field that selectors may name in this version; undefined for others. Absent: the same names.
   */
  hubField?(field: string): string | undefined;
}

/** The endpoint of a kind. */
export interface ResourceOptions {
  readonly plural: string;
  /** The kind in lower case by default. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** The eight verbs of an ordinary resource by default. */
  readonly verbs?: readonly string[];
  readonly subresources?: readonly Subresource[];
  /** The kind of lists. Default: the kind, followed by `List`. */
  readonly listKind?: string;
  /** The Warning of responses, where the version is deprecated. */
  readonly deprecation?: string | undefined;
  /** Where the subresource `scale` reads and writes. Default: as in workloads. */
  readonly scale?: ScalePaths | undefined;
}

/** The fields of a scale, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** Of a label selector as text. */
  readonly labelSelectorPath?: string;
}

/** An endpoint below an object, such as `status` or `scale`. */
export interface Subresource {
  readonly name: string;
  /** The kind of its bodies, often another than the parent's. */
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

/** A kind as the scheme knows it: everything a host may leave out is there. */
export interface KindDefinition extends KindOptions {
  readonly hub: GroupVersionKind;
  readonly resource?: ResourceDefinition;
}

/** The endpoint of a kind, complete. */
export type ResourceDefinition = Required<ResourceOptions>;

/** A kind with an endpoint. */
export type ServedKind = KindDefinition & { readonly resource: ResourceDefinition };

/** What an ordinary resource offers, in the order of discovery. */
export const standardVerbs: readonly string[] = Object.freeze([
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]);

/** The conversion between versions that differ in nothing but their name. */
export function sameShape(hub: GroupVersionKind): HubConversion {
  return { hub, toHub: (object) => object, fromHub: (object) => object };
}
