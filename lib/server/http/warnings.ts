// Warning headers: `299 - "text"`, each text once, cut short when they become too many. As
// apiserver/pkg/endpoints/filters/warning.go and apimachinery/pkg/util/net/http.go, NewWarningHeader.

/** The values of the Warning headers for these texts, as byte strings: UTF-8 is sent as it is. */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  const distinct = [...new Set(texts)].filter((text) => text !== '');
  const whole = distinct.map((text) => Array.from(text).length);
  if (sum(whole) <= totalRunesMax) return distinct.flatMap(header);
  const cut: string[] = [];
  let runes = 0;
  for (const text of distinct) {
    if (runes >= totalRunesMax) break;
    const short = Array.from(text).slice(0, itemRunesMax);
    runes += short.length;
    cut.push(short.join(''));
  }
  return cut.flatMap(header);
}

const totalRunesMax = 4096;
const itemRunesMax = 256;
const control = /\p{Cc}/u;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** None for a text that no header can carry. */
function header(text: string): string[] {
  return control.test(text) ? [] : [`299 - "${byteString(text.replace(/["\\]/g, '\\$&'))}"`];
}

function byteString(text: string): string {
  return ascii.test(text)
    ? text
    : Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

const ascii = /^[\x20-\x7e]*$/;
