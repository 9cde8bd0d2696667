// The plugin PodSecurity: holds pods to the Pod Security Standards, as labels of their namespace say. Pods that violate
// the level to enforce are refused; pods and workloads that violate the levels to audit and to warn about are annotated
// and answered with a warning. A namespace that gets a stricter level is answered with warnings about its pods.
//
// The policy of a namespace is read once per version of the namespace. A namespace without labels, where the defaults
// allow everything, costs a pod one look-up. As pod-security-admission/admission/admission.go.
import { filter } from 'rxjs';
import { aggregateText, fieldErrorText, forbidden, internalError, invalid, onDemand, quote } from '../../core/index.js';
import type { FieldError, Frozen } from '../../core/index.js';
import type { CronJob, Deployment, Namespace, Pod } from '../../core/types/index.js';
import type { ServerTools } from '../../auth/index.js';
import type { AdmissionPlugin, AdmissionReview } from '../plugin.js';
import type { CheckedTemplate } from './check.js';
import { podSecuritySettings } from './configuration.js';
import { podEvaluator, violationsText } from './evaluation.js';
import { existingPodsWarnings } from './existing-pods.js';
import {
  isEquivalentPolicy,
  isFullyPrivileged,
  isSameLevelVersion,
  modes,
  podSecurityPrefix,
  policyOf,
  printLevelVersion,
  strictness,
} from './policy.js';
import type { LevelVersion, ParsedPolicy, Policy } from './policy.js';

/** Creates the plugin. `configuration` is a PodSecurityConfiguration. Namespaces are read from the first pod on. */
export function podSecurityAdmission(
  { reader, informers, client, clock, closed$ }: ServerTools,
  configuration?: unknown,
): AdmissionPlugin {
  const settings = podSecuritySettings(configuration);
  const evaluate = podEvaluator();
  const namespaces = informers.of<Namespace>(namespaceResource);
  const { whenReady } = onDemand(namespaces.events$.pipe(filter(({ type }) => type === 'synced')), closed$);
  const policies = new WeakMap<object, ParsedPolicy>();
  const policyIn = (namespace: Frozen<Namespace>): ParsedPolicy => {
    let parsed = policies.get(namespace);
    if (parsed === undefined)
      policies.set(namespace, (parsed = policyOf(namespace.metadata?.labels, settings.defaults)));
    return parsed;
  };

  /** Refuses, annotates and warns as the policy says. Workloads are never refused. */
  const evaluateTemplate = (
    review: AdmissionReview,
    { policy, errors }: ParsedPolicy,
    template: CheckedTemplate,
    enforces: boolean,
  ): void => {
    if (settings.exemptRuntimeClasses.has(template.spec?.runtimeClassName ?? '')) {
      annotate(review, 'exempt', 'runtimeClass');
      return;
    }
    if (errors.length > 0) annotate(review, 'error', `Failed to parse policy: ${problemsText(errors)}`);
    // Modes often have the same level and version.
    const known = new Map<string, string>();
    const violationsOf = (levelVersion: LevelVersion): string => {
      const key = printLevelVersion(levelVersion);
      let text = known.get(key);
      if (text === undefined) known.set(key, (text = violationsText(evaluate(template, levelVersion))));
      return text;
    };
    if (enforces) annotate(review, 'enforce-policy', printLevelVersion(policy.enforce));
    const refused = enforces ? violationsOf(policy.enforce) : '';
    const audited = violationsOf(policy.audit);
    if (audited !== '') annotate(review, 'audit-violations', `would violate ${policyText(policy.audit, audited)}`);
    if (refused !== '')
      throw forbidden({ ...review.resource, name: review.name }, `violates ${policyText(policy.enforce, refused)}`);
    const warned = violationsOf(policy.warn);
    if (warned !== '') review.warn(`would violate ${policyText(policy.warn, warned)}`);
  };

  /** Whether the namespace or the user is exempt, which is annotated. */
  const isExempt = (review: AdmissionReview): boolean => {
    const isNamespace = settings.exemptNamespaces.has(review.namespace);
    if (!isNamespace && !settings.exemptUsernames.has(review.user.username ?? '')) return false;
    annotate(review, 'exempt', isNamespace ? 'namespace' : 'user');
    return true;
  };

  /** The namespace of a request; the cache may lack one that was just created. */
  const withNamespace = (
    review: AdmissionReview,
    use: (namespace: Frozen<Namespace> | undefined) => void,
  ): void | Promise<void> =>
    whenReady(() => {
      const namespace = namespaces.get(review.namespace);
      if (namespace !== undefined) {
        use(namespace);
        return undefined;
      }
      return reader.get<Namespace>(namespaceResource, review.namespace).then(use);
    });

  const validatePod = (review: AdmissionReview, pod: Frozen<Pod>): void | Promise<void> => {
    if (isExempt(review)) return undefined;
    return withNamespace(review, (namespace) => {
      if (namespace === undefined) {
        const problem = `failed to lookup namespace ${quote(review.namespace)}`;
        const error = internalError(problem);
        annotate(review, 'error', `${error.message}: namespaces ${quote(review.namespace)} not found`);
        throw error;
      }
      const parsed = policyIn(namespace);
      if (parsed.errors.length === 0 && isFullyPrivileged(parsed.policy)) {
        annotate(review, 'enforce-policy', 'privileged:latest');
        return;
      }
      const old = review.oldObject as Frozen<Pod> | undefined;
      if (review.operation === 'UPDATE' && old !== undefined && !isSignificantUpdate(pod, old)) return;
      evaluateTemplate(review, parsed, pod, true);
    });
  };

  const validateWorkload = (review: AdmissionReview, object: Frozen<Workload>): void | Promise<void> => {
    if (isExempt(review)) return undefined;
    return withNamespace(review, (namespace) => {
      if (namespace === undefined) {
        const name = quote(review.namespace);
        annotate(review, 'error', `failed to lookup namespace ${name}: namespaces ${name} not found`);
        return;
      }
      const parsed = policyIn(namespace);
      const { audit, warn } = parsed.policy;
      if (parsed.errors.length === 0 && audit.level === 'privileged' && warn.level === 'privileged') return;
      const template = templateOf(object);
      if (template !== undefined) evaluateTemplate(review, parsed, template, false);
    });
  };

  const validateNamespace = (review: AdmissionReview, namespace: Frozen<Namespace>): void | Promise<void> => {
    const { operation, oldObject, kind } = review;
    const { labels = {}, name = '' } = namespace.metadata ?? {};
    const { policy, errors } = policyOf(labels, settings.defaults);
    const old = operation === 'UPDATE' ? policyOf(oldObject?.metadata?.labels, settings.defaults) : undefined;
    // Labels that were wrong before do not prevent other changes.
    if (errors.length > 0 && (old === undefined || problemsText(errors) !== problemsText(old.errors)))
      throw invalid(kind, review.name, errors);
    if (old !== undefined && !isStricter(policy.enforce, old.policy.enforce)) return undefined;
    if (settings.exemptNamespaces.has(name)) {
      const isUnlabelled = isFullyPrivileged(policy) || isEquivalentPolicy(policy, settings.defaults);
      if (!isUnlabelled) review.warn(exemptNamespaceWarning(name, policy, labels));
      return undefined;
    }
    if (old === undefined) return undefined;
    return existingPodsWarnings({
      namespace: name,
      enforce: policy.enforce,
      evaluate,
      clock,
      exemptRuntimeClasses: settings.exemptRuntimeClasses,
      listPods: async () => (await client.kind('v1', 'Pod').in(name).list()).items,
    }).then((warnings) => {
      for (const warning of warnings) review.warn(warning);
    });
  };

  return {
    name: 'PodSecurity',
    handles: [
      { operations: ['CREATE', 'UPDATE'], resources: ['namespaces', 'pods', ...workloads] },
      // The other subresources of pods do not change what is checked.
      { operations: ['UPDATE'], resources: ['pods'], subresources: ['ephemeralcontainers', 'resize'] },
    ],
    validate: (review) => {
      const { object, resource } = review;
      if (object === undefined) return undefined;
      // The resource says what the object is.
      if (resource.resource === 'pods') return validatePod(review, object as Frozen<Pod>);
      if (resource.resource === 'namespaces') return validateNamespace(review, object as Frozen<Namespace>);
      return validateWorkload(review, object);
    },
  };
}

