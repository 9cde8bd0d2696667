// The contract of compilers for device selector expressions. The default is CEL (cel-selectors.ts).
import type { OfferedDevice } from '../allocation/devices.js';

/** Compiles device selector expressions. */
export interface SelectorCompiler {
  /** Returns the matcher of an expression, possibly a cached one. Throws `SelectorError` if it does not compile. */
  compile(expression: string): DeviceMatcher;
}

/** Returns whether an expression selects a device. Throws `SelectorError` if the evaluation fails. */
export type DeviceMatcher = (device: OfferedDevice) => boolean;

/** An expression that does not compile, or whose evaluation failed. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
  readonly phase: 'compile' | 'runtime';

  constructor(phase: 'compile' | 'runtime', message: string) {
    super(message);
    this.phase = phase;
  }
}
