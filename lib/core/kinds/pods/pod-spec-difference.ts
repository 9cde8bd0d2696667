// What differs between two parts of a pod, for the message that refuses it: a difference of their internal forms, line
// by line. As apimachinery/pkg/util/diff/diff.go, Diff.
import { internalForm } from '../internal-form.js';
import { unifiedDiff } from './unified-diff.js';

/** The difference of two specifications. */
export function podSpecDifference(before: object, after: object): string {
  return difference('PodSpec', before, after);
}

/** The difference of two ephemeral containers. */
export function ephemeralContainerDifference(before: object, after: object): string {
  return difference('EphemeralContainer', before, after);
}

function difference(structure: string, before: object, after: object): string {
  return unifiedDiff(pretty(internalForm(structure, before)), pretty(internalForm(structure, after)));
}

/** As json.MarshalIndent, which hides what a browser could take for markup. */
function pretty(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