const namespaceResource = { group: '', resource: 'namespaces' };

/** What creates pods from a template. */
const workloads = [
  'replicationcontrollers',
  'podtemplates',
  'replicasets.apps',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'cronjobs.batch',
];

/** The places in which workloads have their template: most as a Deployment has it. */
type Workload = Pick<Deployment, 'metadata'> & {
  readonly template?: CheckedTemplate;
  readonly spec?: Partial<Pick<NonNullable<Deployment['spec']>, 'template'>> &
    Partial<Pick<NonNullable<CronJob['spec']>, 'jobTemplate'>>;
};

function templateOf({ template, spec }: Frozen<Workload>): CheckedTemplate | undefined {
  return template ?? spec?.jobTemplate?.spec?.template ?? spec?.template;
}

/** Whether the containers or images of a pod changed; what else is mutable matters to no check. */
function isSignificantUpdate({ spec }: Frozen<Pod>, { spec: oldSpec }: Frozen<Pod>): boolean {
  const [containers, oldContainers] = [spec?.containers ?? [], oldSpec?.containers ?? []];
  const [initContainers, oldInitContainers] = [spec?.initContainers ?? [], oldSpec?.initContainers ?? []];
  const ephemeral = new Map((oldSpec?.ephemeralContainers ?? []).map(({ name, image }) => [name, image ?? '']));
  return (
    containers.length !== oldContainers.length ||
    initContainers.length !== oldInitContainers.length ||
    containers.some(({ image }, index) => image !== oldContainers[index]?.image) ||
    initContainers.some(({ image }, index) => image !== oldInitContainers[index]?.image) ||
    (spec?.ephemeralContainers ?? []).some(({ name, image = '' }) => ephemeral.get(name) !== image)
  );
}

/** Whether pods that were allowed before may now violate the level. */
function isStricter(enforce: LevelVersion, old: LevelVersion): boolean {
  if (isSameLevelVersion(enforce, old) || enforce.level === 'privileged') return false;
  return enforce.version !== old.version || strictness[enforce.level] > strictness[old.level];
}

function exemptNamespaceWarning(name: string, policy: Policy, labels: Readonly<Record<string, string>>): string {
  const isLabelled = (label: string): boolean => Object.hasOwn(labels, `${podSecurityPrefix}${label}`);
  const labelled = modes
    .filter((mode) => policy[mode].level !== 'privileged' && (isLabelled(mode) || isLabelled(`${mode}-version`)))
    .map((mode) => `${mode}=${printLevelVersion(policy[mode])}`);
  return `namespace ${quote(name)} is exempt from Pod Security, and the policy (${labelled.join(', ')}) will be ignored`;
}

function policyText(levelVersion: LevelVersion, violations: string): string {
  return `PodSecurity ${quote(printLevelVersion(levelVersion))}: ${violations}`;
}

function problemsText(errors: readonly FieldError[]): string {
  return aggregateText(errors.map(fieldErrorText));
}

function annotate(review: AdmissionReview, key: string, value: string): void {
  review.annotate(`${podSecurityPrefix}${key}`, value);
}
