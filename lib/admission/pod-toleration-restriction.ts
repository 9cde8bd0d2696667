// PodTolerationRestriction: pods get the default tolerations of their namespace, and may have only those that the
// namespace or the cluster permits. As plugin/pkg/admission/podtolerationrestriction/admission.go.
import {
  builtinSchema,
  errorText,
  field,
  fieldErrorText,
  fieldPath,
  listOf,
  notFound,
  parseJson,
  podQosClass,
  readTolerations,
  unclassifiedError,
  validateTolerations,
} from '../core/index.js';
import type { Frozen, StructType } from '../core/index.js';
import type { Namespace, Pod, Toleration } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { configurationType, decodeConfiguration } from './admission-configuration.js';
import type { ConfigurationDocument } from './admission-configuration.js';
import { followedResource } from './followed-resource.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { areWithin, mergeTolerations } from './tolerations.js';

type Tolerations = readonly Frozen<Toleration>[];

/** Creates the plugin. Throws DecodeError or RangeError where the configuration is wrong. */
export function podTolerationRestriction(tools: ServerTools, configuration: unknown): AdmissionPlugin {
  const namespaces = followedResource<Namespace>(tools, { group: '', resource: 'namespaces' });
  const cluster = clusterTolerations(configuration);
  const annotated = async (name: string, key: string): Promise<Tolerations | undefined> => {
    const namespace = await namespaces.find(name);
    if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces', name });
    return tolerationsIn(namespace.metadata?.annotations?.[key]);
  };
  const checkAllowed = async ({ namespace }: AdmissionReview, tolerations: Tolerations = []): Promise<void> => {
    if (tolerations.length === 0) return;
    const own = await annotated(namespace, allowedKey);
    if (!areWithin(tolerations, own ?? cluster.whitelist))
      throw unclassifiedError(
        `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${own === undefined ? 'cluster' : 'namespace'} whitelist`,
      );
  };
  return {
    name: 'PodTolerationRestriction',
    handles: { operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
    mutate: async (review) => {
      const { operation, namespace } = review;
      // The resource says what the object is.
      const pod = review.object as Frozen<Pod>;
      const { spec, status } = pod;
      if (spec === undefined) return undefined;
      const defaults = operation === 'CREATE' ? ((await annotated(namespace, defaultKey)) ?? cluster.default) : [];
      const isBestEffort = (status?.qosClass ?? podQosClass(spec)) === 'BestEffort';
      const added = isBestEffort ? defaults : [...defaults, memoryPressure];
      const tolerations = added.length === 0 ? spec.tolerations : mergeTolerations(spec.tolerations ?? [], added);
      await checkAllowed(review, tolerations);
      return tolerations === spec.tolerations ? undefined : { ...pod, spec: { ...spec, tolerations } };
    },
    validate: (review) => checkAllowed(review, (review.object as Frozen<Pod>).spec?.tolerations),
  };
}

const defaultKey = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const allowedKey = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';

const memoryPressure: Frozen<Toleration> = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** Reads an annotation; undefined where there is none. Throws the bare failure that Kubernetes responds with. */
function tolerationsIn(text: string | undefined): Tolerations | undefined {
  if (text === undefined || text === '') return text === '' ? [] : undefined;
  try {
    return readTolerations(parseJson(text), 'v1');
  } catch (error) {
    throw unclassifiedError(errorText(error), { cause: error });
  }
}

interface ClusterTolerations {
  /** For namespaces without the annotation. */
  readonly default: Tolerations;
  /** Likewise; empty permits all. */
  readonly whitelist: Tolerations;
}

function clusterTolerations(document: unknown): ClusterTolerations {
  // The document's type says what is decoded.
  const given =
    document === undefined
      ? {}
      : (decodeConfiguration(configurationDocument(), document) as Partial<ClusterTolerations>);
  const tolerations = { default: given.default ?? [], whitelist: given.whitelist ?? [] };
  const path = fieldPath('podtolerationrestriction');
  const errors = [
    ...validateTolerations(tolerations.default, path.child('default')),
    ...validateTolerations(tolerations.whitelist, path.child('whitelist')),
  ];
  if (errors.length > 0) throw new RangeError(`invalid config: [${errors.map(fieldErrorText).join(' ')}]`);
  return tolerations;
}

function configurationDocument(): ConfigurationDocument {
  const toleration = tolerationType();
  return {
    kind: 'Configuration',
    apiVersions: ['podtolerationrestriction.admission.k8s.io/v1alpha1'],
    type: configurationType('podtolerationrestriction.admission.k8s.io/v1alpha1.Configuration', [
      field('default', listOf(toleration)),
      field('whitelist', listOf(toleration)),
    ]),
  };
}

function tolerationType(): StructType {
  const type = builtinSchema.struct('core/v1.Toleration');
  if (type === undefined) throw new Error('there is no built-in type Toleration');
  return type;
}
