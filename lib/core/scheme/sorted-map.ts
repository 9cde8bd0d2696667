// An immutable map from strings, in the order of its keys: `set` and `delete` return a new map that shares all but
// O(log n) nodes with the old one, so a scheme that gains or loses a kind costs that kind, however many there are.
//
// A treap: a binary search tree by key that is also a heap by a priority. The priority is a hash of the key, so the
// shape depends on the keys alone, not on the order in which they came, and the tree is balanced like a random one.

/** What a scheme looks kinds up in: a Map that was made whole, or a SortedMap that changed since. */
export interface Lookup<V> {
  readonly size: number;
  get(key: string): V | undefined;
  has(key: string): boolean;
  keys(): Iterable<string>;
  values(): Iterable<V>;
}

/** An immutable map in the order of its keys. */
export class SortedMap<V> implements Lookup<V> {
  readonly size: number;
  readonly #root: Node<V> | undefined;

  private constructor(root: Node<V> | undefined, size: number) {
    this.#root = root;
    this.size = size;
  }

  /** A map of the given entries; without any, the empty map. */
  static of<V>(entries: Iterable<readonly [string, V]> = []): SortedMap<V> {
    let map = new SortedMap<V>(undefined, 0);
    for (const [key, value] of entries) map = map.set(key, value);
    return map;
  }

  get(key: string): V | undefined {
    return find(this.#root, key)?.value;
  }

  has(key: string): boolean {
    return find(this.#root, key) !== undefined;
  }

  *keys(): Iterable<string> {
    for (const { key } of inOrder(this.#root)) yield key;
  }

  *values(): Iterable<V> {
    for (const { value } of inOrder(this.#root)) yield value;
  }

  /** The map with that entry. */
  set(key: string, value: V): SortedMap<V> {
    const root = inserted(this.#root, { key, value, priority: hash(key), left: undefined, right: undefined });
    return new SortedMap(root, this.has(key) ? this.size : this.size + 1);
  }

  /** The map without that entry; the same map where it has none. */
  delete(key: string): SortedMap<V> {
    return this.has(key) ? new SortedMap(removed(this.#root, key), this.size - 1) : this;
  }
}

interface Node<V> {
  readonly key: string;
  readonly value: V;
  readonly priority: number;
  readonly left: Node<V> | undefined;
  readonly right: Node<V> | undefined;
}

function find<V>(root: Node<V> | undefined, key: string): Node<V> | undefined {
  let node = root;
  while (node !== undefined && node.key !== key) node = key < node.key ? node.left : node.right;
  return node;
}

function* inOrder<V>(node: Node<V> | undefined): Generator<Node<V>> {
  if (node === undefined) return;
  yield* inOrder(node.left);
  yield node;
  yield* inOrder(node.right);
}

function inserted<V>(node: Node<V> | undefined, leaf: Node<V>): Node<V> {
  if (node === undefined) return leaf;
  if (leaf.key === node.key) return { ...node, value: leaf.value };
  if (leaf.key < node.key) {
    const left = inserted(node.left, leaf);
    return left.priority > node.priority ? { ...left, right: { ...node, left: left.right } } : { ...node, left };
  }
  const right = inserted(node.right, leaf);
  return right.priority > node.priority ? { ...right, left: { ...node, right: right.left } } : { ...node, right };
}

function removed<V>(node: Node<V> | undefined, key: string): Node<V> | undefined {
  if (node === undefined) return undefined;
  if (key === node.key) return merged(node.left, node.right);
  return key < node.key ? { ...node, left: removed(node.left, key) } : { ...node, right: removed(node.right, key) };
}

function merged<V>(left: Node<V> | undefined, right: Node<V> | undefined): Node<V> | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return left.priority > right.priority
    ? { ...left, right: merged(left.right, right) }
    : { ...right, left: merged(left, right.left) };
}

/** FNV-1a with a final mix: neighbouring names must not get neighbouring priorities. */
function hash(key: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) value = Math.imul(value ^ key.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
