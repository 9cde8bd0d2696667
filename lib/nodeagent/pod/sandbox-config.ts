// The configuration of a pod's sandbox: host name, DNS and ports. As pkg/kubelet/kuberuntime/kuberuntime_sandbox.go and
// pkg/kubelet/network/dns.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { DnsConfig, PodSandboxConfig, PodVolume } from '../runtime/container-config.js';

/** The DNS service of the cluster. */
const clusterDomain = 'cluster.local';
const clusterDns: readonly string[] = ['10.96.0.10'];
const nameServersMax = 3;
const searchesMax = 32;
const hostNameMax = 63;

/** Returns the configuration. */
export function sandboxConfig(pod: Frozen<Pod>, attempt: number, volumes: readonly PodVolume[]): PodSandboxConfig {
  const { metadata = {}, spec } = pod;
  const { uid = '', name = '', namespace = '', labels = {}, annotations = {} } = metadata;
  return {
    uid,
    name,
    namespace,
    attempt,
    hostname: (spec?.hostname ?? name).slice(0, hostNameMax),
    labels: {
      ...labels,
      'io.kubernetes.pod.name': name,
      'io.kubernetes.pod.namespace': namespace,
      'io.kubernetes.pod.uid': uid,
    },
    annotations,
    isHostNetwork: spec?.hostNetwork ?? false,
    sharesProcesses: spec?.shareProcessNamespace ?? false,
    dns: dnsConfig(pod),
    portMappings: (spec?.containers ?? []).flatMap(({ ports = [] }) =>
      ports
        .filter(({ hostPort }) => hostPort !== undefined)
        .map(({ protocol = 'TCP', containerPort, hostPort = 0, hostIP = '' }) => ({
          protocol,
          containerPort,
          hostPort,
          hostIp: hostIP,
        })),
    ),
    runtimeHandler: spec?.runtimeClassName ?? '',
    volumes,
    pod,
  };
}

function dnsConfig({ metadata, spec }: Frozen<Pod>): DnsConfig {
  const { dnsPolicy = 'ClusterFirst', dnsConfig: own, hostNetwork = false } = spec ?? {};
  const namespace = metadata?.namespace ?? '';
  const usesCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !hostNetwork);
  const searches = usesCluster ? [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain] : [];
  const options = new Map<string, string>(usesCluster ? [['ndots', '5']] : []);
  for (const { name = '', value = '' } of own?.options ?? []) options.set(name, value);
  return {
    servers: [...new Set([...(usesCluster ? clusterDns : []), ...(own?.nameservers ?? [])])].slice(0, nameServersMax),
    searches: [...new Set([...searches, ...(own?.searches ?? [])])].slice(0, searchesMax),
    options: Array.from(options, ([name, value]) => (value === '' ? name : `${name}:${value}`)),
  };
}
