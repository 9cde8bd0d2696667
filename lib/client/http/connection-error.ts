// The error of a client over HTTP that got no valid response: the server was not reached, the connection broke, or the
// response does not follow the API. The server may or may not have carried out the request. Errors of the server itself
// are ApiErrors.

/** No response, or an invalid one. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Returns whether a value is a ConnectionError. Checks the name, so that it works across copies of this package. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return error instanceof Error && error.name === 'ConnectionError';
}
