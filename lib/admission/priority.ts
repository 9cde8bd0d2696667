// The plugin Priority: pods name a PriorityClass, and what that means is written into them when they are created, so
// that it stays what it was when the class is gone. Pods that name none have the class that is everybody's default, or
// priority 0. Of such defaults there can be one. As plugin/pkg/admission/priority.
import { filter, takeUntil } from 'rxjs';
import { forbidden, reflect, snapshotWriter } from '../core/index.js';
import type { ApiError, Frozen } from '../core/index.js';
import type { Pod, PriorityClass } from '../core/types/index.js';
import type { AdmissionTools } from './admission-tools.js';
import type { AdmissionAttributes, AdmissionPlugin } from './plugin.js';

/** Makes the plugin. Classes are read from the first pod on. */
export function priorityAdmission({ reader, closed$ }: AdmissionTools): AdmissionPlugin {
  const classes = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };
  const writer = snapshotWriter<Frozen<PriorityClass>>({});
  let isReady = false;
  let ready: Promise<void> | undefined;
  const follow = (): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        isReady = true;
        resolve();
      };
      const synced$ = reader.changes<PriorityClass>(classes).pipe(
        reflect(writer),
        filter(({ type }) => type === 'synced'),
        takeUntil(closed$),
      );
      void synced$.forEach(done).then(done, done);
    });
  const whenKnown = (work: () => void): Promise<void> | undefined => {
    if (!isReady) return (ready ??= follow()).then(work);
    work();
    return undefined;
  };
  const defaultClass = (): Frozen<PriorityClass> | undefined => {
    const defaults = writer.snapshot.list().filter(({ globalDefault = false }) => globalDefault);
    // Two of them can only be there because both were new at once.
    return defaults.sort((one, other) => (one.value ?? 0) - (other.value ?? 0))[0];
  };

  const create = (attributes: AdmissionAttributes, pod: Pod): Promise<void> | undefined => {
    const { priorityClassName = '' } = pod.spec ?? {};
    if (priorityClassName === '') return whenKnown(() => prioritize(attributes, pod, defaultClass() ?? nobodysClass));
    return reader.get<PriorityClass>(classes, priorityClassName).then((named) => {
      if (named === undefined) throw refused(attributes, `no PriorityClass with name ${priorityClassName} was found`);
      prioritize(attributes, pod, named);
    });
  };

  return {
    name: 'Priority',
    handles: ({ subresource, operation, resource }) =>
      subresource === '' && operation !== 'DELETE' && (isPods(resource) || isClasses(resource)),
    mutate: (attributes) => {
      const { operation, object, oldObject, resource } = attributes;
      if (!isPods(resource) || object === undefined) return undefined;
      if (operation === 'CREATE') return create(attributes, object as Pod);
      keepPriority(object as Pod, oldObject as Frozen<Pod> | undefined); // the resource says what they are
      return undefined;
    },
    validate: (attributes) => {
      const { operation, object, resource } = attributes;
      if (!isClasses(resource) || (object as PriorityClass | undefined)?.globalDefault !== true) return undefined;
      return whenKnown(() => {
        const other = defaultClass()?.metadata?.name;
        if (other !== undefined && (operation === 'CREATE' || other !== object?.metadata?.name)) {
          throw refused(attributes, `PriorityClass ${other} is already marked as default. Only one default can exist`);
        }
      });
    },
  };
}

/** What pods are where there is no default. */
const nobodysClass: Frozen<PriorityClass> = { value: 0, preemptionPolicy: 'PreemptLowerPriority' };

function prioritize(
  attributes: AdmissionAttributes,
  pod: Pod,
  { metadata, value = 0, preemptionPolicy }: Frozen<PriorityClass>,
): void {
  const { spec } = pod;
  if (spec === undefined) return;
  if (spec.priority !== undefined && spec.priority !== value)
    throw refused(attributes, mustNotBeGiven('integer value of priority', spec.priority, value));
  if (
    preemptionPolicy !== undefined &&
    spec.preemptionPolicy !== undefined &&
    spec.preemptionPolicy !== preemptionPolicy
  ) {
    throw refused(
      attributes,
      mustNotBeGiven('string value of PreemptionPolicy', spec.preemptionPolicy, preemptionPolicy),
    );
  }
  const priorityClassName = metadata?.name;
  if (priorityClassName !== undefined) spec.priorityClassName = priorityClassName;
  spec.priority = value;
  if (preemptionPolicy !== undefined) spec.preemptionPolicy = preemptionPolicy;
}

/** An update that leaves them out does not mean to change them. */
function keepPriority({ spec }: Pod, old: Frozen<Pod> | undefined): void {
  if (spec === undefined) return;
  if (spec.priority === undefined && old?.spec?.priority !== undefined) spec.priority = old.spec.priority;
  if (spec.preemptionPolicy === undefined && old?.spec?.preemptionPolicy !== undefined)
    spec.preemptionPolicy = old.spec.preemptionPolicy;
}

function mustNotBeGiven(what: string, given: number | string, computed: number | string): string {
  return `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
}

/** Names are made after admission: until then an object is known by what its name will begin with. */
function refused({ resource, name, object }: AdmissionAttributes, why: string): ApiError {
  const { name: own = '', generateName = '' } = object?.metadata ?? {};
  return forbidden({ ...resource, name: [name, own, generateName].find((each) => each !== '') ?? '' }, why);
}

function isPods({ group, resource }: AdmissionAttributes['resource']): boolean {
  return group === '' && resource === 'pods';
}

function isClasses({ group, resource }: AdmissionAttributes['resource']): boolean {
  return group === 'scheduling.k8s.io' && resource === 'priorityclasses';
}
