// A call to a webhook: an object goes out, an object comes back. Token reviews, access reviews, admission and
// conversion all call through this one contract, so a test suite registers a plain function where a cluster has a
// server, and what is careful about calling over a network is written once.
import type { JsonObject } from '../core/index.js';

/**
 * Sends an object and resolves with the answer, both frozen. Rejects with WebhookError where there is none: refused,
 * too late, too long, no JSON. The signal ends it early; it then rejects with the signal's reason.
 */
export type WebhookCall = (request: JsonObject, signal?: AbortSignal) => Promise<JsonObject>;
