// The exchange with a webhook: the AdmissionReview that is sent for a write, and the response to it, verified. Both
// versions of AdmissionReview have the same members. As
// apiserver/pkg/admission/plugin/webhook/request/admissionreview.go.
import {
  builtinSchema,
  decodeBase64,
  decodeValue,
  deepCopy,
  deepFreeze,
  isJsonObject,
  quote,
} from '../../core/index.js';
import type { ApiObject, Frozen, JsonObject, JsonValue, ReviewedWrite, StructType } from '../../core/index.js';
import type { AdmissionResponse } from '../../core/types/index.js';
import { requestFields } from '../request-fields.js';
import type { WebhookCandidate } from './webhook-index.js';

/** The version of an AdmissionReview. */
export type AdmissionReviewVersion = 'v1' | 'v1beta1';

/** A write in the version that a webhook matched. */
export interface MatchedWrite extends Pick<WebhookCandidate, 'resource'> {
  readonly review: ReviewedWrite;
  /** Objects in the version of `review.kind`, as the request holds them. */
  readonly object: Frozen<ApiObject> | undefined;
  readonly oldObject: Frozen<ApiObject> | undefined;
}

/** Returns an object as it is sent: frozen, and apart from the one that the write pipeline goes on with. */
export function sentObject(object: Frozen<ApiObject> | undefined): Frozen<ApiObject> | undefined {
  return object === undefined || Object.isFrozen(object) ? object : deepFreeze(deepCopy(object));
}

/** Returns the AdmissionReview of a write. */
export function reviewRequest(version: AdmissionReviewVersion, uid: string, write: MatchedWrite): JsonObject {
  const { review, resource, object, oldObject } = write;
  const { options, ...fields } = requestFields({ ...review, resource });
  // Values of the API are JSON.
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...fields, object: object ?? null, oldObject: oldObject ?? null, options },
  } as JsonObject;
}

/** The response of a webhook. */
export interface VerifiedResponse {
  readonly allowed: boolean;
  /** A Status, or a part of one. */
  readonly status: unknown;
  /** The patch as text; empty for none. */
  readonly patch: string;
  readonly patchType: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** Verifies a response. Throws Error with the sentence of Kubernetes. */
export function verifiedResponse(
  answer: JsonObject,
  version: AdmissionReviewVersion,
  uid: string,
  isMutating: boolean,
): VerifiedResponse {
  const { apiVersion = '', kind = '', response } = answer;
  if (!isJsonObject(response)) throw new Error('webhook response was absent');
  const { object, patchText } = decodedResponse(response);
  const { patchType } = object;
  if (version === 'v1') {
    if (object.uid !== uid) throw new Error(`expected response.uid=${quote(uid)}, got ${quote(object.uid ?? '')}`);
    if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview')
      throw new Error(
        `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${kindText(apiVersion, kind)}`,
      );
    if (isMutating && patchText !== '' && patchType === undefined)
      throw new Error('webhook returned response.patch but not response.patchType');
    if (isMutating && patchText === '' && patchType !== undefined)
      throw new Error('webhook returned response.patchType but not response.patch');
    if (!isMutating && patchText !== '') throw new Error('validating webhook may not return response.patch');
    if (!isMutating && patchType !== undefined) throw new Error('validating webhook may not return response.patchType');
  }
  return {
    allowed: object.allowed ?? false,
    status: object.status,
    patch: isMutating ? patchText : '',
    // The type was not verified in v1beta1.
    patchType: version === 'v1' ? (patchType ?? '') : 'JSONPatch',
    auditAnnotations: object.auditAnnotations ?? {},
    warnings: object.warnings ?? [],
  };
}

function decodedResponse(response: JsonObject): {
  readonly object: AdmissionResponse;
  readonly patchText: string;
} {
  // `decodeValue` returns a new value of the type.
  const { response: object = {} } = decodeValue(reviewType(), { response }).object as { response?: AdmissionResponse };
  const { patch = '' } = object;
  return { object, patchText: patch === '' ? '' : new TextDecoder().decode(decodeBase64(patch)) };
}

function kindText(apiVersion: JsonValue, kind: JsonValue): string {
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  const name = typeof kind === 'string' ? kind : '';
  return `${version.includes('/') ? version : `/${version}`}, Kind=${name}`.slice(0, 512);
}

function reviewType(): StructType {
  const type = builtinSchema.struct('admission/v1.AdmissionReview');
  if (type === undefined) throw new Error('there is no built-in type AdmissionReview');
  return type;
}
