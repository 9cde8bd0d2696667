// Versions by semver.org 2.0.0 as values: `semver('1.2.3')`, their numbers and their order. `normalize` also accepts
// what people write: a `v` in front, leading zeros, missing numbers.
import { quote } from '../../core/index.js';
import { boolType, intType, opaqueType, stringType } from '../cel-type.js';
import type { OpaqueType } from '../cel-type.js';
import { OpaqueValue, TypeValue, int } from '../cel-value.js';
import type { CelValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import type { FunctionDeclaration, Library } from '../library.js';
import { readsFirst, traversalCost } from './costs.js';
import { declareFunction, globalOverload, memberOverload } from './overloads.js';

/** The type of versions. */
const semverType: OpaqueType = opaqueType('kubernetes.Semver');

interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly string[];
}

/** A version. Build metadata has no part in comparison. */
class SemverValue extends OpaqueValue {
  readonly type: OpaqueType = semverType;
  readonly version: Version;

  constructor(version: Version) {
    super();
    this.version = version;
  }

  equals(other: CelValue): boolean {
    return other instanceof SemverValue && compareVersions(this.version, other.version) === 0;
  }
}

const reads = { cost: ([text]: readonly CelValue[]) => traversalCost(text), estimate: readsFirst };

const functions: readonly FunctionDeclaration[] = [
  declareFunction(
    'semver',
    globalOverload('string_to_semver', [stringType], semverType, (text) => parse(text as string), reads),
    globalOverload('string_bool_to_semver', [stringType, boolType], semverType, parseEither, reads),
  ),
  declareFunction(
    'isSemver',
    globalOverload('is_semver_string', [stringType], boolType, (text) => isSemver(text, false), reads),
    globalOverload('is_semver_string_bool', [stringType, boolType], boolType, isSemver, reads),
  ),
  ...(['major', 'minor', 'patch'] as const).map((name, index) =>
    declareFunction(
      name,
      memberOverload(`semver_${name}`, [semverType], intType, (value) =>
        int((value as SemverValue).version.numbers[index] ?? 0n),
      ),
    ),
  ),
  declareFunction(
    'isLessThan',
    memberOverload('semver_is_less_than', [semverType, semverType], boolType, (a, b) => order(a, b) < 0),
  ),
  declareFunction(
    'isGreaterThan',
    memberOverload('semver_is_greater_than', [semverType, semverType], boolType, (a, b) => order(a, b) > 0),
  ),
  declareFunction('compareTo', memberOverload('semver_compare_to', [semverType, semverType], intType, order)),
];

/** The functions of versions. */
export const semverLibrary: Library = {
  name: 'kubernetes.Semver',
  functions,
  constants: { [semverType.name]: { type: { kind: 'type', of: semverType }, value: new TypeValue(semverType) } },
};

function order(a: CelValue | undefined, b: CelValue | undefined): number {
  return compareVersions((a as SemverValue).version, (b as SemverValue).version);
}

function parseEither(text: CelValue | undefined, normalize: CelValue | undefined): SemverValue {
  return parse(normalize === true ? normalized(text as string) : (text as string));
}

function isSemver(text: CelValue | undefined, normalize: CelValue | undefined): boolean {
  try {
    parseEither(text, normalize);
    return true;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
}

/** Returns the value of a version. Throws EvaluationError where the text is none. */
export function semverValue(text: string): OpaqueValue {
  return parse(text);
}

function parse(text: string): SemverValue {
  if (text === '') throw new EvaluationError('Version string empty');
  const [major, minor, ...rest] = text.split('.');
  if (major === undefined || minor === undefined || rest.length === 0)
    throw new EvaluationError('No Major.Minor.Patch elements found');
  const first = number(major, 'Major');
  const second = number(minor, 'Minor');
  const [core, build] = cut(rest.join('.'), '+');
  const [patch, prerelease] = cut(core, '-');
  const third = number(patch, 'Patch');
  const identifiers = prerelease?.split('.') ?? [];
  identifiers.forEach(checkPrerelease);
  build?.split('.').forEach(checkBuild);
  return new SemverValue({ numbers: [first, second, third], prerelease: identifiers });
}

function cut(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function number(text: string, name: 'Major' | 'Minor' | 'Patch'): bigint {
  if (/[^0-9]/.test(text))
    throw new EvaluationError(`Invalid character(s) found in ${name.toLowerCase()} number ${quote(text)}`);
  if (/^0./.test(text)) throw new EvaluationError(`${name} number must not contain leading zeroes ${quote(text)}`);
  const problem = text === '' ? 'invalid syntax' : BigInt(text) >= 2n ** 64n ? 'value out of range' : undefined;
  if (problem !== undefined) throw new EvaluationError(`strconv.ParseUint: parsing ${quote(text)}: ${problem}`);
  return BigInt(text);
}

function checkPrerelease(identifier: string): void {
  if (identifier === '') throw new EvaluationError('Prerelease is empty');
  if (/^[0-9]+$/.test(identifier)) {
    if (/^0./.test(identifier))
      throw new EvaluationError(`Numeric PreRelease version must not contain leading zeroes ${quote(identifier)}`);
    return;
  }
  if (/[^0-9A-Za-z-]/.test(identifier))
    throw new EvaluationError(`Invalid character(s) found in prerelease ${quote(identifier)}`);
}

function checkBuild(identifier: string): void {
  if (identifier === '') throw new EvaluationError('Build meta data is empty');
  if (/[^0-9A-Za-z-]/.test(identifier))
    throw new EvaluationError(`Invalid character(s) found in build meta data ${quote(identifier)}`);
}

/** Returns the text in the strict form, as far as it can be understood. */
function normalized(text: string): string {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = minor === undefined ? [major] : [major, minor, ...(rest.length > 0 ? [rest.join('.')] : [])];
  const shortened = parts.map((part) => {
    const stripped = part.length > 1 ? part.replace(/^0+/, '') : part;
    return part.length > 1 && !/^[0-9]/.test(stripped) ? `0${stripped}` : stripped;
  });
  if (shortened.length < 3 && /[+-]/.test(shortened.at(-1) ?? ''))
    throw new EvaluationError('short version cannot contain PreRelease/Build meta data');
  return [...shortened, '0', '0'].slice(0, Math.max(3, shortened.length)).join('.');
}

function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < 3; i++) {
    const [x, y] = [a.numbers[i] ?? 0n, b.numbers[i] ?? 0n];
    if (x !== y) return x < y ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(Number(a.prerelease.length === 0) - Number(b.prerelease.length === 0));
  const common = Math.min(a.prerelease.length, b.prerelease.length);
  for (let i = 0; i < common; i++) {
    const compared = compareIdentifiers(a.prerelease[i] ?? '', b.prerelease[i] ?? '');
    if (compared !== 0) return compared;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}

/** Numbers come before texts. */
function compareIdentifiers(a: string, b: string): number {
  if (a === b) return 0;
  const [x, y] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (x !== y) return x ? -1 : 1;
  if (x) return BigInt(a) < BigInt(b) ? -1 : 1;
  return a < b ? -1 : 1;
}
