/**
 * How a call over gRPC fails. Besides the status it has what matters most to a writer: whether the
 * server can have acted on the request. Made by grpc-session.ts, read by etcd-errors.ts and etcd-client.ts.
 */

/** The statuses that are distinguished here; the numbers are gRPC's (grpc/doc/statuscodes.md). */
export const grpcStatuses = {
  ok: 0,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

/** A call that did not end well. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  readonly status: number;
  /** False where the request certainly was not processed; true where it was, or may have been. */
  readonly reached: boolean;

  constructor(status: number, message: string, options: ErrorOptions & { readonly reached: boolean }) {
    super(message, options);
    this.status = status;
    this.reached = options.reached;
  }
}

/** The failure of a call that never left this process. */
export function notSent(message: string, cause?: unknown): GrpcError {
  return new GrpcError(grpcStatuses.unavailable, message, { cause, reached: false });
}

/** The failure of a call whose answer makes no sense. */
export function unreadableAnswer(cause: unknown): GrpcError {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return new GrpcError(grpcStatuses.internal, `the answer cannot be read${reason}`, { cause, reached: true });
}
