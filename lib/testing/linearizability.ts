/**
 * Whether a recorded history is strictly serializable, asked in two ways. `checkRevisions` believes the revisions the
 * store claims and demands that they explain everything: transactions over several keys, lists, failed commits,
 * watches.
 * `checkRegisters` believes none and searches, key by key, for any order that would do: what it finds wrong is wrong
 * whatever the revisions say. A store must pass both.
 */
export { checkRevisions } from './linearizability/revisions.js';
export { checkRegisters, type RegisterViolation } from './linearizability/registers.js';
export {
  describeRegister,
  registersOf,
  type RegisterHistory,
  type RegisterOperation,
} from './linearizability/register-history.js';
