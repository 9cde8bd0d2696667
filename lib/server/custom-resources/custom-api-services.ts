// One APIService for each group-version that a CustomResourceDefinition serves, created and deleted with it. Those that
// a user wrote are left alone. As pkg/controlplane/controller/crdregistration and kube-aggregator's autoregister.
import { awaitChange, controller, watching } from '../../client/index.js';
import type { Client, ControllerActivity, ObjectEvent } from '../../client/index.js';
import { isApiError, localApiServiceCondition } from '../../core/index.js';
import type { Clock, Frozen, GroupVersion, Informer, Part } from '../../core/index.js';
import type { APIService, CustomResourceDefinition } from '../../core/types/index.js';

type Definition = Frozen<CustomResourceDefinition>;

/** A group-version to reconcile. */
export type GroupVersionItem = GroupVersion;

/** Returns the controller of the APIServices of custom resources. */
export function apiServiceController(parts: {
  readonly definitions: Informer<Definition>;
  readonly client: Client;
  readonly clock: Clock;
}): Part<ControllerActivity<GroupVersionItem>> {
  const { definitions, client, clock } = parts;
  const services = client.kind('apiregistration.k8s.io/v1', 'APIService');
  return controller<GroupVersionItem>({
    name: 'custom-resource-api-services',
    clock,
    watches: [watching(definitions, groupVersionsOf)],
    keyOf: ({ group, version }) => `${version}.${group}`,
    async reconcile(item) {
      const name = `${item.version}.${item.group}`;
      const isWanted = definitions.list().some((definition) => serves(definition, item));
      try {
        const found = await services.find(name);
        if (isWanted && found === undefined) await services.create(apiService(item, name, clock.now()));
        else if (!isWanted && found?.metadata.labels?.[label] === 'true')
          await services.delete(name, { preconditions: { uid: found.metadata.uid } });
      } catch (error) {
        if (!races.some((reason) => isApiError(error, reason))) throw error;
      }
      return awaitChange;
    },
  });
}

/** The outcomes of another server having been faster. */
const races = ['AlreadyExists', 'NotFound', 'Conflict'] as const;

const label = 'kube-aggregator.kubernetes.io/automanaged';

/** The group-versions that a definition has, or had before it changed. */
function groupVersionsOf(event: ObjectEvent<Definition>): readonly GroupVersionItem[] {
  const before = 'old' in event ? (event.old as Definition | undefined) : undefined;
  if (event.type === 'applied' && before?.spec === event.object.spec) return [];
  const names = new Set([...event.object.spec.versions, ...(before?.spec.versions ?? [])].map(({ name }) => name));
  return [...names].map((version) => ({ group: event.object.spec.group, version }));
}

function serves({ spec }: Definition, { group, version }: GroupVersionItem): boolean {
  return spec.group === group && spec.versions.some(({ name, served }) => served && name === version);
}

function apiService({ group, version }: GroupVersionItem, name: string, now: number): APIService {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, labels: { [label]: 'true' } },
    spec: { group, version, groupPriorityMinimum: 1000, versionPriority: 100 },
    status: { conditions: [localApiServiceCondition(now)] },
  };
}
