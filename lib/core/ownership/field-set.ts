// Field sets: which fields of an object belong to a field manager, in the form of FieldsV1 itself.
//
// A set is a tree of path elements. A node `{}` is a member of the set; `{".": {}, …}` is a member with members below
// it; any other node only leads to members below it. The root is never a member. Sets are canonical: elements are
// sorted, no node is empty without being a member. So they need no encoding, equal parts are shared between revisions,
// and an operation that changes nothing returns its first argument.
// As sigs.k8s.io/structured-merge-diff/v6/fieldpath, Set.
import { isJsonObject } from '../objects/json.js';
import type { JsonValue } from '../objects/json.js';
import { compareElements, parseElement, printElement } from './path-element.js';

/** A set of fields: canonical and frozen. */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** A set under construction; `canonicalSet` makes it a set. */
export interface DraftSet {
  [element: string]: DraftSet;
}

/** The set without fields; as a node, a member without members below it. */
export const emptySet: FieldSet = Object.freeze({});

/** Returns whether a set has no fields; of a node, whether nothing is below it. */
export function isEmptySet(set: FieldSet): boolean {
  for (const element in set) if (element !== '.') return false;
  return true;
}

/** Returns whether a node is a member of its set. */
export function isMemberNode(node: FieldSet): boolean {
  return node['.'] !== undefined || isEmptySet(node);
}

/** Returns the node of an element, or undefined. */
export function setNodeOf(set: FieldSet, element: string): FieldSet | undefined {
  return Object.hasOwn(set, element) ? set[element] : undefined;
}

/** Returns the set of one path. */
export function setOfPath(...names: readonly string[]): FieldSet {
  return names.reduceRight<FieldSet>((below, name) => Object.freeze({ [`f:${name}`]: below }), emptySet);
}

/**
 * Reads a set from JSON. Elements of unknown types are dropped. Throws an Error for what is no set.
 */
export function parseFieldSet(value: JsonValue | undefined): FieldSet {
  if (value === undefined || value === null) return emptySet;
  if (!isJsonObject(value)) throw new Error('expected an object');
  return canonicalSet(draftOfJson(value, 0));
}

function draftOfJson(value: JsonValue, depth: number): DraftSet {
  if (depth > depthMax) throw new Error('exceeded max depth');
  const draft: DraftSet = {};
  if (!isJsonObject(value)) {
    if (value === null) return draft;
    throw new Error('expected an object');
  }
  for (const key of Object.keys(value)) {
    if (key === '.') draft['.'] = {};
    else {
      const element = parseElement(key);
      if (element !== undefined) draft[element] = draftOfJson(value[key] ?? null, depth + 1);
    }
  }
  return draft;
}

/** As the decoder's limit of nesting; every document that reached this point is far below it. */
const depthMax = 1000;

/** Adds a member to a draft. */
export function addMember(draft: DraftSet, element: string): void {
  const node = draft[element];
  if (node === undefined) draft[element] = {};
  else markMember(node);
}

/** Makes a node of a draft a member. */
export function markMember(node: DraftSet): void {
  if (node['.'] === undefined && !isEmptySet(node)) node['.'] = {};
}

/** Returns the node to add members below; a leaf stays a member. */
export function draftBelow(draft: DraftSet, element: string): DraftSet {
  const node = draft[element];
  if (node === undefined) return (draft[element] = {});
  if (isEmptySet(node)) node['.'] = {};
  return node;
}

/** Returns a draft as a set. Parts may be sets already. The draft must not be used any more. */
export function canonicalSet(draft: DraftSet): FieldSet {
  return canonicalNode(draft, true);
}

function canonicalNode(draft: DraftSet, isRoot: boolean): FieldSet {
  if (Object.isFrozen(draft)) return draft;
  const elements = Object.keys(draft);
  if (elements.length === 0) return emptySet;
  let isSorted = true;
  let count = 0;
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index] ?? '';
    if (element === '.') {
      if (index > 0 || isRoot) isSorted = false;
      draft['.'] = emptySet;
      continue;
    }
    count++;
    draft[element] = canonicalNode(draft[element] ?? {}, false);
    if (index > 0 && elements[index - 1] !== '.' && compareElements(elements[index - 1] ?? '', element) > 0)
      isSorted = false;
  }
  if (count === 0) return emptySet;
  if (isSorted) return Object.freeze(draft);
  const sorted: DraftSet = {};
  if (!isRoot && draft['.'] !== undefined) sorted['.'] = emptySet;
  for (const element of elements.filter((each) => each !== '.').sort(compareElements))
    sorted[element] = draft[element] ?? {};
  return Object.freeze(sorted);
}

/** Returns the fields that either set has. */
export function unionOf(a: FieldSet, b: FieldSet): FieldSet {
  return unionNodes(a, b, false);
}

