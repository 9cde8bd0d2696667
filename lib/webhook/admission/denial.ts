// The refusal of a request by an admission webhook, as clients see it. Rules of a host refuse in the same words, in
// process and served as webhooks. As apiserver/pkg/admission/plugin/webhook/errors/statuserror.go.
import type { ApiError } from '../../core/index.js';
import { apiErrorFrom, internalError } from '../../core/index.js';

/**
 * Returns the error of a request that a webhook denied. `status` is that of its response, a Status or a part of one;
 * codes below 400 become 400.
 */
export function webhookDenial(name: string, status: unknown): ApiError {
  const given = typeof status === 'object' && status !== null ? (status as Readonly<Record<string, unknown>>) : {};
  const { message = '', reason = '', code = 0 } = given;
  const explanation = textOf(message) || textOf(reason);
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const failure = apiErrorFrom({
    ...given,
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: typeof code === 'number' && code >= 400 ? code : 400,
    message: explanation === '' ? `${denied} without explanation` : `${denied}: ${explanation}`,
  });
  return failure ?? webhookFailure(name, 'the status of its response cannot be read');
}

/** Returns the error of a request for which a webhook could not be called. */
export function webhookFailure(name: string, why: string, cause?: unknown): ApiError {
  return internalError(new Error(`failed calling webhook ${JSON.stringify(name)}: ${why}`, { cause }));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
