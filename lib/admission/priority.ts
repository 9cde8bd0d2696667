// The plugin Priority: pods name a PriorityClass, and what that means is written into them when they are created, so
// that it stays what it was when the class is gone. Pods that name none have the global default class, or
// priority 0. Of such defaults there can be one. As plugin/pkg/admission/priority.
import { filter } from 'rxjs';
import { onDemand, withMembers } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { Pod, PriorityClass } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';

/** Makes the plugin. Classes are read from the first pod on. */
export function priorityAdmission({
  reader,
  informers,
  closed$,
}: Pick<ServerTools, 'reader' | 'informers' | 'closed$'>): AdmissionPlugin {
  const classes = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };
  const known = informers.of<PriorityClass>(classes);
  const { whenReady } = onDemand(known.events$.pipe(filter(({ type }) => type === 'synced')), closed$);
  const defaultClass = (): Frozen<PriorityClass> | undefined => {
    const defaults = known.list().filter(({ globalDefault = false }) => globalDefault);
    // Two of them can only be there because both were new at once.
    return defaults.sort((one, other) => (one.value ?? 0) - (other.value ?? 0))[0];
  };

  const create = (review: AdmissionReview, pod: Frozen<Pod>): Frozen<Pod> | Promise<Frozen<Pod>> => {
    const { priorityClassName = '' } = pod.spec ?? {};
    if (priorityClassName === '') return whenReady(() => prioritized(review, pod, defaultClass() ?? noClass));
    return reader.get<PriorityClass>(classes, priorityClassName).then((named) => {
      if (named === undefined) throw refusal(review, `no PriorityClass with name ${priorityClassName} was found`);
      return prioritized(review, pod, named);
    });
  };

  return {
    name: 'Priority',
    handles: { operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['pods', 'priorityclasses.scheduling.k8s.io'] },
    mutate: (review) => {
      const { operation, object, oldObject, resource } = review;
      if (resource.resource !== 'pods' || object === undefined) return undefined;
      // The resource says what the objects are.
      if (operation === 'CREATE') return create(review, object as Frozen<Pod>);
      return withPriorityOf(object as Frozen<Pod>, oldObject as Frozen<Pod> | undefined);
    },
    validate: (review) => {
      const { operation, object, resource, name } = review;
      if (operation === 'DELETE') {
        // In Kubernetes the storage of the kind refuses it, but not for the deletion of a collection.
        if (resource.resource === 'priorityclasses' && systemClasses.includes(name))
          throw refusal(review, 'this is a system priority class and cannot be deleted');
        return undefined;
      }
      const isDefault = (object as Frozen<PriorityClass> | undefined)?.globalDefault === true;
      if (resource.resource !== 'priorityclasses' || !isDefault) return undefined;
      return whenReady(() => {
        const other = defaultClass()?.metadata?.name;
        if (other !== undefined && (operation === 'CREATE' || other !== object?.metadata?.name)) {
          throw refusal(review, `PriorityClass ${other} is already marked as default. Only one default can exist`);
        }
      });
    },
  };
}

const systemClasses: readonly string[] = ['system-cluster-critical', 'system-node-critical'];

/** The class of pods where there is no default. */
const noClass: Frozen<PriorityClass> = { value: 0, preemptionPolicy: 'PreemptLowerPriority' };

function prioritized(
  review: AdmissionReview,
  pod: Frozen<Pod>,
  { metadata, value = 0, preemptionPolicy }: Frozen<PriorityClass>,
): Frozen<Pod> {
  const { spec } = pod;
  if (spec === undefined) return pod;
  if (spec.priority !== undefined && spec.priority !== value)
    throw refusal(review, mustNotBeGiven('integer value of priority', spec.priority, value));
  if (
    preemptionPolicy !== undefined &&
    spec.preemptionPolicy !== undefined &&
    spec.preemptionPolicy !== preemptionPolicy
  ) {
    throw refusal(review, mustNotBeGiven('string value of PreemptionPolicy', spec.preemptionPolicy, preemptionPolicy));
  }
  const priorityClassName = metadata?.name;
  return {
    ...pod,
    spec: withMembers(spec, {
      priority: value,
      ...(priorityClassName !== undefined && { priorityClassName }),
      ...(preemptionPolicy !== undefined && { preemptionPolicy }),
    }),
  };
}

/** An update that leaves priority and policy out keeps them. */
function withPriorityOf(pod: Frozen<Pod>, old: Frozen<Pod> | undefined): Frozen<Pod> | undefined {
  const { spec } = pod;
  const { priority, preemptionPolicy } = old?.spec ?? {};
  const keepsPriority = spec?.priority === undefined && priority !== undefined;
  const keepsPolicy = spec?.preemptionPolicy === undefined && preemptionPolicy !== undefined;
  if (spec === undefined || (!keepsPriority && !keepsPolicy)) return undefined;
  return { ...pod, spec: { ...spec, ...(keepsPriority && { priority }), ...(keepsPolicy && { preemptionPolicy }) } };
}

function mustNotBeGiven(what: string, given: number | string, computed: number | string): string {
  return `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
}
