// The policy of a namespace: a level of the Pod Security Standards and a version of them for each of the three modes,
// read from the labels of the namespace, with the configured defaults for labels that it does not have.
// As pod-security-admission/api/helpers.go.
import { fieldInvalid, fieldPath } from '../../core/index.js';
import type { FieldError } from '../../core/index.js';

/** A level of the Pod Security Standards. */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** A version of the standards: `v1.0`, `v1.1` …, or `latest`. */
export type PolicyVersion = string;

/** What pods are held to. */
export interface LevelVersion {
  readonly level: PodSecurityLevel;
  readonly version: PolicyVersion;
}

/** What happens to a pod that violates a level: it is refused, audited, or the client is warned. */
export type Mode = 'enforce' | 'audit' | 'warn';

/** The policy of a namespace. */
export type Policy = Readonly<Record<Mode, LevelVersion>>;

/** A policy, and what is wrong with the labels it was read from. The policy is valid also where labels are not. */
export interface ParsedPolicy {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

/** The prefix of labels of namespaces and of audit annotations. */
export const podSecurityPrefix = 'pod-security.kubernetes.io/';

/**
 * Returns the policy that labels ask for. An invalid enforce level means `restricted`, an invalid audit or warn level
 * `privileged`, an invalid version `latest`. Without a warn level, warnings follow a stricter enforce level.
 */
export function policyOf(labels: Readonly<Record<string, string>> | undefined, defaults: Policy): ParsedPolicy {
  if (labels === undefined) return { policy: defaults, errors: [] };
  const errors: FieldError[] = [];
  const read = (
    mode: Mode,
    instead: PodSecurityLevel,
  ): { readonly found: LevelVersion; readonly hasValidLevel: boolean } => {
    const [levelLabel, versionLabel] = [`${podSecurityPrefix}${mode}`, `${podSecurityPrefix}${mode}-version`];
    let { level, version } = defaults[mode];
    let hasValidLevel = false;
    const levelText = labelOf(labels, levelLabel);
    if (levelText !== undefined) {
      hasValidLevel = isLevel(levelText);
      level = isLevel(levelText) ? levelText : instead;
      if (!hasValidLevel) errors.push(fieldInvalid(labelsPath.key(levelLabel), levelText, levelProblem));
    }
    const versionText = labelOf(labels, versionLabel);
    if (versionText !== undefined) {
      version = isPolicyVersion(versionText) ? versionText : 'latest';
      if (!isPolicyVersion(versionText))
        errors.push(fieldInvalid(labelsPath.key(versionLabel), versionText, versionProblem));
    }
    return { found: { level, version }, hasValidLevel };
  };
  const { found: enforce, hasValidLevel: enforces } = read('enforce', 'restricted');
  const { found: audit } = read('audit', 'privileged');
  let { found: warn } = read('warn', 'privileged');
  const warnsByItself = labelOf(labels, `${podSecurityPrefix}warn`) !== undefined;
  if (!warnsByItself && enforces && strictness[enforce.level] > strictness[warn.level]) {
    const hasVersion = labelOf(labels, `${podSecurityPrefix}warn-version`) !== undefined;
    warn = { level: enforce.level, version: hasVersion ? warn.version : enforce.version };
  }
  return { policy: { enforce, audit, warn }, errors };
}

/** `restricted:latest`. */
export function printLevelVersion({ level, version }: LevelVersion): string {
  return `${level}:${version}`;
}

/** Whether a text names a level. */
export function isLevel(text: string): text is PodSecurityLevel {
  return Object.hasOwn(strictness, text);
}

/** Whether a text names a version: `latest`, or `v1.x` where x fits the int64 of Kubernetes. */
export function isPolicyVersion(text: string): boolean {
  if (text === 'latest') return true;
  return /^v1\.(?:0|[1-9][0-9]{0,18})$/.test(text) && BigInt(text.slice('v1.'.length)) < 2n ** 63n;
}

/** The minor version; Infinity for `latest`, which is newer than any other. */
export function minorOf(version: PolicyVersion): number {
  return version === 'latest' ? Infinity : Number(version.slice('v1.'.length));
}

export function isSameLevelVersion(one: LevelVersion, other: LevelVersion): boolean {
  return one.level === other.level && one.version === other.version;
}

/** Whether both hold pods to the same: versions of `privileged` do not differ. */
export function isEquivalentPolicy(one: Policy, other: Policy): boolean {
  return modes.every(
    (mode) =>
      (one[mode].level === 'privileged' && other[mode].level === 'privileged') ||
      isSameLevelVersion(one[mode], other[mode]),
  );
}

/** Whether no mode asks anything of a pod. */
export function isFullyPrivileged(policy: Policy): boolean {
  return modes.every((mode) => policy[mode].level === 'privileged');
}

/** The levels, from the one that allows everything to the one that allows least. */
export const strictness: Readonly<Record<PodSecurityLevel, number>> = { privileged: 0, baseline: 1, restricted: 2 };

/** The modes in the order in which the policy of a namespace is printed. */
export const modes: readonly Mode[] = ['enforce', 'audit', 'warn'];

/** Why a text is no level. */
export const levelProblem = 'must be one of privileged, baseline, restricted';

/** Why a text is no version. */
export const versionProblem = 'must be "latest" or "v1.x"';

const labelsPath = fieldPath('metadata', 'labels');

function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
