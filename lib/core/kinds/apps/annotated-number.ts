// Whole numbers that annotations carry for fields of former versions. As strconv.ParseInt with its words.
import { quote } from '../../errors/go-format.js';

/** Reads an int64, or says what is wrong with the text. */
export function readInt64(text: string): bigint | { readonly wrong: string } {
  if (!/^[-+]?[0-9]+$/.test(text)) return wrong(text, 'invalid syntax');
  const digits = text.replace(/^[-+]?0*/, '');
  // More digits than any int64 has: spared the slow reading of hostile lengths.
  if (digits.length > 19) return wrong(text, 'value out of range');
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : wrong(text, 'value out of range');
}

function wrong(text: string, why: string): { readonly wrong: string } {
  return { wrong: `strconv.ParseInt: parsing ${quote(text)}: ${why}` };
}
