// The answer to an AdmissionReview by a function: its result becomes a JSON patch or a denial. The protocol is that of
// v1; v1beta1 has the same members.
import { isObservable } from 'rxjs';
import { badRequest, deepFreeze, encodeBase64, firstOf, isApiError, isJsonObject } from '../../core/index.js';
import type { AdmissionAnswer, AdmissionOperation, ApiObject, Frozen, JsonObject, Status } from '../../core/index.js';
import type { AdmissionRequest, AdmissionResponse } from '../../core/types/index.js';
import type { RuleReview } from './admission-rule.js';

/** Decides on a write: a changed object, the text of a denial, or undefined to allow. Throws ApiError to deny. */
export type RuleDecision = (
  object: Frozen<ApiObject>,
  review: RuleReview,
) => AdmissionAnswer<Frozen<ApiObject> | string | undefined>;

/** Returns the AdmissionReview with the response. Throws ApiError (400) for what is no AdmissionReview. */
export async function answerReview(given: JsonObject, decide: RuleDecision): Promise<object> {
  const { apiVersion, kind, request } = given;
  if (kind !== 'AdmissionReview' || !isJsonObject(request) || typeof apiVersion !== 'string')
    throw badRequest('expected an AdmissionReview with a request');
  return { apiVersion, kind, response: await responseTo(request, decide) };
}

async function responseTo(request: Frozen<AdmissionRequest>, decide: RuleDecision): Promise<AdmissionResponse> {
  const warnings: string[] = [];
  const auditAnnotations: Record<string, string> = {};
  const review: RuleReview = {
    ...writeOf(request),
    warn: (text) => void warnings.push(text),
    annotate: (key, value) => void (auditAnnotations[key] ??= value),
  };
  const verdict = await verdictOf(review, decide);
  return {
    ...verdict,
    uid: request.uid ?? '',
    ...(warnings.length > 0 && { warnings }),
    ...(Object.keys(auditAnnotations).length > 0 && { auditAnnotations }),
  };
}

async function verdictOf(review: RuleReview, decide: RuleDecision): Promise<AdmissionResponse> {
  const object = review.object ?? review.oldObject ?? {};
  try {
    const answer = decide(object, review);
    const decision = await (isObservable(answer) ? firstOf(answer, undefined) : answer);
    if (typeof decision === 'string') return denial({ code: 403, reason: 'Forbidden', message: decision });
    if (decision === undefined || decision === object) return { allowed: true };
    return { allowed: true, ...(await patchBetween(object, decision)) };
  } catch (error) {
    if (isApiError(error)) return denial(error.status);
    throw error;
  }
}

function denial({
  code,
  reason,
  message,
  details,
}: Pick<Status, 'code' | 'reason' | 'message' | 'details'>): AdmissionResponse {
  // Status objects are JSON.
  return { allowed: false, status: { code, reason, message, details } as NonNullable<AdmissionResponse['status']> };
}

/** The patch from one object to the other; nothing where they are equal. */
async function patchBetween(
  object: Frozen<ApiObject>,
  changed: Frozen<ApiObject>,
): Promise<Pick<AdmissionResponse, 'patch' | 'patchType'>> {
  // Imported with the first change: most rules of most clusters change nothing.
  const { default: jsonPatch } = await import('fast-json-patch');
  const operations = jsonPatch.compare(object, changed);
  if (operations.length === 0) return {};
  return { patchType: 'JSONPatch', patch: encodeBase64(new TextEncoder().encode(JSON.stringify(operations))) };
}

/** The write that a request describes. Members that a real server always sends have their zero value if absent. */
function writeOf(request: Frozen<AdmissionRequest>): Omit<RuleReview, 'warn' | 'annotate'> {
  const { kind = {}, resource = {}, subResource = '', userInfo = {}, dryRun = false } = request;
  const { name = '', namespace = '', operation = '', requestKind = kind, requestResource = resource } = request;
  return {
    operation: operation as AdmissionOperation,
    kind: { ...noKind, ...kind },
    requestKind: { ...noKind, ...requestKind },
    resource: { ...noResource, ...resource },
    requestResource: { ...noResource, ...requestResource },
    subresource: subResource,
    name,
    namespace,
    object: objectOf(request.object),
    oldObject: objectOf(request.oldObject),
    options: objectOf(request.options),
    dryRun,
    user: userInfo,
  };
}

const noKind = { group: '', version: '', kind: '' };
const noResource = { group: '', version: '', resource: '' };

function objectOf(value: unknown): Frozen<ApiObject> | undefined {
  return isJsonObject(value) ? deepFreeze(value) : undefined;
}
