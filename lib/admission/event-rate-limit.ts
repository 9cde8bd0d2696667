// EventRateLimit: how many Events of the core API may be written per second: in all, or for each namespace, user, or
// source and object. Dry runs are exempt. As plugin/pkg/admission/eventratelimit.
import { LRUCache } from 'lru-cache';
import {
  TokenBucket,
  aggregateText,
  field,
  fieldErrorText,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  listOf,
  rateLimited,
  scalars,
  structType,
} from '../core/index.js';
import type { FieldError, Frozen } from '../core/index.js';
import type { Event } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { configurationType, decodeConfiguration } from './admission-configuration.js';
import type { ConfigurationDocument } from './admission-configuration.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';

/** Creates the plugin. Throws DecodeError or RangeError where the configuration is wrong or absent. */
export function eventRateLimit({ clock }: Pick<ServerTools, 'clock'>, configuration: unknown): AdmissionPlugin {
  const limits = configuredLimits(configuration).map((limit) => ({ type: limit.type, buckets: bucketsOf(limit) }));
  return {
    name: 'EventRateLimit',
    handles: { operations: ['CREATE', 'UPDATE'], resources: ['events'] },
    validate: (review) => {
      if (review.dryRun) return;
      const nowMs = clock.now();
      // Each limit is charged, also after one is exceeded.
      const exceeded = limits.flatMap(({ type, buckets }) => {
        const key = keys[type](review);
        return buckets(key).tryTake(nowMs) ? [] : [`limit reached on type ${type} for key ${key}`];
      });
      if (exceeded.length > 0) throw rateLimited(aggregateText(exceeded));
    },
  };
}

type LimitType = 'Server' | 'Namespace' | 'User' | 'SourceAndObject';

interface Limit {
  readonly type: LimitType;
  readonly qps: number;
  readonly burst: number;
  /** How many buckets are kept; one that is evicted starts anew. Default 4096. */
  readonly cacheSize?: number;
}

/** What a limit counts apart. */
const keys: Readonly<Record<LimitType, (review: AdmissionReview) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.username ?? '',
  SourceAndObject: ({ object }) => {
    // The resource says what the object is.
    const { source = {}, involvedObject = {} } = object as Frozen<Partial<Event>>;
    const { kind, namespace, name, uid, apiVersion } = involvedObject;
    return [source.component, source.host, kind, namespace, name, uid, apiVersion].join('');
  },
};

function bucketsOf({ type, qps, burst, cacheSize = 0 }: Limit): (key: string) => TokenBucket {
  const created = (): TokenBucket => new TokenBucket({ perSecond: qps, burst });
  const buckets = new LRUCache<string, TokenBucket>({ max: type === 'Server' ? 1 : cacheSize || 4096 });
  return (key) => {
    let bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, (bucket = created()));
    return bucket;
  };
}

function configuredLimits(document: unknown): readonly Limit[] {
  // The document's type says what is decoded.
  const { limits = [] } =
    document === undefined
      ? {}
      : (decodeConfiguration(configurationDocument, document) as { readonly limits?: readonly Limit[] });
  const errors = limits.flatMap(limitErrors);
  if (limits.length === 0) errors.push(fieldInvalid(fieldPath('limits'), limits, 'must not be empty'));
  if (errors.length > 0) throw new RangeError(aggregateText(errors.map(fieldErrorText)));
  return limits;
}

function limitErrors({ type, qps, burst, cacheSize = 0 }: Limit, index: number): FieldError[] {
  const path = fieldPath('limits').index(index);
  return [
    ...(Object.hasOwn(keys, type) ? [] : [fieldNotSupported(path.child('type'), type, Object.keys(keys))]),
    ...(burst > 0 ? [] : [fieldInvalid(path.child('burst'), burst, 'must be positive')]),
    ...(qps > 0 ? [] : [fieldInvalid(path.child('qps'), qps, 'must be positive')]),
    ...(type === 'Server' || cacheSize >= 0
      ? []
      : [fieldInvalid(path.child('cacheSize'), cacheSize, 'must not be negative')]),
  ];
}

const configurationDocument: ConfigurationDocument = {
  kind: 'Configuration',
  apiVersions: ['eventratelimit.admission.k8s.io/v1alpha1'],
  type: configurationType('eventratelimit.admission.k8s.io/v1alpha1.Configuration', [
    field(
      'limits',
      listOf(
        structType('eventratelimit.admission.k8s.io/v1alpha1.Limit', () => [
          field('type', scalars.string, { presence: 'always' }),
          field('qps', scalars.int32, { presence: 'always' }),
          field('burst', scalars.int32, { presence: 'always' }),
          field('cacheSize', scalars.int32),
        ]),
      ),
    ),
  ]),
};
