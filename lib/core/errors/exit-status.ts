// The Status at the end of an exec or attach: success, or the exit code of the command.
import { successStatus } from './status.js';
import type { Status } from './status.js';

/**
 * The Status of a command that ended with an exit code. As pkg/kubelet's ServeExec: a failure has the reason
 * `NonZeroExitCode`, its code as a cause, and no HTTP status.
 */
export function exitStatus(code: number): Status {
  if (code === 0) return successStatus();
  return Object.freeze({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: Object.freeze({}),
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: nonZeroExitCode,
    details: Object.freeze({ causes: Object.freeze([Object.freeze({ reason: exitCodeCause, message: `${code}` })]) }),
  });
}

/** The exit code that a Status carries: 0 for success, undefined for any other failure. */
export function exitCodeOf({ status, reason, details }: Status): number | undefined {
  if (status === 'Success') return 0;
  const text = details?.causes?.find((cause) => cause.reason === exitCodeCause)?.message;
  return reason === nonZeroExitCode && text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
}

const nonZeroExitCode = 'NonZeroExitCode';
const exitCodeCause = 'ExitCode';
