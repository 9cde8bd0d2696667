// The HTTP status of a response, for the audit log and metrics.
import type { ApiResponse } from '../client/index.js';

/** The code under which a response is recorded: that of a stream is the upgrade's. */
export function codeOf(response: ApiResponse): number {
  switch (response.type) {
    case 'watch':
      return 200;
    case 'stream':
      return 101;
    case 'object':
    case 'raw':
      return response.code;
  }
}
