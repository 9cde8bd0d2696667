// The bound on nesting that lets the rest of this folder recurse: a patch is measured once before anything walks it.
// The same bound as the decoder's, so that no patched document is refused there for its depth alone.
import { depthMax } from '../schema/decode.js';
import { PatchError } from './patch-error.js';

/** Refuses a value nested deeper than the limit. Costs one visit per object and list. */
export function checkDepth(value: unknown, levelsMax: number = depthMax): void {
  if (typeof value !== 'object' || value === null) return;
  if (levelsMax === 0) throw new PatchError('malformed', 'exceeded max depth');
  if (Array.isArray(value)) {
    for (const element of value) checkDepth(element, levelsMax - 1);
    return;
  }
  for (const key in value) checkDepth((value as Readonly<Record<string, unknown>>)[key], levelsMax - 1);
}
