// The value types of Kubernetes: quantities, int-or-strings, times and durations. Tables hold what Kubernetes v1.36
// answers; properties compare with arithmetic written here, on fractions of bigints.
import assert from 'node:assert/strict';
import t from 'tap';
import {
  canonicalDuration,
  humanDuration,
  parseDuration,
  parseDurationMs,
  printDuration,
} from '../../lib/core/go/duration.js';
import { isIntOrString, isPercent, parseIntOrString, scaledValue } from '../../lib/core/objects/int-or-string.js';
import type { IntOrString } from '../../lib/core/objects/int-or-string.js';
import { isParseError } from '../../lib/core/objects/parse-error.js';
import {
  addQuantities,
  compareQuantities,
  isZeroQuantity,
  multiplyQuantity,
  negateQuantity,
  quantityFromInteger,
  quantityFromMilli,
  quantitySign,
  quantityToInteger,
  quantityToMilli,
  roundUpToMilli,
  subtractQuantities,
} from '../../lib/core/objects/quantity-arithmetic.js';
import type { Quantity } from '../../lib/core/objects/quantity-arithmetic.js';
import {
  canonicalMilliQuantity,
  canonicalQuantity,
  integerValue,
  milliValue,
  parseQuantity,
  printQuantity,
} from '../../lib/core/objects/quantity.js';
import {
  canonicalMicroTime,
  canonicalTime,
  parseMicroTime,
  parseTime,
  printMicroTime,
  printTime,
} from '../../lib/core/objects/time.js';
import { fc, runs } from '../support/properties.js';

function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (isParseError(error)) return error.message;
    throw error;
  }
  return 'accepted';
}

