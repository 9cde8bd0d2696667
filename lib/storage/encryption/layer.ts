/**
 * What transformers are made of inside this folder: ways to seal bytes and to open them again. Failing to open is an
 * answer here, not an exception, since with several keys it is expected; `transformerOf` turns it into the one error
 * that a store sees. Texts are those of apiserver/pkg/storage/value/encrypt.
 */
import { aggregateText } from '../../core/index.js';
import { StoreError } from '../store-error.js';
import type { Restored, ValueTransformer } from '../transformer.js';

/** A way to store bytes under a key. */
export interface Layer {
  seal(bytes: Uint8Array, key: string): Uint8Array;
  open(bytes: Uint8Array, key: string): Restored | Unreadable;
}

/** Why bytes could not be opened: a sentence for each attempt. */
export interface Unreadable {
  readonly problems: readonly string[];
}

/**
 * The source of nonces: returns that many bytes in a new array. Predictable or repeated nonces break the
 * encryption, so in production it is `randomBytes` of node:crypto, the default, and never a seeded Random.
 */
export type RandomBytes = (length: number) => Uint8Array;

/** The answer of a layer that cannot read what it was given. */
export function unreadable(...problems: readonly string[]): Unreadable {
  return { problems };
}

/** The layer as stores use it. */
export function transformerOf(layer: Layer): ValueTransformer {
  return {
    toStorage: (bytes, key) => layer.seal(bytes, key),
    fromStorage(bytes, key) {
      const opened = layer.open(bytes, key);
      if ('problems' in opened)
        throw new StoreError('corrupt', `unable to transform key ${JSON.stringify(key)}: ${text(opened)}`);
      return opened;
    },
  };
}

function text({ problems }: Unreadable): string {
  return aggregateText(problems);
}
