// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { podDisruptionBudget, podDisruptionBudgetDefaults } from './pod-disruption-budget.js';

/** The strategy of each kind of the group. */
export const policyKinds: Readonly<Record<string, KindParticulars>> = {
  'policy/v1/PodDisruptionBudget': { strategy: podDisruptionBudget, setDefaults: podDisruptionBudgetDefaults },
};
