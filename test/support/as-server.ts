// A bare handler as a server of the wire, with the built-in kinds.
import type { Handler } from '../../lib/core/index.js';
import { createKinds } from '../../lib/core/index.js';
import type { WireServer } from '../../lib/server/index.js';

/** A server of that handler. */
export function asServer(handler: Handler): WireServer {
  return { handler, kinds: createKinds() };
}
