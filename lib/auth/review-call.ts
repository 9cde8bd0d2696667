// Reviews that a webhook answers: the object goes out with its spec and comes back with its status. Of the answer only
// the status is believed, and only in the right types: what the webhook says the question was is no matter.
import { builtinSchema, decodeValue, errorText } from '../core/index.js';
import type { JsonObject, StructType } from '../core/index.js';
import type { SubjectAccessReviewStatus, TokenReviewStatus } from '../core/types/index.js';
import type { WebhookCall } from '../webhook/index.js';
import { WebhookError } from '../webhook/index.js';

/**
 * The versions in which webhooks speak. v1beta1 is what the flags of a kube-apiserver ask for unless told otherwise.
 */
export type ReviewVersion = 'v1' | 'v1beta1';

/** Asks about a token. Rejects with WebhookError. */
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

/** Asks about access. Rejects with WebhookError. */
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
    // The fields that count are the same in both versions. As decoded: freshly made, in the types of the schema.
    return decodeValue(builtinType(types[kind]), { status }).object as T;
  } catch (cause) {
    throw new WebhookError('malformed', `the webhook's answer cannot be read: ${errorText(cause)}`, { cause });
  }
}

const types = {
  TokenReview: 'authentication/v1.TokenReview',
  SubjectAccessReview: 'authorization/v1.SubjectAccessReview',
} as const;

/** The type of that name in the built-in schema. */
export function builtinType(name: string): StructType {
  const type = builtinSchema.struct(name);
  if (type === undefined) throw new Error(`there is no built-in type ${name}`);
  return type;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 256) : typeof value;
}
