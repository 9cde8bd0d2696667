// ImagePolicyWebhook: an outside service decides which images pods may run. Its answers are kept for some time; if it
// cannot be reached, the configuration decides. As plugin/pkg/admission/imagepolicy.
import { LRUCache } from 'lru-cache';
import {
  DecodeError,
  backoffLadders,
  decodeValue,
  errorText,
  field,
  isApiError,
  isJsonObject,
  mapOf,
  printDuration,
  scalars,
  structType,
} from '../core/index.js';
import type { Clock, Frozen, JsonObject } from '../core/index.js';
import type { Pod } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { retryingCall } from '../webhook/index.js';
import type { WebhookCall } from '../webhook/index.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';
import type { AdmissionWebhookOptions } from './webhooks/webhook-clients.js';

/** Creates the plugin. Throws where there is no service, or the configuration is wrong. */
export function imagePolicyWebhook(
  { clock, random }: Pick<ServerTools, 'clock' | 'random'>,
  configuration: unknown,
  { imagePolicy }: AdmissionWebhookOptions = {},
): AdmissionPlugin {
  if (configuration === undefined && imagePolicy === undefined) throw new Error('no config specified');
  const { defaultAllow, allowMs, denyMs, backoffMs } = imagePolicySettings(configuration);
  if (imagePolicy === undefined)
    throw new Error('imagePolicy.kubeConfigFile: files are read by the command line only; give webhooks.imagePolicy');
  const call = retryingCall(imagePolicy, {
    clock,
    random,
    ladder: { ...backoffLadders.webhook, baseMs: backoffMs },
  });
  const reviewImages = keptReviews(call, clock, (status) => (status.allowed ? allowMs : denyMs));
  return {
    name: 'ImagePolicyWebhook',
    handles: { operations: ['CREATE', 'UPDATE'], resources: ['pods'], subresources: ['', 'ephemeralcontainers'] },
    validate: async (review) => {
      try {
        const { allowed, reason, auditAnnotations } = await reviewImages(reviewSpec(review));
        for (const [key, value] of Object.entries(auditAnnotations)) review.annotate(`${auditPrefix}${key}`, value);
        if (allowed) return;
        throw refusal(
          review,
          reason === ''
            ? 'one or more images rejected by webhook backend'
            : `image policy webhook backend denied one or more images: ${reason}`,
        );
      } catch (error) {
        if (isApiError(error, 'Forbidden')) throw error;
        if (!defaultAllow) throw refusal(review, errorText(error));
        review.annotate(`${auditPrefix}failed-open`, 'true');
      }
    },
  };
}

const auditPrefix = 'imagepolicywebhook.image-policy.k8s.io/';

interface ImageReviewStatus {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** Containers before init containers, or the ephemeral ones alone. */
function reviewSpec({ subresource, namespace, object }: AdmissionReview): JsonObject {
  // The resource says what the object is.
  const { spec, metadata } = object as Frozen<Pod>;
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  const reviewed = subresource === '' ? [...containers, ...initContainers] : ephemeralContainers;
  const annotations = Object.entries(metadata?.annotations ?? {}).filter(([key]) =>
    key.includes('.image-policy.k8s.io/'),
  );
  return {
    containers: reviewed.map(({ image }) => (image === undefined ? {} : { image })),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    namespace,
  };
}

function keptReviews(
  call: WebhookCall,
  clock: Clock,
  ttlMs: (status: ImageReviewStatus) => number,
): (spec: JsonObject) => Promise<ImageReviewStatus> {
  const kept = new LRUCache<string, { readonly status: ImageReviewStatus; readonly untilMs: number }>({ max: 1024 });
  return async (spec) => {
    const key = JSON.stringify(spec);
    const known = kept.get(key);
    if (known !== undefined && known.untilMs >= clock.now()) return known.status;
    const answer = await call({ kind: 'ImageReview', apiVersion, metadata: {}, spec, status: { allowed: false } });
    const status = reviewStatus(answer);
    kept.set(key, { status, untilMs: clock.now() + ttlMs(status) });
    return status;
  };
}

const apiVersion = 'imagepolicy.k8s.io/v1alpha1';

function reviewStatus({ status = {} }: JsonObject): ImageReviewStatus {
  if (!isJsonObject(status)) throw new DecodeError('the webhook answered without a status');
  return { allowed: false, reason: '', auditAnnotations: {}, ...decodeValue(statusType, status).object };
}

const statusType = structType('imagepolicy.k8s.io/v1alpha1.ImageReviewStatus', () => [
  field('allowed', scalars.bool),
  field('reason', scalars.string),
  field('auditAnnotations', mapOf(scalars.string)),
]);

interface ImagePolicySettings {
  readonly defaultAllow: boolean;
  readonly allowMs: number;
  readonly denyMs: number;
  readonly backoffMs: number;
}

/** Reads the document `{ imagePolicy: … }`, which has no version. Throws Error with the sentence of Kubernetes. */
function imagePolicySettings(document: unknown): ImagePolicySettings {
  const given = isJsonObject(document) && isJsonObject(document.imagePolicy) ? document.imagePolicy : {};
  const numberOf = (name: string): number => {
    const value = given[name] ?? 0;
    if (typeof value !== 'number') throw new DecodeError(`imagePolicy.${name} must be a number`);
    return value;
  };
  const hourMs = 3_600_000;
  return {
    defaultAllow: given.defaultAllow === true,
    backoffMs: bounded(numberOf('retryBackoff'), { scale: 1, min: 1e-6, max: hourMs / 12, standard: 500 }),
    allowMs: bounded(numberOf('allowTTL'), { scale: 1000, min: 1000, max: hourMs / 2, standard: 300_000 }),
    denyMs: bounded(numberOf('denyTTL'), { scale: 1000, min: 1000, max: hourMs / 2, standard: 30_000 }),
  };
}

/** Milliseconds, apart from `scale`. */
interface Bounds {
  readonly scale: number;
  readonly min: number;
  readonly max: number;
  readonly standard: number;
}

/** -1 stands for none, 0 for the default. */
function bounded(value: number, { scale, min, max, standard }: Bounds): number {
  if (value === -1) return 0;
  if (value === 0) return standard;
  const ms = value * scale;
  if (ms < min || ms > max)
    throw new RangeError(
      `valid value is between ${durationText(min)} and ${durationText(max)}, got ${durationText(ms)}`,
    );
  return ms;
}

function durationText(ms: number): string {
  return printDuration(BigInt(Math.round(ms * 1e6)));
}
