// Token and access reviews by webhook: the object is sent with its spec and returned with its status. Only the status
// of the response is used, decoded by its schema; the returned spec is ignored.
import { builtinSchema, decodeValue, errorText } from '../core/index.js';
import type { JsonObject, StructType } from '../core/index.js';
import type { SubjectAccessReviewStatus, TokenReviewStatus } from '../core/types/index.js';
import type { WebhookCall } from '../webhook/index.js';
import { WebhookError } from '../webhook/index.js';

/** Versions of review objects that webhooks support. v1beta1 is the default of kube-apiserver's flags. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** Sends a TokenReview. Rejects with WebhookError. */
export async function reviewToken(
  call: WebhookCall,
  version: ReviewVersion,
  spec: JsonObject,
): Promise<TokenReviewStatus> {
  const { status = {} } = await review<{ readonly status?: TokenReviewStatus }>(
    call,
    'TokenReview',
    `authentication.k8s.io/${version}`,
    spec,
  );
  return status;
}

/** Sends a SubjectAccessReview. Rejects with WebhookError. */
export async function reviewAccess(
  call: WebhookCall,
  version: ReviewVersion,
  spec: JsonObject,
): Promise<SubjectAccessReviewStatus> {
  const { status = { allowed: false } } = await review<{ readonly status?: SubjectAccessReviewStatus }>(
    call,
    'SubjectAccessReview',
    `authorization.k8s.io/${version}`,
    spec,
  );
  return status;
}

async function review<T>(
  call: WebhookCall,
  kind: keyof typeof types,
  apiVersion: string,
  spec: JsonObject,
): Promise<T> {
  const answer = await call({ kind, apiVersion, spec });
  const { kind: answered = kind, apiVersion: answeredVersion = apiVersion, status = null } = answer;
  if (answered !== kind || answeredVersion !== apiVersion) {
    throw new WebhookError(
      'malformed',
      `expected webhook response of ${apiVersion}, Kind=${kind}, got ${textOf(answeredVersion)}, Kind=${textOf(answered)}`,
    );
  }
  try {
    // Both versions have the same status fields. `decode` returned a new value of the schema's types.
    return decodeValue(builtinType(types[kind]), { status }).object as T;
  } catch (cause) {
    throw new WebhookError('malformed', `the webhook's answer cannot be read: ${errorText(cause)}`, { cause });
  }
}

const types = {
  TokenReview: 'authentication/v1.TokenReview',
  SubjectAccessReview: 'authorization/v1.SubjectAccessReview',
} as const;

/** Returns the type of that name in the built-in schema. */
export function builtinType(name: string): StructType {
  const type = builtinSchema.struct(name);
  if (type === undefined) throw new Error(`there is no built-in type ${name}`);
  return type;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 256) : typeof value;
}
