// The Pod Security Standards as one table: which checks a level has at a version. A version beyond the newest change of
// any check has the checks of that change. As pod-security-admission/policy/registry.go.
import { baselineChecks } from './baseline-checks.js';
import { checkedPod } from './check.js';
import type { CheckFunction, PodCheck, CheckedTemplate, CheckViolation } from './check.js';
import { minorOf } from './policy.js';
import type { LevelVersion } from './policy.js';
import { restrictedChecks } from './restricted-checks.js';

/** Returns what is wrong with a pod at a level and version; nothing at the level `privileged`. */
export type PodEvaluator = (pod: CheckedTemplate, policy: LevelVersion) => readonly CheckViolation[];

/** Creates an evaluator, which remembers the checks of each level and version. */
export function podEvaluator(): PodEvaluator {
  const known = new Map<string, readonly CheckFunction[]>();
  return (pod, { level, version }) => {
    if (level === 'privileged') return [];
    // Bounded: no more keys than versions of the standards, twice.
    const minor = Math.min(minorOf(version), newestMinor);
    const key = `${level} ${minor}`;
    let checks = known.get(key);
    if (checks === undefined) known.set(key, (checks = checksAt(level, minor).map(({ check }) => check)));
    const checked = checkedPod(pod);
    return checks.flatMap((check) => check(checked) ?? []);
  };
}

/** The checks that apply, those of `baseline` first. */
export function checksAt(
  level: 'baseline' | 'restricted',
  minor: number,
): readonly { readonly id: string; readonly check: CheckFunction }[] {
  const restricted = level === 'restricted' ? applying(restrictedChecks, minor) : [];
  const replaced = new Set(restricted.flatMap(({ replaces }) => replaces));
  return [...applying(baselineChecks, minor).filter(({ id }) => !replaced.has(id)), ...restricted];
}

/** `host namespaces, privileged`. */
export function reasonsText(violations: readonly CheckViolation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}

/** `host namespaces (hostPID=true), privileged (container "a" …)`. */
export function violationsText(violations: readonly CheckViolation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}

/** The newest version at which a check changed. */
export const newestMinor: number = Math.max(
  ...[...baselineChecks, ...restrictedChecks].flatMap(({ versions }) => versions.map(({ sinceMinor }) => sinceMinor)),
);

function applying(
  checks: readonly PodCheck[],
  minor: number,
): readonly { readonly id: string; readonly check: CheckFunction; readonly replaces: readonly string[] }[] {
  return checks.flatMap(({ id, versions, replaces = [] }) => {
    const current = versions.findLast(({ sinceMinor }) => sinceMinor <= minor);
    return current === undefined ? [] : [{ id, check: current.check, replaces }];
  });
}
