// Failures inside of an evaluation. They are values, since `&&`, `||` and loops may absorb them, and since making an
// Error with a stack trace is slow where a loop fails for every element.

/** A failed evaluation of a part of an expression. */
export class EvaluationFailure {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Returns a failure with a message. */
export const failedWith = (message: string): EvaluationFailure => new EvaluationFailure(message);

/** The failure of an operation on values that it is not defined for. */
export const noSuchOverload: EvaluationFailure = failedWith('no such overload');

/** The failure of arithmetic that leaves the range of int64. */
export const integerOverflow: EvaluationFailure = failedWith('integer overflow');

/** The failure of arithmetic that leaves the range of uint64. */
export const unsignedOverflow: EvaluationFailure = failedWith('unsigned integer overflow');
