// Edits of what a pod asks for. They make new specs and leave the old ones alone.
import type { Frozen } from '../../core/index.js';
import type { Container, PodSpec, Taint } from '../../core/types/index.js';
import { amountOf } from '../pod/resource-amounts.js';

/** A spec as it would be. */
export type PodEdit = (spec: Frozen<PodSpec>) => Frozen<PodSpec>;

/** Tolerates a taint. */
export function toleratingTaint({ key, value = '', effect }: Frozen<Taint>): PodEdit {
  const toleration =
    value === ''
      ? ({ key, operator: 'Exists', effect } as const)
      : ({ key, operator: 'Equal', value, effect } as const);
  return (spec) => ({ ...spec, tolerations: [...(spec.tolerations ?? []), toleration] });
}

/** Does not ask for a label of the node. */
export function withoutNodeLabel(label: string): PodEdit {
  return ({ nodeSelector = {}, ...spec }) => ({
    ...spec,
    nodeSelector: Object.fromEntries(Object.entries(nodeSelector).filter(([key]) => key !== label)),
  });
}

/** Has no demands on nodes, but for wishes and the node selector. */
export const withoutNodeAffinity: PodEdit = ({ affinity: { nodeAffinity = {}, ...others } = {}, ...spec }) => {
  const { requiredDuringSchedulingIgnoredDuringExecution: _, ...wishes } = nodeAffinity;
  return { ...spec, affinity: { ...others, nodeAffinity: wishes } };
};

/** Has no demands on other pods, but for wishes. */
export const withoutPodTerms: PodEdit = ({
  affinity: { podAffinity = {}, podAntiAffinity = {}, ...others } = {},
  ...spec
}) => {
  const { requiredDuringSchedulingIgnoredDuringExecution: _, ...likes } = podAffinity;
  const { requiredDuringSchedulingIgnoredDuringExecution: __, ...dislikes } = podAntiAffinity;
  return { ...spec, affinity: { ...others, podAffinity: likes, podAntiAffinity: dislikes } };
};

/** Is spread only where that can be. */
export const spreadAnyway: PodEdit = ({ topologySpreadConstraints = [], ...spec }) => ({
  ...spec,
  topologySpreadConstraints: topologySpreadConstraints.map((each) => ({
    ...each,
    whenUnsatisfiable: 'ScheduleAnyway',
  })),
});

/** Names no node. */
export const withoutNodeName: PodEdit = ({ nodeName: _, ...spec }) => spec;

/** Does without a port of the node. */
export function withoutHostPort(port: number): PodEdit {
  return onContainers((container) => ({
    ...container,
    ports: container.ports?.filter(({ hostPort }) => hostPort !== port) ?? [],
  }));
}

/** Asks for so much less of a resource: of the containers one after the other, until it is enough. */
export function askingLess(resource: string, amount: number): PodEdit {
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

/** An amount as the scheduler counts it, as people write it. */
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
