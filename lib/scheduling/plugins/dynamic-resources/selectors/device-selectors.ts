// The seam for expressions that select devices. Kubernetes has CEL there; the compiler that stands behind this seam by
// default understands the part of it that drivers and users write in practice, and refuses the rest by name.
import type { OfferedDevice } from '../allocation/devices.js';

/** Compiles expressions. */
export interface SelectorCompiler {
  /** Asked again, it need not compile again. Throws `SelectorError` when the expression cannot be compiled. */
  compile(expression: string): DeviceMatcher;
}

/** Whether a device is one of those an expression selects. Throws `SelectorError` when that cannot be said. */
export type DeviceMatcher = (device: OfferedDevice) => boolean;

/** An expression does not compile, or fails for a device. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
  readonly phase: 'compile' | 'runtime';

  constructor(phase: 'compile' | 'runtime', message: string) {
    super(message);
    this.phase = phase;
  }
}
