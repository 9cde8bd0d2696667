/**
 * What stands between a store that serialises and its disk: bytes on their way to rest and back, as
 * apiserver/pkg/storage/value/transformer.go. Such a store takes `transformer?: ValueTransformer`, calls `toStorage` on
 * the JSON of every put and `fromStorage` on all it reads, values of watches and previous ones included; keys,
 * revisions and leases stay in the clear. The memory store has nothing at rest and takes none.
 *
 * It is synchronous on purpose: AES costs less than the JSON around it, reads and watches keep their order without any
 * thought, and a list of ten thousand values makes no ten thousand promises. A transformer whose keys live elsewhere
 * (KMS) unwraps them before the store is opened and refuses with `unavailable` what it has no key for.
 */

/** Turns values into what is stored, and back. It never changes the bytes it is given, but may answer with the same. */
export interface ValueTransformer {
  /** The bytes to store under that key: any bytes, not only UTF-8. */
  toStorage(bytes: Uint8Array, key: string): Uint8Array;

  /**
   * What `toStorage` was given for that key, by this transformer or an earlier one whose keys it still has. Throws the
   * StoreError `corrupt`, naming the key, when it cannot tell; it never answers with something else.
   */
  fromStorage(bytes: Uint8Array, key: string): Restored;
}

/** A value read. */
export interface Restored {
  readonly bytes: Uint8Array;
  /**
   * Whether writing the same value again would store it in another way: under a newer key, or encrypted at last. The
   * store shows it on the entry; those of a watch need not.
   */
  readonly stale: boolean;
}
