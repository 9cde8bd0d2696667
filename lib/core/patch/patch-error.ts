// The one error of this folder: a patch that cannot be read, or does not fit the document. The code says how a server
// answers; the message is Kubernetes' own wherever a client gets to read it. As
// apiserver/pkg/endpoints/handlers/patch.go (applyJSPatch, interpretStrategicMergePatchError) sorts them.
// Recognised by name, not by class identity, so that two copies of the package agree.

/**
 * What a server makes of the failure:
 * - `malformed`: 400 with the message;
 * - `tooLarge`: 413, the message being its detail;
 * - `invalid`: 422 with a fixed sentence; the message is for logs;
 * - `internal`: 500 with the message and no reason.
 */
export type PatchErrorCode = 'malformed' | 'tooLarge' | 'invalid' | 'internal';

/** A refused patch. The document it was meant for is unchanged. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly code: PatchErrorCode;
  /** Whether the patch was refused because a `test` operation found another value. */
  readonly isFailedTest: boolean;

  constructor(
    code: PatchErrorCode,
    message: string,
    { isFailedTest = false }: { readonly isFailedTest?: boolean } = {},
  ) {
    super(message);
    this.code = code;
    this.isFailedTest = isFailedTest;
  }
}

/** Returns whether a caught value is a PatchError, by its name. */
export function isPatchError(error: unknown): error is PatchError {
  return error instanceof Error && error.name === 'PatchError';
}
