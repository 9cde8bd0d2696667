// The one error of this folder's parsers: text or an object from outside that does not say what it should.
// Its message is Kubernetes' own to the letter, because the API server answers 400 with it. Recognised by name, not by
// class identity, so that two copies of the package agree.

/** Refused input; `message` is what the client is told. */
export class ParseError extends Error {
  override readonly name = 'ParseError';
}

/** Whether a caught value is a refusal of input rather than a defect. */
export function isParseError(error: unknown): error is ParseError {
  return error instanceof Error && error.name === 'ParseError';
}
