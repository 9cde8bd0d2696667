// Fields of a pod as text: the downward API of environment variables and volumes. As
// pkg/fieldpath/fieldpath.go and pkg/apis/core/v1/resource/helpers.go.
import { integerValue, milliValue } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Pod, ResourceFieldSelector } from '../../core/types/index.js';
import { podContainer } from '../pod/pod-knowledge.js';

/** What the downward API knows beyond the pod. */
export interface DownwardContext {
  readonly hostIps: readonly string[];
  readonly podIps: readonly string[];
  /** What the node can give: the limit of a container without one. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Returns the text of a field; undefined for a field that the downward API does not have. */
export function fieldText(pod: Frozen<Pod>, path: string, context: DownwardContext): string | undefined {
  const { metadata = {}, spec } = pod;
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (subscript !== null)
    return metadata[subscript[1] === 'labels' ? 'labels' : 'annotations']?.[subscript[2] ?? ''] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.labels':
      return mapText(metadata.labels);
    case 'metadata.annotations':
      return mapText(metadata.annotations);
    case 'spec.nodeName':
      return spec?.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec?.serviceAccountName ?? '';
    case 'status.hostIP':
      return context.hostIps[0] ?? '';
    case 'status.hostIPs':
      return context.hostIps.join(',');
    case 'status.podIP':
      return context.podIps[0] ?? '';
    case 'status.podIPs':
      return context.podIps.join(',');
    default:
      return undefined;
  }
}

/** One line per entry, sorted, with quoted values. */
function mapText(map: Readonly<Record<string, string>> = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n');
}

/** Returns the text of a resource of a container; `own`: the container that asks, where the selector names none. */
export function resourceFieldText(
  pod: Frozen<Pod>,
  { containerName, resource, divisor = '0' }: Frozen<ResourceFieldSelector>,
  context: DownwardContext,
  own = '',
): string {
  const [part = '', ...rest] = resource.split('.');
  const name = rest.join('.');
  const container = podContainer(pod, containerName ?? own);
  const { requests = {}, limits = {} } = container?.spec.resources ?? {};
  const limit = limits[name] ?? context.allocatable[name] ?? '0';
  const text = part === 'requests' ? (requests[name] ?? limits[name] ?? '0') : limit;
  const unit = divisor === '0' || divisor === '' ? '1' : divisor;
  if (name === 'cpu') return `${Math.ceil(milliValue(text) / milliValue(unit))}`;
  return `${Math.ceil(integerValue(text) / integerValue(unit))}`;
}
