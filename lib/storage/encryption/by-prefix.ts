/**
 * Several layers that tell their bytes apart by a prefix: the first one writes, all of them read, and what another
 * than the first has read is stale. Providers are distinguished this way (`k8s:enc:aesgcm:v1:`), and so are the keys of
 * one (`key1:`). As apiserver/pkg/storage/value/transformer.go, prefixTransformers.
 */
import type { Layer } from './layer.js';
import { unreadable } from './layer.js';

/** A layer and what its bytes begin with. Nothing, for the identity. */
export interface Prefixed {
  readonly prefix: string;
  readonly layer: Layer;
}

/** The layers as one; `unmatched` is the complaint about bytes that begin with no prefix. */
export function byPrefix(layers: readonly [Prefixed, ...Prefixed[]], unmatched: string): Layer {
  const [{ prefix, layer: writer }] = layers;
  const mark = Buffer.from(prefix);
  const readers = layers.map(({ prefix, layer }) => ({ mark: Buffer.from(prefix), layer }));
  return {
    seal(bytes, key) {
      const sealed = writer.seal(bytes, key);
      return mark.length === 0 ? sealed : Buffer.concat([mark, sealed]);
    },
    open(bytes, key) {
      const problems: string[] = [];
      for (const [index, { mark, layer }] of readers.entries()) {
        if (!startsWith(bytes, mark)) continue;
        const opened = layer.open(bytes.subarray(mark.length), key);
        if (!('problems' in opened)) return index === 0 ? opened : { bytes: opened.bytes, stale: true };
        // Two providers of one kind share a prefix while keys are changed, so a failure is not the end of the search.
        // That the identity does not read what is encrypted is no failure at all: it may come first, to decrypt.
        if (mark.length > 0) problems.push(...opened.problems);
      }
      return problems.length > 0 ? { problems } : unreadable(unmatched);
    },
  };
}

/** Returns whether bytes begin with these. */
export function startsWith(bytes: Uint8Array, mark: Uint8Array): boolean {
  return bytes.length >= mark.length && mark.every((byte, index) => bytes[index] === byte);
}
