// A webhook that is a function of this process, for test suites and simulations. Its input is frozen and its result is
// serialized to JSON and back, so that it behaves as a remote server does.
import { defer } from 'rxjs';
import { deepFreeze, errorText, isJsonObject, parseJson } from '../core/index.js';
import type { JsonObject } from '../core/index.js';
import { firstValueUntilAborted } from './timed-call.js';
import type { WebhookCall } from './webhook-call.js';
import { WebhookError, isWebhookError } from './webhook-error.js';

/** Handles a webhook call; may return a value or a promise. Throw a WebhookError to simulate a network failure. */
export type WebhookFunction = (request: JsonObject, signal: AbortSignal | undefined) => object | Promise<object>;

/** Returns a call that invokes the function. */
export function inProcessCall(answer: WebhookFunction): WebhookCall {
  return async (request, signal) =>
    answerOf(
      await firstValueUntilAborted(
        signal,
        defer(() => asked(answer, deepFreeze(request), signal)),
      ),
    );
}

async function asked(answer: WebhookFunction, request: JsonObject, signal: AbortSignal | undefined): Promise<unknown> {
  try {
    return await answer(request, signal);
  } catch (cause) {
    throw isWebhookError(cause) ? cause : new WebhookError('failed', errorText(cause), { cause });
  }
}

function answerOf(given: unknown): JsonObject {
  const value = throughJson(given);
  if (!isJsonObject(value))
    throw new WebhookError('malformed', 'the webhook answered with something else than an object');
  return deepFreeze(value);
}

function throughJson(given: unknown): unknown {
  try {
    return parseJson(JSON.stringify(given));
  } catch (cause) {
    throw new WebhookError('malformed', `the webhook's answer is no JSON: ${errorText(cause)}`, { cause });
  }
}
