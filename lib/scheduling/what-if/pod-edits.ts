// Edits of a pod's spec. Each returns a new spec.
import type { Frozen } from '../../core/index.js';
import type { Container, PodSpec, Taint } from '../../core/types/index.js';
import { amountOf } from '../pod/resource-amounts.js';

/** Returns an edited copy of a spec. */
export type PodEdit = (spec: Frozen<PodSpec>) => Frozen<PodSpec>;

/** Adds a toleration for a taint. */
export function tolerateTaint({ key, value = '', effect }: Frozen<Taint>): PodEdit {
  const toleration =
    value === ''
      ? ({ key, operator: 'Exists', effect } as const)
      : ({ key, operator: 'Equal', value, effect } as const);
  return (spec) => ({ ...spec, tolerations: [...(spec.tolerations ?? []), toleration] });
}

/** Removes a label from the nodeSelector. */
export function withoutNodeLabel(label: string): PodEdit {
  return ({ nodeSelector = {}, ...spec }) => ({
    ...spec,
    nodeSelector: Object.fromEntries(Object.entries(nodeSelector).filter(([key]) => key !== label)),
  });
}

/** Removes the required node affinity; preferences and the nodeSelector stay. */
export const withoutNodeAffinity: PodEdit = ({ affinity: { nodeAffinity = {}, ...others } = {}, ...spec }) => {
  const { requiredDuringSchedulingIgnoredDuringExecution: _, ...wishes } = nodeAffinity;
  return { ...spec, affinity: { ...others, nodeAffinity: wishes } };
};

/** Removes required pod affinity and anti-affinity; preferences stay. */
export const withoutPodTerms: PodEdit = ({
  affinity: { podAffinity = {}, podAntiAffinity = {}, ...others } = {},
  ...spec
}) => {
  const { requiredDuringSchedulingIgnoredDuringExecution: _, ...likes } = podAffinity;
  const { requiredDuringSchedulingIgnoredDuringExecution: __, ...dislikes } = podAntiAffinity;
  return { ...spec, affinity: { ...others, podAffinity: likes, podAntiAffinity: dislikes } };
};

/** Makes all topology spread constraints soft. */
export const softenSpread: PodEdit = ({ topologySpreadConstraints = [], ...spec }) => ({
  ...spec,
  topologySpreadConstraints: topologySpreadConstraints.map((each) => ({
    ...each,
    whenUnsatisfiable: 'ScheduleAnyway',
  })),
});

/** Removes `nodeName`. */
export const withoutNodeName: PodEdit = ({ nodeName: _, ...spec }) => spec;

/** Removes a host port. */
export function withoutHostPort(port: number): PodEdit {
  return onContainers((container) => ({
    ...container,
    ports: container.ports?.filter(({ hostPort }) => hostPort !== port) ?? [],
  }));
}

/** Lowers the requests of a resource by an amount, container by container. */
export function requestingLess(resource: string, amount: number): PodEdit {
  return (spec) => {
    let left = amount;
    const containers = spec.containers.map((container) => {
      const asked = container.resources?.requests?.[resource];
      if (asked === undefined || left === 0) return container;
      const less = Math.min(left, amountOf(resource, asked));
      left -= less;
      const requests = {
        ...container.resources?.requests,
        [resource]: amountText(resource, amountOf(resource, asked) - less),
      };
      return { ...container, resources: { ...container.resources, requests } };
    });
    return { ...spec, containers };
  };
}

/** Prints an amount in the unit of its resource as a quantity. */
export function amountText(resource: string, amount: number): string {
  return resource === 'cpu' ? `${amount}m` : `${amount}`;
}

function onContainers(edit: (container: Frozen<Container>) => Frozen<Container>): PodEdit {
  return (spec) => ({
    ...spec,
    containers: spec.containers.map(edit),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(edit) }),
  });
}
