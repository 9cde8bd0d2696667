// One APIService for each group-version that this server serves. Priorities define the order of groups and versions for
// clients. As cmd/kube-apiserver/app/aggregator.go and pkg/controlplane/apiserver/aggregator.go, whose table this is
// without versions that are no longer served. Groups of the host come last, like custom resources.
import { localApiServiceCondition, printGroupVersion } from '../../core/index.js';
import type { GroupVersion } from '../../core/index.js';
import type { APIService } from '../../core/types/index.js';

/** Returns the APIServices in order of priority. The group of APIServices itself has none. */
export function apiServices(groupVersions: readonly GroupVersion[], now: number): readonly APIService[] {
  const condition = localApiServiceCondition(now);
  return groupVersions
    .filter(({ group }) => group !== 'apiregistration.k8s.io')
    .map((groupVersion): APIService => {
      const { group, version } = groupVersion;
      const [groupPriorityMinimum, versionPriority] = priorities.get(printGroupVersion(groupVersion)) ?? unlisted;
      return {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `${version}.${group}`, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
        spec: { ...(group !== '' && { group }), version, groupPriorityMinimum, versionPriority },
        status: { conditions: [condition] },
      };
    })
    .sort(byPriority);
}

type Priority = readonly [group: number, version: number];

const unlisted: Priority = [1000, 100];

const priorities: ReadonlyMap<string, Priority> = new Map([
  ['v1', [18_000, 1]],
  ['apps/v1', [17_800, 15]],
  ['events.k8s.io/v1', [17_750, 15]],
  ['authentication.k8s.io/v1', [17_700, 15]],
  ['authorization.k8s.io/v1', [17_600, 15]],
  ['autoscaling/v2', [17_500, 30]],
  ['autoscaling/v1', [17_500, 15]],
  ['batch/v1', [17_400, 15]],
  ['certificates.k8s.io/v1', [17_300, 15]],
  ['certificates.k8s.io/v1beta1', [17_300, 9]],
  ['certificates.k8s.io/v1alpha1', [17_300, 1]],
  ['networking.k8s.io/v1', [17_200, 15]],
  ['networking.k8s.io/v1beta1', [17_200, 9]],
  ['policy/v1', [17_100, 15]],
  ['rbac.authorization.k8s.io/v1', [17_000, 15]],
  ['storage.k8s.io/v1', [16_800, 15]],
  ['storage.k8s.io/v1beta1', [16_800, 9]],
  ['admissionregistration.k8s.io/v1', [16_700, 15]],
  ['admissionregistration.k8s.io/v1beta1', [16_700, 12]],
  ['admissionregistration.k8s.io/v1alpha1', [16_700, 9]],
  ['apiextensions.k8s.io/v1', [16_700, 15]],
  ['scheduling.k8s.io/v1', [16_600, 15]],
  ['scheduling.k8s.io/v1alpha2', [16_600, 2]],
  ['coordination.k8s.io/v1', [16_500, 15]],
  ['coordination.k8s.io/v1beta1', [16_500, 13]],
  ['coordination.k8s.io/v1alpha2', [16_500, 12]],
  ['node.k8s.io/v1', [16_300, 15]],
  ['discovery.k8s.io/v1', [16_200, 15]],
  ['resource.k8s.io/v1', [16_200, 21]],
  ['resource.k8s.io/v1beta2', [16_200, 15]],
  ['resource.k8s.io/v1beta1', [16_200, 9]],
  ['resource.k8s.io/v1alpha3', [16_200, 1]],
  ['flowcontrol.apiserver.k8s.io/v1', [16_100, 21]],
  ['internal.apiserver.k8s.io/v1alpha1', [16_000, 9]],
  ['storagemigration.k8s.io/v1beta1', [15_800, 9]],
]);

function byPriority({ spec: a }: APIService, { spec: b }: APIService): number {
  const groups = (b?.groupPriorityMinimum ?? 0) - (a?.groupPriorityMinimum ?? 0);
  if (groups !== 0) return groups;
  if (a?.group === b?.group) return (b?.versionPriority ?? 0) - (a?.versionPriority ?? 0);
  return (a?.group ?? '') < (b?.group ?? '') ? -1 : 1;
}
