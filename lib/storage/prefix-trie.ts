/**
 * Items by prefix, found by key: all whose prefix the key begins with, at a cost that grows with the key and the items
 * found, not with the items there are. A trie whose edges are labelled with as much text as they have in common:
 *
 *     /registry/  ─┬─  pods/  ─┬─  default/          for '/registry/pods/', '/registry/pods/default/',
 *                  │           └─  kube-system/      '/registry/pods/kube-system/' and '/registry/nodes/'
 *                  └─  nodes/
 */

/** Items by prefix. */
export class PrefixTrie<T> {
  readonly #root: TrieNode<T> = node('');

  /** Adds an item to a prefix; the empty one is that of every key. */
  add(prefix: string, item: T): void {
    let at = this.#root;
    let rest = prefix;
    while (rest !== '') {
      const next = at.children?.get(rest.charCodeAt(0));
      if (next === undefined) {
        at = adopt(at, node<T>(rest));
        break;
      }
      const length = commonLength(next.label, rest);
      at = length === next.label.length ? next : splitEdge(at, next, length);
      rest = rest.slice(length);
    }
    (at.items ??= new Set()).add(item);
  }

  /** Removes an item from the prefix it was added to. */
  remove(prefix: string, item: T): void {
    removeBelow(this.#root, prefix, item);
  }

  /** The items of all prefixes of a key: shorter prefixes first, those of one prefix in the order of their adding. */
  along(key: string): readonly T[] {
    const found: T[] = [];
    let at: TrieNode<T> | undefined = this.#root;
    let position = 0;
    while (at !== undefined && key.startsWith(at.label, position)) {
      for (const item of at.items ?? none) found.push(item);
      position += at.label.length;
      if (position >= key.length) break;
      at = at.children?.get(key.charCodeAt(position));
    }
    return found;
  }
}

const none: readonly never[] = [];

interface TrieNode<T> {
  /** What its edge adds to the prefix above; empty for the root alone. */
  label: string;
  /** Made when needed, as are children: most nodes have only one of the two, and empty ones take 200 bytes each. */
  items: Set<T> | undefined;
  /** By the first unit of their label. */
  children: Map<number, TrieNode<T>> | undefined;
}

function node<T>(label: string): TrieNode<T> {
  return { label, items: undefined, children: undefined };
}

function adopt<T>(parent: TrieNode<T>, child: TrieNode<T>): TrieNode<T> {
  (parent.children ??= new Map<number, TrieNode<T>>()).set(child.label.charCodeAt(0), child);
  return child;
}

/** Puts a node between `above` and `below`, where the label of `below` is cut. */
function splitEdge<T>(above: TrieNode<T>, below: TrieNode<T>, length: number): TrieNode<T> {
  const between = adopt(above, node<T>(below.label.slice(0, length)));
  below.label = below.label.slice(length);
  adopt(between, below);
  return between;
}

function removeBelow<T>(at: TrieNode<T>, rest: string, item: T): void {
  if (rest === '') {
    at.items?.delete(item);
    if (at.items?.size === 0) at.items = undefined;
    return;
  }
  const next = at.children?.get(rest.charCodeAt(0));
  if (next === undefined || !rest.startsWith(next.label)) return;
  removeBelow(next, rest.slice(next.label.length), item);
  if (next.items !== undefined) return;
  // What holds nothing goes; what only leads to one other becomes part of that one's edge.
  const [only, another] = next.children?.values() ?? [];
  if (another !== undefined) return;
  if (only === undefined) {
    at.children?.delete(rest.charCodeAt(0));
  } else {
    only.label = next.label + only.label;
    adopt(at, only);
  }
}

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}