t.test('quantities', (t) => {
  // input, canonical form, format
  const golden = `
    0 0 DecimalSI            00 0 DecimalSI             -0 0 DecimalSI           0m 0 DecimalSI
    0Mi 0 BinarySI           1 1 DecimalSI              10 10 DecimalSI          64 64 DecimalSI
    100 100 DecimalSI        999 999 DecimalSI          1000 1k DecimalSI        1500 1500 DecimalSI
    12345 12345 DecimalSI    100000 100k DecimalSI      1n 1n DecimalSI          999n 999n DecimalSI
    1000n 1u DecimalSI       1u 1u DecimalSI            1000u 1m DecimalSI       1500u 1500u DecimalSI
    1m 1m DecimalSI          100m 100m DecimalSI        250m 250m DecimalSI      1000m 1 DecimalSI
    1100m 1100m DecimalSI    1k 1k DecimalSI            1000k 1M DecimalSI       1M 1M DecimalSI
    1500M 1500M DecimalSI    1G 1G DecimalSI            1T 1T DecimalSI          1P 1P DecimalSI
    1E 1E DecimalSI          9.3E 9300P DecimalSI       1001E 1001E DecimalSI
    1Ki 1Ki BinarySI         8Ki 8Ki BinarySI           1000Ki 1000Ki BinarySI   1024Ki 1Mi BinarySI
    16393244Ki 16393244Ki BinarySI                      128Mi 128Mi BinarySI     500Mi 500Mi BinarySI
    1024Mi 1Gi BinarySI      2Gi 2Gi BinarySI           1Ti 1Ti BinarySI         1024Ti 1Pi BinarySI
    1Pi 1Pi BinarySI         1Ei 1Ei BinarySI           7Ei 7Ei BinarySI
    0.5 500m DecimalSI       .5 500m DecimalSI          0.1 100m DecimalSI       1.5 1500m DecimalSI
    2.50 2500m DecimalSI     1.5k 1500 DecimalSI        1.5Ki 1536 BinarySI      1.1Ki 1126400m BinarySI
    0.5Ki 512 BinarySI       1.5Mi 1536Ki BinarySI      0.5Gi 512Mi BinarySI     1.5Gi 1536Mi BinarySI
    2.5Ti 2560Gi BinarySI    1.5Pi 1536Ti BinarySI      1.5Ei 1536Pi BinarySI
    0.0001Ki 102400u DecimalSI                          0.9999999999Ki 1023999999898n BinarySI
    1e3 1e3 DecimalExponent  1E3 1E3 DecimalExponent    1e-1 100e-3 DecimalExponent
    1e0 1e0 DecimalExponent  12e6 12e6 DecimalExponent  1.5e3 1500 DecimalExponent
    1.5e-3 1500e-6 DecimalExponent                      1000e-3 1 DecimalExponent
    1e-9 1e-9 DecimalExponent                           1e21 1e21 DecimalExponent
    1.5e999 1500e996 DecimalExponent
    0.1n 1n DecimalSI        -0.1n -1n DecimalSI        1e-10 1e-9 DecimalExponent
    1.0000000001 1000000001n DecimalSI                  0.000000000000000000000001Ki 1n DecimalSI
    -1 -1 DecimalSI          -500m -500m DecimalSI      -1.5Gi -1536Mi BinarySI  -1.1Ki -1126400m BinarySI
    8Ei 9223372036854775807 BinarySI                    -8Ei -9223372036854775807 BinarySI
    1024Ei 9223372036854775807 BinarySI                 9223372036854775808 9223372036854775808 DecimalSI
    12345678901234567890 12345678901234567890 DecimalSI
    +1 +1 DecimalSI          001 001 DecimalSI          5. 5. DecimalSI          1.234 1.234 DecimalSI
    1.500 1.500 DecimalSI    1.5000 1500m DecimalSI     1.500k 1.500k DecimalSI  5.Mi 5.Mi BinarySI
    07Ti 07Ti BinarySI       07Pi 7Pi BinarySI          1e+3 1e+3 DecimalExponent
    + 0 DecimalSI            - 0 DecimalSI              . 0 DecimalSI            Mi 0 BinarySI
    m 0 DecimalSI            e5 0 DecimalExponent       1000E 1 DecimalSI        10000E 10 DecimalSI
    1000000000000000000000 1 DecimalSI                  0.0009765625Ki 1 BinarySI
    +12Ki +12Ki BinarySI     +24Ki 24Ki BinarySI        +99Ti +99Ti BinarySI     +999Ti 999Ti BinarySI
    +99999999999Ki +99999999999Ki BinarySI              +999999999999Ki 999999999999Ki BinarySI
    +123456789012345678 +123456789012345678 DecimalSI   +1234567890123456789 1234567890123456789 DecimalSI`;
  const rows = [...golden.matchAll(/(\S+) (\S+) (\w+)/g)].map(([, input = '', canonical, format]) => ({
    input,
    canonical,
    format,
  }));

  t.test('print in canonical form', (t) => {
    t.equal(rows.length, 120);
    for (const { input, canonical, format } of rows) {
      const q = parseQuantity(input);
      t.equal(printQuantity(q), canonical, input);
      t.equal(canonicalQuantity(input), canonical, input);
      t.equal(q.format, format, input);
      t.ok(Object.isFrozen(q));
    }
    t.end();
  });

  t.test('come from JSON with blanks around them and as numbers', (t) => {
    const answers: [unknown, string][] = [
      [' 1 ', '1'],
      ['\u00a01Gi\u3000', '1Gi'],
      [0.5, '500m'],
      [2, '2'],
      [1.234, '1.234'],
      [-0, '0'],
      [1000, '1k'],
    ];
    for (const [input, canonical] of answers) t.equal(canonicalQuantity(input), canonical);
    for (const input of [true, null, undefined, [], {}, NaN, Infinity, '1\n', '\t1', '1 0']) {
      t.match(
        refusal(() => canonicalQuantity(input)),
        /^quantities must match the regular expression/,
      );
    }
    t.end();
  });

  t.test('are refused with the three messages of Kubernetes', (t) => {
    const shape = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    const shapeless = ['', 'abc', '1 x', '1_0', '1.2.3', '1e5e', '1e3k', 'NaN', '1 ', '٣', '1__proto__', '1toString'];
    for (const text of shapeless) {
      t.equal(
        refusal(() => parseQuantity(text)),
        shape,
        text,
      );
    }
    for (const text of ['--1', '1-5', '1K', '1ki', '1i', '1e', 'e', '1Mi5', '1ee5', '1e99999999999999999999']) {
      t.equal(
        refusal(() => parseQuantity(text)),
        "unable to parse quantity's suffix",
        text,
      );
    }
    for (const text of ['Pi', '+.Ei', 'e-10']) {
      t.equal(
        refusal(() => parseQuantity(text)),
        'unable to parse numeric part of quantity',
        text,
      );
    }
    t.end();
  });

  t.test('that are hostile cost next to nothing', (t) => {
    t.equal(
      refusal(() => parseQuantity('1e999999999')),
      "unable to parse quantity's suffix",
    );
    t.equal(
      refusal(() => parseQuantity('1e-999999999')),
      "unable to parse quantity's suffix",
    );
    t.equal(
      refusal(() => canonicalQuantity('9'.repeat(100_000))),
      'unable to parse numeric part of quantity',
    );
    t.equal(
      refusal(() => canonicalQuantity(' '.repeat(100_000))),
      'unable to parse numeric part of quantity',
    );
    t.equal(canonicalQuantity(`0.${'0'.repeat(250)}1Ei`), '1n');
    t.equal(canonicalQuantity(`${'9'.repeat(250)}e-999`), '1e-9');
    t.end();
  });

  t.test('are compared, added and subtracted, in the format of the left one unless that is zero', (t) => {
    const table: [string, string, number, string, string][] = [
      ['1', '1', 0, '2', '0'],
      ['1Gi', '1G', 1, '2073741824', '73741824'],
      ['1G', '1Gi', -1, '2073741824', '-73741824'],
      ['0', '1Gi', -1, '1Gi', '-1Gi'],
      ['0Mi', '1G', -1, '1G', '-1G'],
      ['1e3', '1Mi', -1, '1049576', '-1047576'],
      ['500m', '1Gi', -1, '1073741824500m', '-1073741823500m'],
      ['1Gi', '500m', 1, '1073741824500m', '1073741823500m'],
      ['1Ki', '1n', 1, '1024000000001n', '1023999999999n'],
      ['100m', '-100m', 1, '0', '200m'],
      ['2Ki', '1048', 1, '3096', '1k'],
      ['1.500', '0', 1, '1500m', '1500m'],
      ['0', '+1', -1, '1', '-1'],
      ['512Mi', '512Mi', 0, '1Gi', '0'],
      ['7Ei', '7Ei', 0, '14Ei', '0'],
      ['1024Mi', '1Gi', 0, '2Gi', '0'],
      ['999E', '1E', 1, '1', '998E'],
      ['1Mi', '1Ki', 1, '1025Ki', '1023Ki'],
      ['-1', '1Gi', -1, '1073741823', '-1073741825'],
    ];
    for (const [left, right, order, sum, difference] of table) {
      const a = parseQuantity(left);
      const b = parseQuantity(right);
      t.equal(compareQuantities(a, b), order, `${left} ? ${right}`);
      t.equal(printQuantity(addQuantities(a, b)), sum, `${left} + ${right}`);
      t.equal(printQuantity(subtractQuantities(a, b)), difference, `${left} - ${right}`);
    }
    t.equal(printQuantity(negateQuantity(parseQuantity('1.5Gi'))), '-1536Mi');
    t.equal(printQuantity(multiplyQuantity(parseQuantity('250m'), 4)), '1');
    t.equal(printQuantity(multiplyQuantity(parseQuantity('1Gi'), 10n ** 12n)), '976562500Ti');
    t.equal(printQuantity(multiplyQuantity(parseQuantity('1Ei'), 1024)), '1', 'there is no suffix after Ei');
    t.same(
      ['-1n', '0Mi', '1n'].map((text) => quantitySign(parseQuantity(text))),
      [-1, 0, 1],
    );
    t.ok(isZeroQuantity(parseQuantity('0Mi')));
    t.notOk(isZeroQuantity(parseQuantity('1n')));
    t.end();
  });

  t.test('become whole units and thousandths, rounded away from zero', (t) => {
    const table: [string, bigint, bigint][] = [
      ['1n', 1n, 1n],
      ['-1n', -1n, -1n],
      ['1500u', 1n, 2n],
      ['100m', 1n, 100n],
      ['1', 1n, 1000n],
      ['1.234', 2n, 1234n],
      ['1.0000000001', 2n, 1001n],
      ['-1.5', -2n, -1500n],
      ['1Ki', 1024n, 1_024_000n],
      ['7Ei', 7n * 2n ** 60n, 7n * 2n ** 60n * 1000n],
    ];
    for (const [text, units, milli] of table) {
      t.equal(quantityToInteger(parseQuantity(text)), units, text);
      t.equal(quantityToMilli(parseQuantity(text)), milli, text);
    }
    t.equal(printQuantity(quantityFromInteger(1024, 'BinarySI')), '1Ki');
    t.equal(printQuantity(quantityFromInteger(2n ** 70n)), '1180591620717411303424');
    t.equal(printQuantity(quantityFromMilli(1500)), '1500m');
    t.equal(printQuantity(quantityFromMilli(2n ** 20n * 1000n, 'BinarySI')), '1Mi');
    t.equal(milliValue('1Ei'), Number.MAX_SAFE_INTEGER);
    t.equal(integerValue('-8Ei'), -Number.MAX_SAFE_INTEGER);
    t.equal(integerValue('0'), 0);
    t.equal(
      refusal(() => milliValue('1K')),
      "unable to parse quantity's suffix",
    );
    const rounded: [string, string][] = [
      ['1500u', '2m'],
      ['1n', '1m'],
      ['-1n', '-1m'],
      ['1000u', '1m'],
      ['1.500', '1.500'],
      ['2Gi', '2Gi'],
    ];
    for (const [text, milli] of rounded) t.equal(canonicalMilliQuantity(text), milli, text);
    t.end();
  });

  // A quantity text and the fraction it stands for, which is built, not parsed.
  const suffixes: readonly [string, Fraction][] = [
    ...['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].map((s, i): [string, Fraction] => [s, tenTo(3 * i - 9)]),
    ...['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((s, i): [string, Fraction] => [s, [1024n ** BigInt(i + 1), 1n]]),
    ...[-12, -9, -5, 0, 1, 2, 3, 7, 20].map((e): [string, Fraction] => [`e${e}`, tenTo(e)]),
  ];
  const spelled = fc
    .record({
      sign: fc.constantFrom('', '-', '+'),
      whole: fc.oneof(fc.nat(2000).map(String), fc.stringMatching(/^[0-9]{1,24}$/)),
      fraction: fc.option(fc.stringMatching(/^[0-9]{0,12}$/), { nil: undefined, freq: 2 }),
      suffix: fc.constantFrom(...suffixes),
    })
    .map(({ sign, whole, fraction, suffix: [suffix, factor] }) => {
      const scale = 10n ** BigInt(fraction?.length ?? 0);
      const digits = BigInt(whole + (fraction ?? '')) * (sign === '-' ? -1n : 1n);
      const exact: Fraction = [digits * factor[0], scale * factor[1]];
      const text = sign + whole + (fraction === undefined ? '' : `.${fraction}`) + suffix;
      return { text, exact, binary: suffix.endsWith('i') };
    });
  const plain = fc
    .tuple(fc.oneof(fc.nat(2000), fc.nat(9_999_999_999)), fc.constantFrom(...suffixes))
    .map(([mantissa, [suffix]]) => `${mantissa}${suffix}`);

  t.test('are exact down to a billionth, and what is finer counts as one', (t) => {
    fc.assert(
      fc.property(spelled, ({ text, exact: [numerator, denominator], binary }) => {
        const magnitude = ceiling(abs(numerator) * 10n ** 9n, denominator);
        const cap = (2n ** 63n - 1n) * 10n ** 9n;
        const expected = binary && magnitude > cap ? cap : magnitude;
        assert.ok(parseQuantity(text).nanos === (numerator < 0n ? -expected : expected));
      }),
      { numRuns: runs(500) },
    );
    t.pass();
    t.end();
  });

  t.test('add, subtract, multiply and compare as fractions do', (t) => {
    fc.assert(
      fc.property(spelled, spelled, fc.bigInt(-1000n, 1000n), (left, right, times) => {
        const [a, b] = [parseQuantity(left.text), parseQuantity(right.text)];
        const [x, y] = [fractionOf(a), fractionOf(b)];
        const sum: Fraction = [x[0] * y[1] + y[0] * x[1], x[1] * y[1]];
        const difference: Fraction = [x[0] * y[1] - y[0] * x[1], x[1] * y[1]];
        const agree =
          equal(fractionOf(addQuantities(a, b)), sum) &&
          equal(fractionOf(subtractQuantities(a, b)), difference) &&
          equal(fractionOf(multiplyQuantity(a, times)), [x[0] * times, x[1]]) &&
          compareQuantities(a, b) === (difference[0] === 0n ? 0 : difference[0] < 0n ? -1 : 1) &&
          compareQuantities(a, b) + compareQuantities(b, a) === 0;
        assert.ok(agree);
      }),
      { numRuns: runs(500) },
    );
    t.pass();
    t.end();
  });

  t.test('have a canonical form that says the same, cannot be shortened and is its own canonical form', (t) => {
    fc.assert(
      fc.property(spelled, ({ text }) => {
        // Adding to zero forgets the spelling.
        const q = addQuantities(quantityFromInteger(0), parseQuantity(text));
        const printed = printQuantity(q);
        assert.equal(canonicalQuantity(printed), printed);
        assert.equal(canonicalQuantity(canonicalQuantity(text)), canonicalQuantity(text));
        // From 1000E on Kubernetes prints a mantissa without its suffix.
        if (q.format !== 'DecimalExponent' && abs(q.nanos) >= 10n ** 30n) return;
        assert.ok(compareQuantities(parseQuantity(printed), q) === 0);
        assert.match(printed, /^(0|-?[1-9][0-9]*([numkMGTPE]|[KMGTPE]i|e-?[0-9]+)?)$/);
        assert.doesNotMatch(printed, /000([numkMGTP]|e-?[0-9]+)?$/);
        const [, binaryMantissa] = /^-?([0-9]+)[KMGTP]i$/.exec(printed) ?? [];
        assert.ok(binaryMantissa === undefined || BigInt(binaryMantissa) % 1024n !== 0n);
      }),
      { numRuns: runs(500) },
    );
    t.pass();
    t.end();
  });

  t.test('take the fast path to the same answer', (t) => {
    fc.assert(
      fc.property(
        fc.oneof(
          plain,
          spelled.map(({ text }) => text),
        ),
        (text) => {
          // A blank in front keeps a text off the fast path.
          assert.equal(canonicalQuantity(text), canonicalQuantity(` ${text}`));
          const q = parseQuantity(text);
          assert.equal(printQuantity(q), canonicalQuantity(` ${text}`));
          assert.equal(milliValue(text), clamped(quantityToMilli(q)));
          assert.equal(integerValue(text), clamped(quantityToInteger(q)));
          assert.equal(canonicalMilliQuantity(text), printQuantity(roundUpToMilli(q)));
        },
      ),
      { numRuns: runs(500) },
    );
    t.pass();
    t.end();
  });

  t.test('never fail otherwise than by refusing', (t) => {
    const noise = fc.string({ unit: fc.constantFrom(...'0123456789.+-eEinumkKMGTP x'.split('')), maxLength: 8 });
    fc.assert(
      fc.property(noise, (text) => {
        const verdict = refusal(() => parseQuantity(text));
        assert.match(verdict, /^(accepted|quantities must match .*|unable to .* of quantity|unable to .* suffix)$/);
      }),
      { numRuns: runs(500) },
    );
    t.pass();
    t.end();
  });

  t.end();
});

type Fraction = readonly [numerator: bigint, denominator: bigint];

function tenTo(exponent: number): Fraction {
  return exponent < 0 ? [1n, 10n ** BigInt(-exponent)] : [10n ** BigInt(exponent), 1n];
}

function fractionOf(q: Quantity): Fraction {
  return [q.nanos, 10n ** 9n];
}

function equal(a: Fraction, b: Fraction): boolean {
  return a[0] * b[1] === b[0] * a[1];
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function ceiling(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

function clamped(value: bigint): number {
  const max = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(value > max ? max : value < -max ? -max : value);
}

t.test('an int-or-string', (t) => {
  t.test('is an int32 or a string', (t) => {
    for (const value of [0, -1, 2 ** 31 - 1, -(2 ** 31), '', '25%', 'http']) t.ok(isIntOrString(value));
    for (const value of [2 ** 31, 1.5, NaN, null, undefined, true, {}]) t.notOk(isIntOrString(value));
    t.end();
  });

  t.test('is a number where its text is one', (t) => {
    const table: [string, IntOrString][] = [
      ['80', 80],
      ['-1', -1],
      ['+5', 5],
      ['007', 7],
      ['2147483648', '2147483648'],
      ['25%', '25%'],
      ['http', 'http'],
      ['', ''],
      ['1_0', '1_0'],
      ['0x10', '0x10'],
      ['1e3', '1e3'],
      ['-0', 0],
      [' 1', ' 1'],
    ];
    for (const [text, value] of table) t.ok(Object.is(parseIntOrString(text), value), text);
    t.end();
  });

  t.test('is a percentage where digits stand before the sign', (t) => {
    for (const value of ['0%', '25%', '1000%']) t.ok(isPercent(value));
    for (const value of [25, '25', '%', '-1%', '+1%', '25%%', ' 5%', '2.5%']) t.notOk(isPercent(value));
    t.end();
  });

  t.test('scales with a total, up or down', (t) => {
    const table: [IntOrString, number, boolean, number][] = [
      [5, 10, true, 5],
      [-3, 10, true, -3],
      ['50%', 3, true, 2],
      ['50%', 3, false, 1],
      ['25%', 10, true, 3],
      ['25%', 10, false, 2],
      ['100%', 3, true, 3],
      ['-10%', 3, true, 0],
      ['-10%', 3, false, -1],
      ['+5%', 10, true, 1],
      ['007%', 10, false, 0],
      ['0%', 10, true, 0],
    ];
    for (const [value, total, roundUp, expected] of table) {
      t.equal(scaledValue(value, total, roundUp), expected, `${value} of ${total}`);
    }
    t.end();
  });

  t.test('is refused with the words of Kubernetes where it has no scale', (t) => {
    const table: [IntOrString | undefined, string][] = [
      [undefined, 'nil value for IntOrString'],
      ['10', 'invalid value for IntOrString: invalid type: string is not a percentage'],
      ['', 'invalid value for IntOrString: invalid type: string is not a percentage'],
      ['abc%', 'invalid value for IntOrString: invalid value "abc%": strconv.Atoi: parsing "abc": invalid syntax'],
      ['%', 'invalid value for IntOrString: invalid value "%": strconv.Atoi: parsing "": invalid syntax'],
      ['10%%', 'invalid value for IntOrString: invalid value "10%%": strconv.Atoi: parsing "10%": invalid syntax'],
      ['"%', 'invalid value for IntOrString: invalid value "\\"%": strconv.Atoi: parsing "\\"": invalid syntax'],
      [
        '99999999999999999999%',
        'invalid value for IntOrString: invalid value "99999999999999999999%": ' +
          'strconv.Atoi: parsing "99999999999999999999": value out of range',
      ],
    ];
    for (const [value, message] of table)
      t.equal(
        refusal(() => scaledValue(value, 10, true)),
        message,
      );
    t.end();
  });

  t.end();
});

t.test('times', (t) => {
  t.test('are answered in UTC, cut to the second', (t) => {
    const table: [string, string | null][] = [
      ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z'],
      ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59Z'],
      ['2000-02-29T23:59:59Z', '2000-02-29T23:59:59Z'],
      ['2024-04-30T23:59:59Z', '2024-04-30T23:59:59Z'],
      ['2020-01-01T00:00:00.999999999999Z', '2020-01-01T00:00:00Z'],
      ['2020-01-01T00:00:00,5Z', '2020-01-01T00:00:00Z'],
      ['2020-01-01T1:00:00Z', '2020-01-01T01:00:00Z'],
      ['2020-01-01T00:00:00.5+01:30', '2019-12-31T22:30:00Z'],
      ['2020-01-01T00:00:00-00:00', '2020-01-01T00:00:00Z'],
      ['2020-01-01T00:00:00+24:60', '2019-12-30T23:00:00Z'],
      ['0001-01-01T00:00:00Z', null],
      ['0001-01-01T01:00:00+01:00', null],
      ['0001-01-01T00:00:00.5Z', '0001-01-01T00:00:00Z'],
      ['0000-01-01T00:00:00+01:00', '-0001-12-31T23:00:00Z'],
      ['9999-12-31T23:59:59-01:00', '10000-01-01T00:59:59Z'],
    ];
    for (const [text, canonical] of table) t.equal(canonicalTime(text), canonical, text);
    t.end();
  });

  t.test('with microseconds keep all six digits, and require them', (t) => {
    const table: [string, string | null][] = [
      ['2020-01-01T00:00:00.123456Z', '2020-01-01T00:00:00.123456Z'],
      ['2020-01-01T00:00:00,123456+02:00', '2019-12-31T22:00:00.123456Z'],
      ['2020-01-01T00:00:00.000001-01:00', '2020-01-01T01:00:00.000001Z'],
      ['2020-01-01T00:00:00.+12345Z', '2020-01-01T00:00:00.012345Z'],
      ['2020-01-01T00:00:00.-00000Z', '2020-01-01T00:00:00.000000Z'],
      ['0001-01-01T00:00:00.000000Z', null],
    ];
    for (const [text, canonical] of table) t.equal(canonicalMicroTime(text), canonical, text);
    t.equal(parseMicroTime('2020-01-01T00:00:00.123999Z'), Date.UTC(2020, 0, 1, 0, 0, 0, 123));
    const layout = 'as "2006-01-02T15:04:05.000000Z07:00": cannot parse';
    const refused: [string, string][] = [
      ['2020-01-01T00:00:00Z', `${layout} "Z" as ".000000"`],
      ['2020-01-01T00:00:00.12345Z', `${layout} ".12345Z" as ".000000"`],
      ['2020-01-01T00:00:00.1234567Z', `${layout} "7Z" as "Z07:00"`],
      ['2020-01-01T00:00:00x123456Z', `${layout} "x123456Z" as ".000000"`],
    ];
    for (const [text, message] of refused) {
      t.equal(
        refusal(() => canonicalMicroTime(text)),
        `parsing time "${text}" ${message}`,
      );
    }
    t.equal(
      refusal(() => canonicalMicroTime('2020-01-01T00:00:00.-12345Z')),
      'parsing time "2020-01-01T00:00:00.-12345Z": fractional second out of range',
    );
    t.end();
  });

  t.test('are refused with the words of Go', (t) => {
    const layout = 'as "2006-01-02T15:04:05Z07:00": cannot parse';
    const table: [string, string][] = [
      ['', `parsing time "" ${layout} "" as "2006"`],
      ['2020', `parsing time "2020" ${layout} "" as "-"`],
      ['20200-01-01T00:00:00Z', `parsing time "20200-01-01T00:00:00Z" ${layout} "0-01-01T00:00:00Z" as "-"`],
      ['-200-01-01T00:00:00Z', `parsing time "-200-01-01T00:00:00Z" ${layout} "-200-01-01T00:00:00Z" as "2006"`],
      ['2020-1-01T00:00:00Z', `parsing time "2020-1-01T00:00:00Z" ${layout} "1-01T00:00:00Z" as "01"`],
      ['2020-13-01T00:00:00Z', 'parsing time "2020-13-01T00:00:00Z": month out of range'],
      ['2020-00-01T00:00:00Z', 'parsing time "2020-00-01T00:00:00Z": month out of range'],
      ['2020-02-30T00:00:00Z', 'parsing time "2020-02-30T00:00:00Z": day out of range'],
      ['2021-02-29T00:00:00Z', 'parsing time "2021-02-29T00:00:00Z": day out of range'],
      ['1900-02-29T00:00:00Z', 'parsing time "1900-02-29T00:00:00Z": day out of range'],
      ['2024-06-31T00:00:00Z', 'parsing time "2024-06-31T00:00:00Z": day out of range'],
      ['2020-01-00T00:00:00Z', 'parsing time "2020-01-00T00:00:00Z": day out of range'],
      ['2020-02-30T00:00:00Zx', 'parsing time "2020-02-30T00:00:00Zx": extra text: "x"'],
      ['2020-01-01 00:00:00Z', `parsing time "2020-01-01 00:00:00Z" ${layout} " 00:00:00Z" as "T"`],
      ['2020-01-01t00:00:00z', `parsing time "2020-01-01t00:00:00z" ${layout} "t00:00:00z" as "T"`],
      ['2020-01-01T24:00:00Z', 'parsing time "2020-01-01T24:00:00Z": hour out of range'],
      ['2020-01-01Tx:00:00Z', `parsing time "2020-01-01Tx:00:00Z" ${layout} "x:00:00Z" as "15"`],
      ['2020-01-01T00:60:00Z', 'parsing time "2020-01-01T00:60:00Z": minute out of range'],
      ['2020-01-01T00:00:60Z', 'parsing time "2020-01-01T00:00:60Z": second out of range'],
      ['2020-01-01T00:00', `parsing time "2020-01-01T00:00" ${layout} "" as ":"`],
      ['2020-01-01T00:00:0Z', `parsing time "2020-01-01T00:00:0Z" ${layout} "0Z" as "05"`],
      ['2020-01-01T00:00:00', `parsing time "2020-01-01T00:00:00" ${layout} "" as "Z07:00"`],
      ['2020-01-01T00:00:00.Z', `parsing time "2020-01-01T00:00:00.Z" ${layout} ".Z" as "Z07:00"`],
      ['2020-01-01T00:00:00+0100', `parsing time "2020-01-01T00:00:00+0100" ${layout} "+0100" as "Z07:00"`],
      ['2020-01-01T00:00:00x01:00', `parsing time "2020-01-01T00:00:00x01:00" ${layout} "x01:00" as "Z07:00"`],
      ['2020-01-01T00:00:00+25:00', 'parsing time "2020-01-01T00:00:00+25:00": time zone offset hour out of range'],
      ['2020-01-01T00:00:00+01:61', 'parsing time "2020-01-01T00:00:00+01:61": time zone offset minute out of range'],
    ];
    for (const [text, message] of table)
      t.equal(
        refusal(() => canonicalTime(text)),
        message,
        text,
      );
    const bytes = '"a\\"\\\\\\x0a\u007f\\xc3\\xa9\\xf0\\x9f\\x98\\x80"';
    t.equal(
      refusal(() => canonicalTime('a"\\\n\u007fé😀')),
      `parsing time ${bytes} ${layout} ${bytes} as "2006"`,
    );
    // What Date.parse would take.
    for (const text of ['2020-01-01', '2020-01', 'Jan 1 2020', '2020-01-01T00:00Z', '1e3', '+002020-01-01T00:00:00Z']) {
      t.match(
        refusal(() => parseTime(text)),
        /^parsing time/,
        text,
      );
    }
    t.ok(refusal(() => parseTime('é'.repeat(100_000))).length < 20_000, 'and briefly, however long they are');
    t.end();
  });

  const moment = fc.integer({ min: Date.UTC(1, 0, 2), max: Date.UTC(9999, 11, 30) });

  t.test('come back from their text, and agree with Date on every moment', (t) => {
    t.equal(printTime(0), '1970-01-01T00:00:00Z');
    t.equal(printTime(-1), '1969-12-31T23:59:59Z');
    t.equal(printMicroTime(1_577_836_800_001.5), '2020-01-01T00:00:00.001500Z');
    t.throws(() => printTime(NaN), RangeError);
    fc.assert(
      fc.property(moment, fc.integer({ min: -1439, max: 1439 }), (ms, offsetMinutes) => {
        const iso = new Date(ms).toISOString();
        assert.equal(printTime(ms), iso.replace(/\.\d{3}Z$/, 'Z'));
        assert.equal(printMicroTime(ms), iso.replace('Z', '000Z'));
        assert.equal(parseTime(iso), ms);
        assert.equal(parseMicroTime(printMicroTime(ms)), ms);
        assert.equal(canonicalTime(printTime(ms)), printTime(ms));
        assert.equal(canonicalMicroTime(printMicroTime(ms)), printMicroTime(ms));
        // What a clock on the wall shows there, with its offset.
        const offset = new Date(Math.abs(offsetMinutes) * 60_000).toISOString().slice(11, 16);
        const local = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, -1);
        assert.equal(parseTime(`${local}${offsetMinutes < 0 ? '-' : '+'}${offset}`), ms);
      }),
      { numRuns: runs(300) },
    );
    t.pass();
    t.end();
  });

  t.end();
});

t.test('durations', (t) => {
  t.test('are read and printed as Go does', (t) => {
    const table: [string, string, bigint][] = [
      ['0', '0s', 0n],
      ['-0', '0s', 0n],
      ['1h2m3.5s', '1h2m3.5s', 3_723_500_000_000n],
      ['60m', '1h0m0s', 3600n * 10n ** 9n],
      ['.5s', '500ms', 500_000_000n],
      ['1.s', '1s', 10n ** 9n],
      ['1h1h', '2h0m0s', 7200n * 10n ** 9n],
      ['1.5h', '1h30m0s', 5400n * 10n ** 9n],
      ['0.3333333333333333333h', '20m0s', 1200n * 10n ** 9n],
      ['0.99999999999999999999h', '1h0m0s', 3600n * 10n ** 9n],
      ['0.9223372036854775809s', '922.337203ms', 922_337_203n],
      ['100us', '100µs', 100_000n],
      ['100\u00b5s', '100µs', 100_000n],
      ['100\u03bcs', '100µs', 100_000n],
      ['-1.5ms', '-1.5ms', -1_500_000n],
      ['1ns1us1ms', '1.001001ms', 1_001_001n],
      ['999ns', '999ns', 999n],
      ['0.0000000001s', '0s', 0n],
      ['1.9ns', '1ns', 1n],
      ['00000000000000000000000000001s', '1s', 10n ** 9n],
      ['90s', '1m30s', 90n * 10n ** 9n],
      ['9223372036854775807ns', '2562047h47m16.854775807s', 2n ** 63n - 1n],
      ['-9223372036854775808ns', '-2562047h47m16.854775808s', -(2n ** 63n)],
    ];
    for (const [text, canonical, nanos] of table) {
      t.equal(parseDuration(text), nanos, text);
      t.equal(canonicalDuration(text), canonical, text);
    }
    t.equal(parseDurationMs('1h0.5ms'), 3_600_000.5);
    t.end();
  });

  t.test('are refused with the words of Go', (t) => {
    const table: [string, string][] = [
      ['', 'time: invalid duration ""'],
      ['-', 'time: invalid duration "-"'],
      ['.s', 'time: invalid duration ".s"'],
      ['1', 'time: missing unit in duration "1"'],
      ['1d', 'time: unknown unit "d" in duration "1d"'],
      ['1e3s', 'time: unknown unit "e" in duration "1e3s"'],
      ['1 s', 'time: unknown unit " s" in duration "1 s"'],
      ['1h-1m', 'time: unknown unit "h-" in duration "1h-1m"'],
      ['1\u00b5', 'time: unknown unit "\\xc2\\xb5" in duration "1\\xc2\\xb5"'],
      ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
      ['9223372036854775809ns', 'time: invalid duration "9223372036854775809ns"'],
      ['2562048h', 'time: invalid duration "2562048h"'],
      ['2562047h1h', 'time: invalid duration "2562047h1h"'],
      ['a"', 'time: invalid duration "a\\""'],
      ['1constructor', 'time: unknown unit "constructor" in duration "1constructor"'],
    ];
    for (const [text, message] of table)
      t.equal(
        refusal(() => parseDuration(text)),
        message,
        text,
      );
    t.match(
      refusal(() => parseDuration('1s'.repeat(100_000))),
      /^time: invalid duration/,
    );
    t.end();
  });

  t.test('come back from their text to the nanosecond', (t) => {
    const nanos = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(-(10n ** 10n), 10n ** 10n));
    fc.assert(
      fc.property(nanos, (n) => {
        assert.equal(parseDuration(printDuration(n)), n);
        assert.equal(canonicalDuration(printDuration(n)), printDuration(n));
      }),
      { numRuns: runs(300) },
    );
    t.pass();
    t.end();
  });

  t.test('are ages of one or two units in a table', (t) => {
    const [s, m, h, d] = [1000, 60_000, 3_600_000, 86_400_000];
    const table: [number, string][] = [
      [-2 * s, '<invalid>'],
      [-1.9 * s, '0s'],
      [0, '0s'],
      [119.9 * s, '119s'],
      [2 * m, '2m'],
      [9 * m + 59 * s, '9m59s'],
      [10 * m + 59 * s, '10m'],
      [3 * h - 1, '179m'],
      [3 * h, '3h'],
      [7 * h + 59 * m, '7h59m'],
      [8 * h + 59 * m, '8h'],
      [48 * h - 1, '47h'],
      [2 * d, '2d'],
      [7 * d + 23 * h, '7d23h'],
      [8 * d + 23 * h, '8d'],
      [2 * 365 * d - 1, '729d'],
      [2 * 365 * d, '2y'],
      [3 * 365 * d + 10 * d, '3y10d'],
      [8 * 365 * d, '8y'],
      [20 * 365 * d + 300 * d, '20y'],
    ];
    for (const [ms, age] of table) t.equal(humanDuration(ms), age, String(ms));
    t.end();
  });

  t.end();
});
