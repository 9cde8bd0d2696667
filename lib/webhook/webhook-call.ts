// The contract of a webhook call: one object is sent, one object is returned. Token reviews, access reviews, admission
// and conversion use it, so a test suite can register a plain function in place of a server.
import type { JsonObject } from '../core/index.js';

/**
 * Sends an object and resolves to the response, both frozen. Rejects with WebhookError if there is no valid response:
 * error status, timeout, too long, not JSON. The signal aborts the call, which then rejects with the signal's reason.
 */
export type WebhookCall = (request: JsonObject, signal?: AbortSignal) => Promise<JsonObject>;
