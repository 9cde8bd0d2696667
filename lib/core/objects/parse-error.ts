// The one error of this folder's parsers: text or an object from outside that does not say what it should.
// Its message is Kubernetes' own to the letter, because the API server answers 400 with it. Recognised by name, not by
// class identity, so that two copies of the package agree.

/** Input that cannot be parsed; `message` is sent to the client. */
export class ParseError extends Error {
  override readonly name = 'ParseError';
}

/** Returns whether a caught value is a ParseError, by its name. */
export function isParseError(error: unknown): error is ParseError {
  return error instanceof Error && error.name === 'ParseError';
}
