// The fields that a create sets. Objects of a cluster have few shapes: the pods of ReplicaSets differ in values, not in
// which fields are set. So the set of a member such as `spec` is looked up by the shape of its value in a trie. Its
// steps are the names of members and the keys of list items, in document order; only a new shape is compared field by
// field. Sets of equal shapes are one frozen value, which needs no copy, no freezing and no encoding. A look-up takes
// about 5 µs for a pod of 2.7 KB. The trie is bounded: it is emptied when it has too many nodes.
import type { JsonObject, JsonValue } from '../objects/json.js';
import { isJsonObject } from '../objects/json.js';
import type { ApplyList, ApplyMap, ApplyType } from './apply-type.js';
import { memberTypeOf, noFields } from './apply-type.js';
import type { ObjectApplyType } from './object-apply-type.js';
import { compareFields } from './compare-fields.js';
import type { DraftSet, FieldSet } from './field-set.js';
import { canonicalSet, setNodeOf } from './field-set.js';
import { fieldElement } from './path-element.js';

/** The sets of new objects of one version. */
export class CreatedFields {
  readonly #object: ObjectApplyType;
  readonly #members = new Map<string, ShapeNode>();
  readonly #metadata = new Map<string, ShapeNode>();
  #size = 0;

  constructor(object: ObjectApplyType) {
    this.#object = object;
  }

  /** Returns the fields that a new object sets and that a manager can own. Throws ItemKeyError. */
  of(object: JsonObject): FieldSet {
    if (this.#size > nodesMax) {
      this.#members.clear();
      this.#metadata.clear();
      this.#size = 0;
    }
    const { type, zero } = this.#object;
    const map = type.map ?? noMap;
    const draft: DraftSet = {};
    for (const name in object) {
      if (name === 'kind' || name === 'apiVersion') continue;
      const value = object[name];
      if (value === undefined) continue;
      if (name === 'metadata') {
        if (isJsonObject(value)) this.#addMetadata(value, map, draft);
      } else {
        const before = memberOf(zero, name) ?? (map.fields[name]?.isNullable === true ? null : undefined);
        this.#add(this.#members, name, value, map, before, draft);
      }
    }
    return canonicalSet(draft);
  }

