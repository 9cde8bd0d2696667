// PodNodeSelector: pods get the node selector of their namespace, and may select only what the cluster's configuration
// permits the namespace. As plugin/pkg/admission/podnodeselector/admission.go.
import {
  DecodeError,
  FieldPath,
  fieldErrorText,
  fieldInvalid,
  forbidden,
  internalError,
  isJsonObject,
  isLabelValue,
  isQualifiedName,
  unclassifiedError,
} from '../core/index.js';
import type { ApiError, Frozen } from '../core/index.js';
import type { Namespace, Pod } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { followedResource } from './followed-resource.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';

type NodeLabels = Readonly<Record<string, string>>;

/** Creates the plugin. Throws DecodeError where the configuration is wrong. */
export function podNodeSelector(tools: ServerTools, configuration: unknown): AdmissionPlugin {
  const namespaces = followedResource<Namespace>(tools, { group: '', resource: 'namespaces' });
  const selectors = configuredSelectors(configuration);
  const selectorOf = async (name: string): Promise<NodeLabels> => {
    const namespace = await namespaces.find(name);
    if (namespace === undefined) throw internalError(new Error(`namespace ${name} does not exist`));
    return labelsOf(namespace.metadata?.annotations?.[annotation] ?? selectors.get(clusterDefault) ?? '');
  };
  const checkAllowed = (review: AdmissionReview, selected: NodeLabels): void => {
    const allowed = labelsOf(selectors.get(review.namespace) ?? '');
    const isWithin = Object.entries(selected).every(([key, value]) => allowed[key] === value);
    if (Object.keys(allowed).length > 0 && !isWithin)
      throw podRefusal(review, 'pod node label selector labels conflict with its namespace whitelist');
  };
  return {
    name: 'PodNodeSelector',
    handles: { operations: ['CREATE'], resources: ['pods'] },
    mutate: async (review) => {
      // The resource says what the object is.
      const pod = review.object as Frozen<Pod>;
      const required = await selectorOf(review.namespace);
      const nodeSelector = withoutConflict(review, required, pod.spec?.nodeSelector ?? {});
      checkAllowed(review, nodeSelector);
      if (pod.spec === undefined || Object.keys(required).length === 0) return undefined;
      return { ...pod, spec: { ...pod.spec, nodeSelector } };
    },
    validate: async (review) => {
      const { spec } = review.object as Frozen<Pod>;
      withoutConflict(review, await selectorOf(review.namespace), spec?.nodeSelector ?? {});
      checkAllowed(review, spec?.nodeSelector ?? {});
    },
  };
}

const annotation = 'scheduler.alpha.kubernetes.io/node-selector';
/** The key of the selector for namespaces without the annotation. The other keys are namespaces. */
const clusterDefault = 'clusterDefaultNodeSelector';

/** The selectors of both together. Throws 403 where they contradict each other. */
function withoutConflict(review: AdmissionReview, required: NodeLabels, own: NodeLabels): NodeLabels {
  if (Object.entries(required).some(([key, value]) => (own[key] ?? value) !== value))
    throw podRefusal(review, 'pod node label selector conflicts with its namespace node label selector');
  return { ...required, ...own };
}

/** Names the pod as its metadata does, also where the name is to be generated. */
function podRefusal({ resource, object }: AdmissionReview, why: string): ApiError {
  return forbidden({ ...resource, name: object?.metadata?.name ?? '' }, why);
}

/** Reads `a=b,c=d`. Throws the bare failure that Kubernetes responds with. As labels.ConvertSelectorToLabelsMap. */
function labelsOf(selector: string): NodeLabels {
  if (selector === '') return {};
  const labels = new Map<string, string>();
  for (const part of selector.split(',')) {
    const pair = part.split('=');
    const [key = '', value = ''] = pair.map((each) => each.trim());
    if (pair.length !== 2) throw unclassifiedError(`invalid selector: [${pair.join(' ')}]`);
    checkSyntax(FieldPath.nil, key, isQualifiedName(key));
    checkSyntax(FieldPath.nil.key(key), value, isLabelValue(value));
    labels.set(key, value);
  }
  return Object.fromEntries(labels);
}

function checkSyntax(path: FieldPath, value: string, problems: readonly string[]): void {
  if (problems.length > 0) throw unclassifiedError(fieldErrorText(fieldInvalid(path, value, problems.join('; '))));
}

/** Reads `podNodeSelectorPluginConfig`, in any case; other members are ignored, as Kubernetes does. */
function configuredSelectors(document: unknown): ReadonlyMap<string, string> {
  if (!isJsonObject(document)) return new Map();
  const [, given] = Object.entries(document).find(([key]) => key.toLowerCase() === 'podnodeselectorpluginconfig') ?? [];
  if (given === undefined || given === null) return new Map();
  if (!isJsonObject(given)) throw new DecodeError('podNodeSelectorPluginConfig must be a map of selectors');
  const entries = Object.entries(given).map(([key, value]): [string, string] => {
    if (typeof value !== 'string') throw new DecodeError(`podNodeSelectorPluginConfig.${key} must be a selector`);
    return [key, value];
  });
  return new Map(entries);
}
