// Which versions and resources are served: the switches of kube-apiserver's --runtime-config. Stable versions are on,
// beta and alpha versions off; a switch for all of a kind (`api/beta`) comes before one for a version (`apps/v1`),
// and that before one for a single resource (`batch/v1/jobs`). The order of the keys does not matter.
// As apiserver/pkg/server/resourceconfig/helpers.go and server/options/api_enablement.go, with their messages. One
// addition: the core group may be written `v1`, as the flag's own help has it, besides `/v1`.
import type { GroupVersion, GroupVersionResource } from '../objects/gvk.js';
import { groupVersionResourceKey, printGroupVersion } from '../objects/gvk.js';
import { stabilityOf } from './version-order.js';

/**
 * `api/all`, `api/ga`, `api/beta`, `api/alpha`, `⟨group⟩/⟨version⟩` or `⟨group⟩/⟨version⟩/⟨resource⟩`, each on or off.
 */
export type ApiSwitches = Readonly<Record<string, boolean>>;

/** Returns whether a resource is served. */
export type Served = (resource: GroupVersionResource) => boolean;

/** Reads the switches. Throws for keys that name no known group or version. */
export function readApiSwitches(switches: ApiSwitches, known: readonly GroupVersion[]): Served {
  if (switches['api/all'] === false && Object.keys(switches).length === 1)
    throw new Error('invalid runtime-config with only api/all=false');
  const explicit = readExplicit(switches, known);
  const flag = (name: string): boolean | undefined => (Object.hasOwn(switches, name) ? switches[name] : undefined);

  return (resource) => {
    const stability = stabilityOf(resource.version);
    const ofStability = stability === undefined ? undefined : flag(stabilityFlags[stability]);
    return (
      explicit.get(groupVersionResourceKey(resource)) ??
      explicit.get(printGroupVersion(resource)) ??
      ofStability ??
      flag('api/all') ??
      (stability !== 'beta' && stability !== 'alpha')
    );
  };
}

const stabilityFlags = { stable: 'api/ga', beta: 'api/beta', alpha: 'api/alpha' } as const;
const general: ReadonlySet<string> = new Set(['api/all', ...Object.values(stabilityFlags)]);

/** By `printGroupVersion` for versions and `groupVersionResourceKey` for resources, which never look alike. */
function readExplicit(switches: ApiSwitches, known: readonly GroupVersion[]): ReadonlyMap<string, boolean> {
  const groups = new Set(known.map(({ group }) => group));
  const versions = new Set(known.map(printGroupVersion));
  const explicit = new Map<string, boolean>();
  const unknown: string[] = [];
  for (const [key, on] of Object.entries(switches)) {
    if (general.has(key)) continue;
    const [group, version, resource, ...more] = key.includes('/') ? key.split('/') : ['', key];
    if (group === undefined || version === undefined || version === '' || more.length > 0)
      throw new Error(`runtime-config invalid key ${key}`);
    const name = printGroupVersion({ group, version });
    if (!groups.has(group)) {
      unknown.push(name);
      continue;
    }
    if (!versions.has(name)) throw new Error(`group version ${name} that has not been registered`);
    if (resource !== undefined && resource !== resource.toLowerCase()) {
      throw new Error(
        `invalid key ${key}: group/version/resource and resource is always lowercase plural, not "${resource}"`,
      );
    }
    explicit.set(resource === undefined ? name : groupVersionResourceKey({ group, version, resource }), on);
  }
  if (unknown.length > 0) throw new Error(`unknown api groups ${unknown.sort().join(',')}`);
  return explicit;
}
