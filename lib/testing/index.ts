// What users test their own parts with: suites that need no test runner, and the checkers behind them.
export type { StoreHarness, SuiteLimits } from './store-suite.js';
export { storeSuite } from './store-suite.js';
export type {
  CommitOperation,
  GetOperation,
  History,
  ListOperation,
  RecordedOperation,
  RecordOptions,
  Violation,
  WatchRecord,
} from './store-history.js';
export { describeOperation, recordHistory } from './store-history.js';
export type { RegisterHistory, RegisterOperation, RegisterViolation } from './linearizability.js';
export { checkRegisters, checkRevisions, describeRegister, registersOf } from './linearizability.js';
