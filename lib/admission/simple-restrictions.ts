// Two plugins that forbid one field. LimitPodHardAntiAffinityTopology: pods keep others away from their node only, not
// from whole zones. DenyServiceExternalIPs: no new external addresses of Services, which would let their owner redirect
// the traffic of others. As plugin/pkg/admission/antiaffinity and plugin/pkg/admission/network/denyserviceexternalips.
import type { Frozen } from '../core/index.js';
import type { Pod, Service } from '../core/types/index.js';
import type { AdmissionPlugin } from './plugin.js';
import { refusal } from './refusal.js';

/** Creates LimitPodHardAntiAffinityTopology. */
export function limitPodHardAntiAffinityTopology(): AdmissionPlugin {
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    handles: { operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
    validate: (review) => {
      const { podAntiAffinity } = (review.object as Frozen<Pod>).spec?.affinity ?? {};
      for (const { topologyKey } of podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
        if (topologyKey !== hostname)
          throw refusal(
            review,
            `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${topologyKey} but only key ${hostname} is allowed`,
          );
      }
    },
  };
}

const hostname = 'kubernetes.io/hostname';

/** Creates DenyServiceExternalIPs. Addresses that a Service has already may stay. */
export function denyServiceExternalIPs(): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    handles: { operations: ['CREATE', 'UPDATE'], resources: ['services'] },
    validate: (review) => {
      const [service, old] = [review.object as Frozen<Service>, review.oldObject as Frozen<Service> | undefined];
      const present = old?.spec?.externalIPs ?? [];
      if (!(service.spec?.externalIPs ?? []).every((address) => present.includes(address)))
        throw refusal(review, 'Use of external IPs is denied by admission control');
    },
  };
}
