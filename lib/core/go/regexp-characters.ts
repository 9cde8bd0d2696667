// Sets of characters in regular expressions of Go: ranges, Perl's and POSIX' classes, Unicode categories and scripts.
// A set is a question about a code point. For regexp.ts and its matcher.
// As regexp/syntax/perl_groups.go and parse.go, unicodeTable, except that Unicode's tables are JavaScript's.

/** Whether a code point is in a set. */
export type CharacterSet = (codePoint: number) => boolean;

/** From one code point to another, both included. */
export function range(low: number, high: number): CharacterSet {
  return (codePoint) => codePoint >= low && codePoint <= high;
}

/** A first and a last code point. */
export type Range = readonly [low: number, high: number];

/** All that is in any of the ranges, which are merged and searched by halves. */
export function anyRange(ranges: readonly Range[]): CharacterSet {
  const [lows, highs]: [number[], number[]] = [[], []];
  for (const [low, high] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = highs.length - 1;
    if (last >= 0 && low <= (highs[last] ?? 0) + 1) highs[last] = Math.max(highs[last] ?? 0, high);
    else {
      lows.push(low);
      highs.push(high);
    }
  }
  return (codePoint) => {
    let [from, to] = [0, lows.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((lows[middle] ?? 0) <= codePoint) from = middle + 1;
      else to = middle;
    }
    return from > 0 && codePoint <= (highs[from - 1] ?? -1);
  };
}

/** All that is in none of the sets, or in any of them. */
export function union(sets: readonly CharacterSet[], negated = false): CharacterSet {
  const set = (codePoint: number): boolean => sets.some((contains) => contains(codePoint)) !== negated;
  return sets.length > 8 ? remembered(set) : set;
}

/** A set that does not tell cases apart. */
function folded(set: CharacterSet): CharacterSet {
  return remembered((codePoint) => set(codePoint) || otherCases(codePoint).some(set));
}

/** The same set for one that takes long: the results of the last code points are kept. */
function remembered(set: CharacterSet): CharacterSet {
  const known = new Map<number, boolean>();
  return (codePoint) => {
    const before = known.get(codePoint);
    if (before !== undefined) return before;
    const result = set(codePoint);
    if (known.size >= rememberedMax) known.clear();
    known.set(codePoint, result);
    return result;
  };
}

const rememberedMax = 4096;

/** A set, case-sensitive or not. */
export function sensitive(set: CharacterSet, fold: boolean): CharacterSet {
  return fold ? folded(set) : set;
}

/** `\d`, `\w`, `\s` and their opposites; undefined for other letters. */
export function perlClass(letter: string, fold: boolean): CharacterSet | undefined {
  const set = perlClasses.get(letter.toLowerCase());
  return set && union([sensitive(set, fold)], letter !== letter.toLowerCase());
}

/** `[:alpha:]`, `[:^alpha:]`, with the brackets; undefined for unknown names. */
export function posixClass(text: string, fold: boolean): CharacterSet | undefined {
  const negated = text.startsWith('[:^');
  const characters = posixClasses.get(text.slice(negated ? 3 : 2, -2));
  return characters === undefined ? undefined : union([sensitive(union(rangesOf(characters)), fold)], negated);
}

/** `\p{Lu}`, `\p{Greek}`: a category or a script; undefined for unknown names. */
export function unicodeClass(name: string): CharacterSet | undefined {
  if (name === 'Any') return () => true;
  if (!/^[A-Za-z]+$/.test(name)) return undefined;
  const pattern = propertyPattern(`\\p{General_Category=${name}}`) ?? propertyPattern(`\\p{Script=${name}}`);
  return pattern && remembered((codePoint) => pattern.test(String.fromCodePoint(codePoint)));
}

/** What `\b` counts as part of a word. */
export function isWordCharacter(codePoint: number): boolean {
  return wordSet(codePoint);
}

/** Pairs of first and last characters. */
function rangesOf(text: string): readonly CharacterSet[] {
  const sets: CharacterSet[] = [];
  for (let i = 0; i + 1 < text.length; i += 2) sets.push(range(text.charCodeAt(i), text.charCodeAt(i + 1)));
  return sets;
}

const wordSet: CharacterSet = union(rangesOf('09AZ__az'));

const perlClasses: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', range(0x30, 0x39)],
  ['s', union(rangesOf('\t\n\f\r  '))],
  ['w', wordSet],
]);

const posixClasses: ReadonlyMap<string, string> = new Map([
  ['alnum', '09AZaz'],
  ['alpha', 'AZaz'],
  ['ascii', '\x00\x7f'],
  ['blank', '\t\t  '],
  ['cntrl', '\x00\x1f\x7f\x7f'],
  ['digit', '09'],
  ['graph', '!~'],
  ['lower', 'az'],
  ['print', ' ~'],
  ['punct', '!/:@[`{~'],
  ['space', '\t\r  '],
  ['upper', 'AZ'],
  ['word', '09AZ__az'],
  ['xdigit', '09AFaf'],
]);

function propertyPattern(source: string): RegExp | undefined {
  try {
    return new RegExp(`^${source}$`, 'u');
  } catch {
    return undefined;
  }
}

/** The other spellings of a character that differ in case only: `k`, `K` and the Kelvin sign. */
function otherCases(codePoint: number): readonly number[] {
  const character = String.fromCodePoint(codePoint);
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  const texts = [lower, upper, upper.toLowerCase(), lower.toUpperCase()];
  // Cases of several characters are no single code point, and Go does not fold them.
  return texts.flatMap((text) => {
    const first = text.codePointAt(0) ?? 0;
    return text.length === (first > 0xffff ? 2 : 1) ? [first] : [];
  });
}
