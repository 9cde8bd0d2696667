// APIServices of kinds that the host adds or removes while the server runs, as the bootstrap objects have one for each
// group-version of the start. Those of custom resources are maintained with their definitions.
import { concatMap, ignoreElements } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Client, KindClient } from '../../client/index.js';
import { isApiError, printGroupVersion } from '../../core/index.js';
import type { Clock, GroupVersion, KindDefinition, Kinds, SchemeChange } from '../../core/index.js';
import { apiServices } from '../bootstrap/api-services.js';
import { apiServiceName } from './remote-apis.js';

/** Dependencies of the maintenance. */
export interface HostApiServicesParts {
  readonly kinds: Kinds;
  readonly client: Client;
  readonly clock: Clock;
}

/** Creates and deletes APIServices with the group-versions of the host while subscribed. Emits nothing. */
export function maintainHostApiServices(parts: HostApiServicesParts): Observable<never> {
  return parts.kinds.changes$.pipe(
    concatMap((change) => reconcile(change, parts)),
    ignoreElements(),
  );
}

async function reconcile({ before, after }: SchemeChange, parts: HostApiServicesParts): Promise<void> {
  const { kinds, client, clock } = parts;
  const changed = [...before, ...after].filter(isOfHost);
  const versions = new Map(changed.map((version): [string, GroupVersion] => [printGroupVersion(version), version]));
  const resource = client.kind('apiregistration.k8s.io/v1', 'APIService');
  for (const { group, version } of versions.values()) {
    const isServed = kinds.current.resourcesOf({ group, version }).some(isOfHost);
    const [wanted] = isServed ? apiServices([{ group, version }], clock.now()) : [];
    try {
      if (wanted !== undefined) await resource.create(wanted);
      else await deleteOwn(resource, apiServiceName({ group, version }));
    } catch (error) {
      if (!isApiError(error)) throw error;
      // Exists already, is gone already, or the store is unavailable: the next change or start writes it.
    }
  }
}

async function deleteOwn(resource: KindClient<'apiregistration.k8s.io/v1', 'APIService'>, name: string): Promise<void> {
  const found = await resource.find(name);
  const isOwn = found?.metadata.labels?.['kube-aggregator.kubernetes.io/automanaged'] === 'onstart';
  if (found !== undefined && isOwn && found.spec?.service === undefined)
    await resource.delete(name, { preconditions: { uid: found.metadata.uid } });
}

function isOfHost({ versionStorage, resource }: KindDefinition): boolean {
  return versionStorage === undefined && resource !== undefined;
}
