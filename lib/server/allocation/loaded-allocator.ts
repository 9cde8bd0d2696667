// An allocator that is made, and learns which addresses and ports are taken, when it is first asked for one: a server
// that nobody asks for Services reads none.
import type { Frozen } from '../../core/index.js';
import type { Service } from '../../core/types/index.js';
import type { Reserving } from '../writes/kind-behaviour.js';
import type { ServiceAllocator } from './service-allocator.js';

/** Asks for all Services before the first reservation; where that fails, before the next one. */
export function loadedAllocator(
  make: () => ServiceAllocator,
  services: () => Promise<readonly Frozen<Service>[]>,
): Pick<Reserving, 'reserve' | 'release'> {
  let loading: Promise<ServiceAllocator> | undefined;
  let loaded: ServiceAllocator | undefined;
  const load = async (): Promise<ServiceAllocator> => {
    try {
      const allocator = make();
      allocator.load(await services());
      return (loaded = allocator);
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  return {
    async reserve(service, old, context) {
      const allocator = loaded ?? (await (loading ??= load()));
      // asked about no other kind
      return allocator.reserve(service as Service, old as Frozen<Service> | undefined, context);
    },
    release(service) {
      const release = (allocator: ServiceAllocator): void => allocator.release(service as Frozen<Service>);
      // What is being read may still show the Service; what is read later does not.
      if (loaded !== undefined) release(loaded);
      else void loading?.then(release, () => undefined);
    },
  };
}
