/**
 * The nodes of a key index and the search inside one. Only `KeyIndex` uses them; it alone knows which it may change.
 */

/** Keys, in their order, and the value of each. */
export interface Leaf<V> {
  readonly owner: object;
  readonly keys: string[];
  readonly values: V[];
  readonly children: undefined;
}

/** Children, and the separators between them: one fewer. What is below a separator is to its left. */
export interface Branch<V> {
  readonly owner: object;
  readonly keys: string[];
  readonly children: TreeNode<V>[];
  /** The keys of all leaves below. */
  size: number;
}

/** A node. */
export type TreeNode<V> = Leaf<V> | Branch<V>;

/** The widest a node gets, in keys or children. Wider ones cost more to copy, narrower ones more to descend. */
export const widthMax = 32;

/** The width below which a node joins a neighbour if it can. */
export const widthMin: number = widthMax / 4;

/** A leaf. */
export function leaf<V>(owner: object, keys: string[], values: V[]): Leaf<V> {
  return { owner, keys, values, children: undefined };
}

/** A branch. */
export function branch<V>(owner: object, keys: string[], children: TreeNode<V>[]): Branch<V> {
  let size = 0;
  for (const child of children) size += sizeOf(child);
  return { owner, keys, children, size };
}

/** The same node for another owner, who may then change it. */
export function copyNode<V>(node: TreeNode<V>, owner: object): TreeNode<V> {
  return node.children === undefined
    ? { owner, keys: node.keys.slice(), values: node.values.slice(), children: undefined }
    : { owner, keys: node.keys.slice(), children: node.children.slice(), size: node.size };
}

/** How many keys are in or below a node. */
export function sizeOf<V>(node: TreeNode<V>): number {
  return node.children === undefined ? node.keys.length : node.size;
}

/** How many keys or children a node has itself. */
export function widthOf<V>(node: TreeNode<V>): number {
  return node.children === undefined ? node.keys.length : node.children.length;
}

/** A child that is there. */
export function childAt<V>(node: Branch<V>, at: number): TreeNode<V> {
  const child = node.children[at];
  if (child === undefined) throw new RangeError('key index: a branch lacks a child');
  return child;
}

/** Takes a child away; its neighbour to the left, or the right for the first, stands for its keys from then on. */
export function dropChild<V>(node: Branch<V>, at: number): void {
  node.children.splice(at, 1);
  node.keys.splice(Math.max(0, at - 1), 1);
}

/** Where the first key stands that is not before `order`. One comparison a step; a three-way search takes up to two. */
export function firstFrom(keys: readonly string[], order: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < order) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the first key stands that comes after `order`; so the child that `order` belongs to. */
export function firstAbove(keys: readonly string[], order: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') <= order) low = middle + 1;
    else high = middle;
  }
  return low;
}
