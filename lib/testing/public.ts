// What users test their own parts with: suites that need no test runner, and the checkers behind them.
export type { StoreHarness, SuiteLimits } from './store-suite.js';
export { storeSuite } from './store-suite.js';
export type {
  ContainerProgram,
  ExecBehaviour,
  ProgramBehaviour,
  RuntimeFeature,
  RuntimeHarness,
  RuntimeSuiteOptions,
} from './runtime-suite.js';
export { runtimeSuite } from './runtime-suite.js';
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
export type { RegisterHistory, RegisterOperation } from './linearizability/register-history.js';
export { describeRegister, registersOf } from './linearizability/register-history.js';
export type { RegisterViolation } from './linearizability/registers.js';
export { checkRegisters } from './linearizability/registers.js';
export { checkRevisions } from './linearizability/revisions.js';
