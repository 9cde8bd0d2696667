/**
 * Numbers as go-yaml prints them: integers of up to 64 bits in full, everything else as Go's FormatFloat(x, 'g', -1)
 * does, with an exponent from a million on.
 */

/** A number of a JSON document. */
export function printNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 64 ? String(value === 0 ? 0 : value) : printFloat(value);
}

/** A float in the fewest digits that tell it from its neighbours, of double or of single precision. */
export function printFloat(value: number, { single }: { readonly single: boolean } = { single: false }): string {
  if (Number.isNaN(value)) return '.nan';
  const number = single ? Math.fround(value) : value;
  if (!Number.isFinite(number)) return number > 0 ? '.inf' : '-.inf';
  const [mantissa = '', exponent = ''] = (single ? shortestSingle(number) : number.toExponential()).split('e');
  const power = Number(exponent);
  if (power < -4 || power >= 6)
    return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  return String(Number(`${mantissa}e${exponent}`));
}

/** Nine digits are always enough for single precision. */
function shortestSingle(number: number): string {
  for (let digits = 0; digits < 8; digits++) {
    const text = number.toExponential(digits);
    if (Math.fround(Number(text)) === number) return text;
  }
  return number.toExponential(8);
}
