// Byte fields are base64 text in JSON. Kubernetes decodes and re-encodes them, so line breaks vanish and anything
// else is refused at the byte where Go's decoder stumbles.
import { DecodeError } from './decode-error.js';

/** The standard, padded form of base64 text that may contain line breaks. */
export function canonicalBase64(text: string): string {
  if (text.length % 4 === 0 && canonical.test(text)) return text;
  const fault = faultIn(text);
  if (fault !== undefined) throw new DecodeError(`illegal base64 data at input byte ${fault}`);
  return btoa(atob(text));
}

/** Without padding, or with padding after which no stray bits are left. */
const canonical = /^[A-Za-z0-9+/]*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$/;

const alphabet = /[A-Za-z0-9+/]/;

/** Where the text stops being base64, as encoding/base64's decodeQuantum finds it. */
function faultIn(text: string): number | undefined {
  let at = 0;
  const skipBreaks = (): void => {
    while (text[at] === '\n' || text[at] === '\r') at += 1;
  };
  for (;;) {
    let taken = 0;
    const start = at;
    while (taken < 4) {
      skipBreaks();
      const char = text[at];
      if (char === undefined) return taken === 0 ? undefined : at - taken;
      if (char === '=') break;
      if (!alphabet.test(char)) return at;
      at += 1;
      taken += 1;
    }
    if (taken === 4) continue;
    if (taken < 2) return at;
    at += 1;
    if (taken === 2) {
      skipBreaks();
      if (at >= text.length) return text.length;
      if (text[at] !== '=') return at;
      at += 1;
    }
    skipBreaks();
    return at < text.length ? at : start < text.length ? undefined : start;
  }
}
