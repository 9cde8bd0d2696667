// Bytes that several answers share: an object is encoded once per revision and form, however many gets, lists and watches
// show it. What keeps them is a cache elsewhere; whoever has none encodes anew each time.

/** A cache of encodings. Objects are known by identity, so only frozen ones may be given. */
export interface EncodedBytes {
  /** The bytes of an object in a form; `encode` makes them where they are not at hand. */
  get(object: object, form: string, encode: () => Uint8Array): Uint8Array;
}

/** Keeps nothing. */
export const encodeAlways: EncodedBytes = { get: (_object, _form, encode) => encode() };
