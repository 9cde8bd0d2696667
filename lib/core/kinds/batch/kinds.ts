// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';

/** What is particular to each kind of the group. */
export const batchKinds: Readonly<Record<string, KindParticulars>> = {};
