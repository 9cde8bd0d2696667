// What a client over HTTP says where it got no answer: the server was not reached, the connection broke, or what came
// back is nothing that an API server says. Whether the request was carried out nobody knows. Refusals are ApiErrors.

/** No answer, or none that makes sense. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Whether a caught value is a ConnectionError; by name, so that two copies of this package understand each other. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return error instanceof Error && error.name === 'ConnectionError';
}
