// Standard base64 with padding, as Go's encoding/base64.StdEncoding: the JSON form of bytes. By hand, because the
// platform's atob and btoa go through strings of bytes. Line breaks are ignored when decoding, everything else that is
// not base64 is refused at the byte where Go stumbles.
import { ParseError } from '../objects/parse-error.js';

/** The text of some bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(padding);
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const bits = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text[at] = digits[bits >>> 18] ?? 0;
    text[at + 1] = digits[(bits >>> 12) & 63] ?? 0;
    if (left > 1) text[at + 2] = digits[(bits >>> 6) & 63] ?? 0;
    if (left > 2) text[at + 3] = digits[bits & 63] ?? 0;
    at += 4;
  }
  return ascii.decode(text);
}

/** The bytes of a text. Throws ParseError in Go's words. */
export function decodeBase64(text: string): Uint8Array {
  const clean = text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, '') : text;
  if (clean.length % 4 !== 0) throw illegal(text);
  const length = clean.endsWith('==') ? clean.length - 2 : clean.endsWith('=') ? clean.length - 1 : clean.length;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let bits = 0;
  let at = 0;
  for (let i = 0; i < length; i++) {
    const value = values[clean.charCodeAt(i)] ?? notADigit;
    if (value === notADigit) throw illegal(text);
    bits = (bits << 6) | value;
    if (i % 4 > 0) bytes[at++] = bits >>> (6 - 2 * (i % 4));
  }
  return bytes;
}

/** The one text that Go would print for the bytes of a text: without line breaks and stray bits. */
export function canonicalBase64(text: string): string {
  return text.length % 4 === 0 && canonical.test(text) ? text : encodeBase64(decodeBase64(text));
}

/** Without padding, or with padding after which no stray bits are left. */
const canonical = /^[A-Za-z0-9+/]*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$/;

const padding = 61;
const notADigit = 255;
const digits: Uint8Array = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const values: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) =>
  digits.includes(code) ? digits.indexOf(code) : notADigit,
);
const ascii = new TextDecoder();

function illegal(text: string): ParseError {
  return new ParseError(`illegal base64 data at input byte ${faultIn(text)}`);
}

/** Where a bad text stops being base64, as encoding/base64's decodeQuantum finds it. */
function faultIn(text: string): number {
  let at = 0;
  const skipBreaks = (): void => {
    while (text[at] === '\n' || text[at] === '\r') at += 1;
  };
  for (;;) {
    let taken = 0;
    for (; taken < 4; taken += 1) {
      skipBreaks();
      const code = text.charCodeAt(at);
      if (Number.isNaN(code)) return at - taken;
      if (code === padding) break;
      if ((values[code] ?? notADigit) === notADigit) return at;
      at += 1;
    }
    if (taken === 4) continue;
    if (taken < 2) return at;
    at += 1;
    skipBreaks();
    if (taken === 3) return at;
    if (text.charCodeAt(at) !== padding) return at;
    at += 1;
    skipBreaks();
    return at;
  }
}
