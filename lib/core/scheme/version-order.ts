// The order of API versions: stable before beta before alpha, then the higher number first; names that are not of
// Kubernetes' form (`v` and a number, perhaps `alpha` or `beta` and a number) come last, in alphabetical order.
// As apimachinery/pkg/version/helpers.go, CompareKubeAwareVersionStrings, which sorts the other way round and takes
// `v01` and `v1` for equal: here the spelling decides between them, so that the order is total.

/** How much a version promises; `undefined` is a name that is not of Kubernetes' form. */
export type Stability = 'stable' | 'beta' | 'alpha';

/** Compares for Array.sort: negative when `a` is preferred, zero only for the same name. */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) {
    if (left !== right) return left === undefined ? 1 : -1;
    return a < b ? -1 : 1;
  }
  return (
    rank[left.stability] - rank[right.stability] ||
    right.major - left.major ||
    right.minor - left.minor ||
    (a < b ? -1 : 1)
  );
}

/** The parts of a version's name: stability and numbers. */
export function stabilityOf(version: string): Stability | undefined {
  return parseVersion(version)?.stability;
}

/** Returns whether the version is `v1`, `v2` and so on. */
export function isStable(version: string): boolean {
  return stabilityOf(version) === 'stable';
}

const rank: Readonly<Record<Stability, number>> = { stable: 0, beta: 1, alpha: 2 };

// Numbers of more digits than a double holds exactly are no versions; Go draws the line at 64 bits.
const versionForm = /^v([0-9]{1,15})(?:(alpha|beta)([0-9]{1,15}))?$/;

interface ParsedVersion {
  readonly major: number;
  readonly stability: Stability;
  readonly minor: number;
}

function parseVersion(version: string): ParsedVersion | undefined {
  const [whole, major, stage, minor] = versionForm.exec(version) ?? [];
  if (whole === undefined) return undefined;
  return {
    major: Number(major),
    stability: stage === 'alpha' || stage === 'beta' ? stage : 'stable',
    minor: Number(minor ?? 0),
  };
}
