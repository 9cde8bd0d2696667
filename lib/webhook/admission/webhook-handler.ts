// Rules of a host behind HTTP, in Web-standard form: POST of an AdmissionReview to the path of a rule. `serveWebhooks`
// of `vivarium/webhook/node` listens with it; any other server that speaks Request and Response may too. Requests are
// not trusted: their bodies are bounded.
import {
  errorText,
  isApiError,
  isDecodeError,
  isJsonObject,
  parseJson,
  requestEntityTooLarge,
} from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '../../core/types/index.js';
import type { AdmissionRule } from './admission-rule.js';

/** Returns a handler for rules. Throws RangeError if two have the same name. */
export function webhookHandler(rules: readonly AdmissionRule[]): (request: Request) => Promise<Response> {
  const byPath = new Map(rules.map((rule) => [rulePath(rule), rule]));
  if (byPath.size < rules.length) throw new RangeError('the names of rules must be unique');
  return async (request) => {
    const rule = byPath.get(new URL(request.url).pathname);
    if (rule === undefined) return refused(404, 'no rule has this path');
    if (request.method !== 'POST') return refused(405, 'only POST is supported');
    const [contentType = ''] = (request.headers.get('content-type') ?? '').split(';');
    if (contentType.trim() !== 'application/json') return refused(415, 'expected application/json');
    try {
      const review = parseJson(await textOf(request));
      if (!isJsonObject(review)) return refused(400, 'expected an AdmissionReview');
      return Response.json(await rule.answer(review, request.signal));
    } catch (error) {
      return refused(codeOf(error), errorText(error));
    }
  };
}

/**
 * Returns the configurations that register rules at a cluster: one for the mutating and one for the validating rules,
 * as far as there are any. `clientConfig` returns where the path of a rule is reached.
 */
export function webhookConfigurations(
  name: string,
  rules: readonly AdmissionRule[],
  clientConfig: (path: string) => WebhookClientConfig,
): readonly Frozen<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>[] {
  const configuration = (
    type: AdmissionRule['type'],
    kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
  ): readonly Frozen<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>[] => {
    const webhooks = rules
      .filter((rule) => rule.type === type)
      .map(({ answer: _answer, type: _type, ...webhook }) => ({
        sideEffects: 'None' as const,
        ...webhook,
        clientConfig: clientConfig(rulePath(webhook)),
        admissionReviewVersions: ['v1'],
      }));
    const apiVersion = 'admissionregistration.k8s.io/v1';
    return webhooks.length === 0 ? [] : [{ apiVersion, kind, metadata: { name }, webhooks }];
  };
  return [
    ...configuration('mutating', 'MutatingWebhookConfiguration'),
    ...configuration('validating', 'ValidatingWebhookConfiguration'),
  ];
}

/** The path at which a handler serves a rule. */
function rulePath({ name }: Pick<AdmissionRule, 'name'>): string {
  return `/${encodeURIComponent(name)}`;
}

/** Two objects of the longest request body that a server accepts, and what is around them. */
const bodyBytesMax = 7 * 1024 * 1024;

async function textOf({ body }: Request): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  // Streams are async iterable in Node; the types of the Web are not there yet.
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > bodyBytesMax) throw requestEntityTooLarge(`limit is ${bodyBytesMax}`);
    parts.push(decoder.decode(piece, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

function codeOf(error: unknown): number {
  if (isApiError(error)) return error.status.code ?? 500;
  return isDecodeError(error) ? 400 : 500;
}

function refused(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'Content-Type': 'text/plain' } });
}