function unionNodes(a: FieldSet, b: FieldSet, isMember: boolean): FieldSet {
  if (a === b) return a;
  const out: DraftSet = {};
  if (isMember) out['.'] = emptySet;
  let isFirst = isMember === (a['.'] !== undefined);
  const left = elementsOf(a);
  const right = elementsOf(b);
  for (let i = 0, j = 0; i < left.length || j < right.length;) {
    const one = left[i];
    const other = right[j];
    const order = one === undefined ? 1 : other === undefined ? -1 : compareElements(one, other);
    if (order < 0) {
      out[one ?? ''] = a[one ?? ''] ?? emptySet;
      i++;
    } else if (order > 0) {
      out[other ?? ''] = b[other ?? ''] ?? emptySet;
      isFirst = false;
      j++;
    } else {
      const mine = a[one ?? ''] ?? emptySet;
      const joined = joinNodes(mine, b[one ?? ''] ?? emptySet);
      if (joined !== mine) isFirst = false;
      out[one ?? ''] = joined;
      i++;
      j++;
    }
  }
  return isFirst ? a : Object.freeze(out);
}

function joinNodes(a: FieldSet, b: FieldSet): FieldSet {
  const isMember = isMemberNode(a) || isMemberNode(b);
  if (isEmptySet(a) && isEmptySet(b)) return a;
  return unionNodes(a, b, isMember);
}

function elementsOf(set: FieldSet): readonly string[] {
  const elements = Object.keys(set);
  return elements[0] === '.' ? elements.slice(1) : elements;
}

/** What becomes of the members of a node in a difference or intersection. */
type Combine = (a: FieldSet, b: FieldSet | undefined) => FieldSet | undefined;

/** Combines the nodes of `a` with those of `b`; undefined where nothing is left. */
function combine(a: FieldSet, b: FieldSet, isMember: boolean, each: Combine): FieldSet | undefined {
  const out: DraftSet = {};
  let isSame = isMember === (a['.'] !== undefined);
  let isEmpty = true;
  if (isMember) out['.'] = emptySet;
  for (const element in a) {
    if (element === '.') continue;
    const node = a[element] ?? emptySet;
    const next = each(node, setNodeOf(b, element));
    if (next !== node) isSame = false;
    if (next === undefined) continue;
    out[element] = next;
    isEmpty = false;
  }
  if (isEmpty) return isMember ? emptySet : undefined;
  return isSame ? a : Object.freeze(out);
}

/**
 * Returns the fields of `a` that are not in `b`. A field below one of `b` stays: only fields that `b` names are
 * removed.
 */
export function differenceOf(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, false, withoutNode) ?? emptySet;
}

function withoutNode(a: FieldSet, b: FieldSet | undefined): FieldSet | undefined {
  if (b === undefined) return a;
  return combine(a, b, isMemberNode(a) && !isMemberNode(b), withoutNode);
}

/** Returns the fields of `a` that are neither in `b` nor below a field of `b`. */
export function recursiveDifferenceOf(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, false, withoutTree) ?? emptySet;
}

function withoutTree(a: FieldSet, b: FieldSet | undefined): FieldSet | undefined {
  if (b === undefined) return a;
  return isMemberNode(b) ? undefined : combine(a, b, isMemberNode(a), withoutTree);
}

/** Returns the fields that both sets have. */
export function intersectionOf(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, false, commonNode) ?? emptySet;
}

function commonNode(a: FieldSet, b: FieldSet | undefined): FieldSet | undefined {
  if (b === undefined) return undefined;
  return combine(a, b, isMemberNode(a) && isMemberNode(b), commonNode);
}

/** Returns the paths of a set for messages: members of a node before those below it. */
export function pathsOf(set: FieldSet, prefix = ''): readonly string[] {
  const paths: string[] = [];
  for (const element of elementsOf(set))
    if (isMemberNode(set[element] ?? emptySet)) paths.push(prefix + printElement(element));
  for (const element of elementsOf(set))
    paths.push(...pathsOf(set[element] ?? emptySet, prefix + printElement(element)));
  return paths;
}

/** Returns the fields at or below one of the paths; `*` stands for any element. */
export function includedFields(set: FieldSet, paths: readonly (readonly string[])[]): FieldSet {
  return included(set, paths) ?? emptySet;
}

function included(set: FieldSet, paths: readonly (readonly string[])[]): FieldSet | undefined {
  const draft: DraftSet = {};
  let isEmpty = true;
  for (const element of elementsOf(set)) {
    const matching = paths.filter(([name]) => name === '*' || element === `f:${name ?? ''}`);
    if (matching.length === 0) continue;
    const node = set[element] ?? emptySet;
    const isWhole = matching.some((path) => path.length === 1);
    const kept = isWhole
      ? node
      : included(
          node,
          matching.map((path) => path.slice(1)),
        );
    // A member on the way to a path counts too.
    if (kept === undefined && !isMemberNode(node)) continue;
    draft[element] = isMemberNode(node) && kept !== undefined && !isWhole ? { '.': {}, ...kept } : (kept ?? {});
    isEmpty = false;
  }
  return isEmpty ? undefined : canonicalSet(draft);
}