  #addMetadata(metadata: JsonObject, root: ApplyMap, draft: DraftSet): void {
    const { map = noMap } = memberTypeOf(root, 'metadata');
    const below: DraftSet = {};
    let isEmpty = true;
    for (const name in metadata) {
      const value = metadata[name];
      if (value === undefined || unownedMetadata.has(name)) continue;
      this.#add(this.#metadata, name, value, map, undefined, below);
      isEmpty = false;
    }
    if (!isEmpty) draft['f:metadata'] = below;
  }

  /** Adds the set of a member; `zero` is what Go prints where it is unset. */
  #add(
    roots: Map<string, ShapeNode>,
    name: string,
    value: JsonValue,
    map: ApplyMap,
    zero: JsonValue | undefined,
    draft: DraftSet,
  ): void {
    const field = map.fields[name];
    const type = field?.type ?? memberTypeOf(map, name);
    let root = roots.get(name);
    if (root === undefined) {
      root = newNode();
      roots.set(name, root);
      this.#size++;
    }
    const node = this.#walk(root, value, type);
    node.fields ??= { set: changedBy(name, value, type, zero) };
    // The set is frozen and canonical, and is not drafted any further.
    const { set } = node.fields;
    if (set !== undefined) draft[field?.element ?? fieldElement(name)] = set;
  }

  #step(node: ShapeNode, token: JsonValue): ShapeNode {
    if (node.token === token && node.next !== undefined) return node.next;
    const found = node.others?.get(token);
    if (found !== undefined) return found;
    const made = newNode();
    this.#size++;
    if (node.next === undefined) {
      node.token = token;
      node.next = made;
    } else (node.others ??= new Map()).set(token, made);
    return made;
  }

  /** Steps along everything on which the set of a value depends. */
  #walk(start: ShapeNode, value: JsonValue, type: ApplyType): ShapeNode {
    if (typeof value !== 'object')
      return value === '' || value === 0 || value === false || value === '0' ? this.#step(start, zeroToken) : start;
    if (Array.isArray(value)) {
      const { list } = type;
      if (list !== undefined && list.relation !== 'atomic')
        return this.#walkList(start, value as readonly JsonValue[], list);
    } else if (value !== null) {
      const { map } = type;
      if (map !== undefined && !map.isAtomic) return this.#walkMap(start, value as JsonObject, map);
    }
    return isZero(value) ? this.#step(start, zeroToken) : start;
  }

  #walkMap(start: ShapeNode, value: JsonObject, map: ApplyMap): ShapeNode {
    let node = start;
    for (const name in value) {
      node = this.#step(node, name);
      const member = value[name] ?? null;
      // The schema is consulted once per shape: looking up fields would take most of the time.
      node = this.#walk(node, member, typeof member === 'object' ? (node.type ??= memberTypeOf(map, name)) : leafType);
    }
    return this.#step(node, mapEndToken);
  }

  #walkList(start: ShapeNode, items: readonly JsonValue[], list: ApplyList): ShapeNode {
    let node = start;
    const { keys, items: itemType } = list;
    for (const item of items) {
      if (keys.length === 0) node = this.#step(node, valueToken(item));
      else
        for (const key of keys) {
          const value = isJsonObject(item) ? item[key] : undefined;
          node = this.#step(node, valueToken(value ?? itemType.map?.fields[key]?.default));
        }
      node = this.#walk(node, item, itemType);
    }
    return this.#step(node, listEndToken);
  }
}

/** A shape so far. Most have one continuation, which is kept without a map. */
interface ShapeNode {
  token: JsonValue;
  next: ShapeNode | undefined;
  others: Map<JsonValue, ShapeNode> | undefined;
  /** The type of the member whose name leads here. */
  type: ApplyType | undefined;
  /** The set of values that end here; its own `set` is undefined where nothing is owned. */
  fields: { readonly set: FieldSet | undefined } | undefined;
}

function newNode(): ShapeNode {
  return { token: null, next: undefined, others: undefined, type: undefined, fields: undefined };
}

const nodesMax = 20_000;

// Tokens that are neither names nor keys: those are strings and scalars, and a name that equals a token starts with
// a character that no valid name has. A shape that is confused all the same belongs to an object that is refused.
const zeroToken = '\u0000zero';
const mapEndToken = '\u0000}';
const listEndToken = '\u0000]';

function valueToken(value: JsonValue | undefined): JsonValue {
  if (value === undefined) return '\u0000absent';
  return typeof value === 'object' ? `\u0000${JSON.stringify(value)}` : value;
}

/** Metadata that no manager owns; see `ownableFields`. */
const unownedMetadata: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
]);

/** Scalars do not depend on their type. */
const leafType: ApplyType = { scalar: 'untyped' };

const noMap: ApplyMap = { isAtomic: false, fields: Object.create(null) as Record<string, never> };

/** The node of a member in the set of an object that has only this member. */
function changedBy(name: string, value: JsonValue, type: ApplyType, zero: JsonValue | undefined): FieldSet | undefined {
  const element = fieldElement(name);
  const fields = noFields();
  fields[name] = { element, type, isNullable: false };
  const wrapper: ApplyType = { map: { isAtomic: false, fields } };
  const old = zero === undefined ? {} : { [name]: zero };
  return setNodeOf(compareFields(old, { [name]: value }, wrapper, 'both').changed, element);
}

function memberOf(object: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns whether a value may be what Go prints for an unset field. */
function isZero(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false || value === '0';
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  const members = value as JsonObject;
  for (const name in members) if (!isZero(members[name] ?? null)) return false;
  return true;
}
