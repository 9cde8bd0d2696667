// The one careful way to call a webhook over a network. Trusts nothing that comes back: bounded in time and size, https
// only, no redirects, JSON objects only. Of the client whose request led here it knows nothing but the object to send.
// Messages are those of Go's client, since they reach users. As apiserver/pkg/util/webhook/client.go.
import {
  apiErrorFrom,
  deepFreeze,
  encodeJson,
  errorText,
  firstOf,
  isApiError,
  isJsonObject,
  parseJson,
  printDuration,
  serverResponse,
} from '../core/index.js';
import type { Clock, JsonObject } from '../core/index.js';
import { deadlineExceeded, within } from './timed-call.js';
import type { WebhookCall } from './webhook-call.js';
import { WebhookError, isWebhookError } from './webhook-error.js';
import type {
  ServiceEndpoint,
  ServiceReference,
  ServiceResolver,
  WebhookResponse,
  WebhookTarget,
  WebhookTransport,
} from './webhook-transport.js';

/** Whom to call, and how. */
export interface WebhookCallOptions {
  readonly target: WebhookTarget;
  readonly transport: WebhookTransport;
  readonly clock: Clock;
  /** Finds services. A target that is one cannot be called without. */
  readonly services?: ServiceResolver;
  /** In PEM: who signed the webhook's certificate (`caBundle`). Without it those whom the transport trusts. */
  readonly authorities?: string;
  /** Default 30 s. The webhook is told, as `?timeout=30s`. */
  readonly timeoutMs?: number;
  /** How long an answer may be. Default 3 MiB, as bodies of requests. */
  readonly bytesMax?: number;
  /** Default `vivarium`. */
  readonly userAgent?: string;
}

/** Calls over a network, once: see `retryingCall`. Throws TypeError for an address that must not be called. */
export function webhookCall(options: WebhookCallOptions): WebhookCall {
  const {
    target,
    transport,
    clock,
    services,
    authorities,
    timeoutMs = 30_000,
    bytesMax = 3 * 1024 * 1024,
    userAgent = 'vivarium',
  } = options;
  const url = urlOf(target, timeoutMs);
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, */*', 'User-Agent': userAgent };
  const say = (what: string): string => `Post ${JSON.stringify(url)}: ${what}`;

  const exchange = async (request: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
    const endpoint = await endpointOf(target, services, say);
    const response = await sent(
      transport({
        url,
        headers,
        body: encodeJson(deepFreeze(request)),
        signal,
        ...(endpoint && { endpoint }),
        ...(authorities !== undefined && { authorities }),
      }),
      say,
    );
    return answerOf(response, await textOf(response, bytesMax, say), say);
  };
  return (request, signal) =>
    within(
      clock,
      timeoutMs,
      signal,
      (until) => exchange(request, until),
      () => new WebhookError('timeout', say(deadlineExceeded)),
    );
}

/** Says what happened to a request. */
type Saying = (what: string) => string;

function urlOf(target: WebhookTarget, timeoutMs: number): string {
  const url = 'url' in target ? parsedUrl(target.url) : serviceUrl(target.service);
  url.searchParams.set('timeout', printDuration(BigInt(Math.round(timeoutMs * 1e6))));
  return url.href;
}

function parsedUrl(text: string): URL {
  if (!URL.canParse(text)) throw new TypeError(`the address of the webhook is no URL: ${JSON.stringify(text)}`);
  const url = new URL(text);
  if (url.protocol !== 'https:')
    throw new TypeError(`the address of the webhook must begin with https://, not ${url.protocol}//`);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('the address of the webhook must not hold credentials');
  url.hash = '';
  return url;
}

/** Under its name: that is what the certificate is for. The path is data, whatever is in it. */
function serviceUrl({ namespace, name, path = '', port = servicePort }: ServiceReference): URL {
  const url = parsedUrl(`https://${name}.${namespace}.svc:${port}`);
  if (url.hostname !== `${name}.${namespace}.svc`)
    throw new TypeError(`no name of a service: ${JSON.stringify(`${namespace}/${name}`)}`);
  url.pathname = path;
  return url;
}

const servicePort = 443;

async function endpointOf(
  target: WebhookTarget,
  services: ServiceResolver | undefined,
  say: Saying,
): Promise<ServiceEndpoint | undefined> {
  if ('url' in target) return undefined;
  const { service } = target;
  if (services === undefined) throw new WebhookError('unreachable', say('services cannot be found from here'));
  try {
    const found = await firstOf<ServiceEndpoint | undefined>(
      services({ ...service, port: service.port ?? servicePort }),
      undefined,
    );
    if (found !== undefined) return found;
  } catch (cause) {
    throw new WebhookError('unreachable', say(errorText(cause)), { cause });
  }
  throw new WebhookError('unreachable', say(`no endpoints available for service ${JSON.stringify(service.name)}`));
}

async function sent(response: Promise<WebhookResponse>, say: Saying): Promise<WebhookResponse> {
  try {
    return await response;
  } catch (cause) {
    throw failureOf(cause, 'unreachable', say);
  }
}

async function textOf({ body }: WebhookResponse, bytesMax: number, say: Saying): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.length;
      if (size > bytesMax) throw new WebhookError('tooLong', `the answer is longer than ${bytesMax} bytes`);
      parts.push(decoder.decode(piece, { stream: true }));
    }
  } catch (cause) {
    throw failureOf(cause, 'reset', say);
  }
  return parts.join('') + decoder.decode();
}

function failureOf(cause: unknown, otherwise: 'unreachable' | 'reset', say: Saying): WebhookError {
  return new WebhookError(isWebhookError(cause) ? cause.reason : otherwise, say(errorText(cause)), { cause });
}

function answerOf(response: WebhookResponse, text: string, say: Saying): JsonObject {
  const { status } = response;
  if (status >= 300 && status < 400)
    throw new WebhookError('redirected', say(`redirects are not followed (status ${status})`), { status });
  if (status < 200 || status > 206) throw refusalOf(response, text);
  const value = parsed(text);
  if (!isJsonObject(value)) throw new WebhookError('malformed', say('the answer is no JSON object'), { status });
  return deepFreeze(value);
}

/**
 * The webhook's own Status where it sent one, else what its code means. Either is shown to people: little of it is
 * kept.
 */
function refusalOf(response: WebhookResponse, text: string): WebhookError {
  const { status } = response;
  const seconds = secondsOf(response.header('retry-after'));
  const message = text.slice(0, messageMax).trim();
  const refusal =
    apiErrorFrom(parsed(text)) ??
    serverResponse({
      code: status,
      method: 'POST',
      unexpected: true,
      message: message === '' ? 'unknown' : message,
      retryAfterSeconds: seconds,
    });
  const askedSeconds = Math.max(seconds, refusal.status.details?.retryAfterSeconds ?? 0);
  const asked = askedSeconds > 0 || isApiError(refusal, 'ServerTimeout');
  return new WebhookError('refused', refusal.message.slice(0, messageMax), {
    status,
    cause: refusal,
    ...(asked && { retryAfterMs: askedSeconds * 1000 }),
  });
}

/** As much of a page as client-go keeps. */
const messageMax = 2048;

function secondsOf(header: string | null): number {
  return header !== null && /^[0-9]{1,9}$/.test(header.trim()) ? Number(header) : 0;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
