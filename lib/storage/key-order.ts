/**
 * The order of keys: the bytes of their UTF-8, as etcd and SQLite compare them. JavaScript compares UTF-16 units, which
 * differs in one place: code points from U+10000 are written with the units D800–DFFF and so come before E000–FFFF,
 * where their bytes come after. Exchanging the two ranges gives text whose plain order is the byte order:
 *
 *     unit  … D7FF   D800–DFFF   E000–FFFF         '\u{1f600}' < '\ufffd'                    is true,
 *     order … D7FF   F800–FFFF   D800–F7FF         orderOf('\u{1f600}') < orderOf('\ufffd')  is false
 *
 * Unit by unit, so a prefix stays a prefix. Keys below U+D800, practically all, are their own order.
 */

// Strings of one-byte characters are told apart without a look at them: the engine knows that none can match.
const exchanged = /[\ud800-\uffff]/;
const exchangedUnits = /[\ud800-\uffff]/g;

/** Text that `<` puts where the key's bytes belong. */
export function orderOf(key: string): string {
  return exchanged.test(key) ? key.replace(exchangedUnits, exchange) : key;
}

/** The least order above all that begin with this one; undefined where there is none, so for the empty prefix. */
export function orderAfterPrefix(order: string): string | undefined {
  let end = order.length;
  while (end > 0 && order.charCodeAt(end - 1) === 0xffff) end -= 1;
  if (end === 0) return undefined;
  return order.slice(0, end - 1) + String.fromCharCode(order.charCodeAt(end - 1) + 1);
}

function exchange(unit: string): string {
  const code = unit.charCodeAt(0);
  return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
}
