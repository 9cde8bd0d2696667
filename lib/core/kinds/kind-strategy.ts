// What is particular to a kind when its objects are written, deleted, selected and printed: the one contract between a
// kind's own file and the API server, for built-in kinds and a host's alike. Everything is optional but the name rule;
// what stands here is never asked twice for one write, except when another writer was faster and the write repeats.
//
// A strategy works on the hub version of its kind (kind-definition.ts). The order of a write is: decode and default →
// `prepare…` → generation → `validate…`, which also checks metadata by the name rule → `warnings…` → commit.
// As apiserver/pkg/registry/rest/{create,update,delete}.go. The functions are methods so that a strategy of Pods is
// also one of objects: the server calls it only with objects of its own kind; F is always Frozen<T>, spelled out
// because the compiler cannot see through it.
import type { FieldError } from '../errors/field-error.js';
import type { GroupVersion } from '../objects/gvk.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import type { NameRule } from '../objects/names.js';
import type { Random } from '../time/random.js';
import type { UserInfo } from '../types/authentication-v1.generated.js';
import type { ExpressionCheck } from './expression-check.js';
import type { KindTable } from './kind-table.js';

/** Who writes, when, and how. */
export interface WriteContext {
  readonly user: Frozen<UserInfo>;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly random: Random;
  readonly dryRun: boolean;
  /** The version the request was made in. */
  readonly version: GroupVersion;
  /** Checks the expressions in CEL that an object holds. Without it they are not checked. */
  readonly checkExpression?: ExpressionCheck | undefined;
}

/** How an update is prepared and checked: of the object itself, or through a subresource. */
export interface UpdateStrategy<T extends ApiObject = ApiObject, F = Frozen<T>> {
  /**
   * Changes the new object in place before it is checked: what the caller may not write is taken from the old one.
   * Of the object itself, `status` is already the old one's where the kind has that subresource, and through `status`
   * everything but `metadata` and `status` is. Parts taken from the old object are frozen: copy before changing them.
   */
  prepareForUpdate?(object: T, old: F, context: WriteContext): void;
  /** Validates the update, beyond its metadata. */
  validateUpdate?(object: F, old: F, context: WriteContext): readonly FieldError[];
  /** What the client should know. */
  warningsOnUpdate?(object: F, old: F, context: WriteContext): readonly string[];
  /** A subresource other than `status` through which status is written too. */
  readonly writesStatus?: true;
  /** Errors of changed metadata are reported once. Most kinds of Kubernetes check it a second time themselves. */
  readonly checksMetadataOnce?: true;
}

/** Reads a selectable field. */
export type FieldReader<T extends ApiObject = ApiObject, F = Frozen<T>> = {
  /** Reads the field of an object; the empty text where it is absent. */
  read(object: F): string;
}['read'];

/** The behaviour of one kind: validation, preparation, warnings, table, subresources. */
export interface KindStrategy<T extends ApiObject = ApiObject, F = Frozen<T>> extends UpdateStrategy<T, F> {
  /** What names may look like. */
  readonly nameRule: NameRule;
  /** Changes the new object in place before it is checked. `status` is already cleared, unless `keepsStatus`. */
  prepareForCreate?(object: T, context: WriteContext): void;
  /** Validates the new object, beyond its metadata. */
  validate?(object: F, context: WriteContext): readonly FieldError[];
  /** What the client should know. */
  warningsOnCreate?(object: F, context: WriteContext): readonly string[];

  /** A new object keeps the status it came with. */
  readonly keepsStatus?: true;
  /** Defaults of `status` depend on other fields of the object, which are then decoded with every write of status. */
  readonly defaultsStatusFromSpec?: true;
  /** Returns whether the update counts as a new generation. Kinds without this have no generation. */
  changesGeneration?(object: F, old: F): boolean;
  /** An update of a missing object creates it. */
  readonly createsOnUpdate?: true;
  /** An update must name the resourceVersion it is based on. */
  readonly requiresResourceVersion?: true;
  /** Subresources through which the object itself is written, by name: `status`, `approval`, `resize`… */
  readonly subresources?: Readonly<Record<string, UpdateStrategy<T, F>>>;

  /** A delete that succeeded is answered with the object instead of a Status. */
  readonly answersDeleted?: true;
  /** What becomes of dependents if the caller does not say; `Background` by default. */
  readonly propagation?: 'Orphan';
  /** Finalizers of the garbage collector mean nothing for this kind. */
  readonly ignoresPropagation?: true;
  /** How long the object may take to go, given what the caller requested; kinds without this go at once. */
  gracePeriodSeconds?(object: F, asked: number | undefined): number;
  /** The object stays while this returns true, whatever its metadata: its controller has to empty it first. */
  holdsDeletion?(object: F): boolean;
  /** Changes the object in place when its deletion begins but it does not go yet. */
  prepareForDelete?(object: T, context: WriteContext): void;

  /** Fields that selectors may name, besides those of metadata. Absent values are the empty text. */
  readonly selectableFields?: Readonly<Record<string, FieldReader<T, F>>>;
  /** The selectable fields by which many watchers each follow few objects; their watches are found by value. */
  readonly triggerFields?: readonly string[];
  /** How lists of the kind are printed; `Name` and `Created At` by default. */
  readonly table?: KindTable<T, F>;
  /** After that long objects vanish by themselves. */
  readonly timeToLiveMs?: number;
  /**
   * Returns the strategy for one server, for a strategy that remembers what it has seen. The strategy of a scheme
   * itself has no state: many servers share the scheme.
   */
  forServer?(): KindStrategy<T, F>;
}
