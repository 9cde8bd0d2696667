// Creates the service account `default` in every active namespace, and again when it is deleted: pods that name no
// account use it, so none can be created before. As pkg/controller/serviceaccount/serviceaccounts_controller.go.
import { awaitChange, controller, informers, watching } from '../client/index.js';
import type { ControllerActivity } from '../client/index.js';
import { isApiError } from '../core/index.js';
import type { NamespacedName, Part } from '../core/index.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { isNamespaceTerminating } from './workloads/pod-control.js';

/** A namespace has its account. */
export interface DefaultServiceAccountCreated {
  readonly type: 'created';
  readonly namespace: string;
}

/** Creates the controller. */
export function defaultServiceAccounts({
  client,
  clock,
  random,
  informers: shared = informers(client, { clock, random }),
  steps$,
}: ControllerEnvironment): Part<ControllerActivity<NamespacedName, DefaultServiceAccountCreated>> {
  const namespaces = shared.kind('v1', 'Namespace');
  const accounts = shared.kind('v1', 'ServiceAccount');
  return controller<NamespacedName, DefaultServiceAccountCreated>({
    name: 'serviceaccount-controller',
    clock,
    steps$,
    watches: [
      watching(namespaces, ({ type, object }) => (type === 'deleted' ? [] : [keyOf(object.metadata.name)])),
      watching(accounts, ({ type, object: { metadata } }) =>
        type === 'deleted' && metadata.name === accountName ? [keyOf(metadata.namespace)] : [],
      ),
    ],
    reconcile: async ({ name: namespace }, { emit, signal, cause }) => {
      if (namespaces.get(namespace)?.status?.phase !== 'Active') return awaitChange;
      if (accounts.get(`${namespace}/${accountName}`) !== undefined) return awaitChange;
      try {
        await client
          .kind('v1', 'ServiceAccount')
          .in(namespace)
          .create({ metadata: { name: accountName } }, { signal, cause });
        emit({ type: 'created', namespace });
      } catch (error) {
        // The caches may lag: the account is there already, or the namespace is being deleted.
        if (!isApiError(error, 'AlreadyExists') && !isApiError(error, 'NotFound') && !isNamespaceTerminating(error))
          throw error;
      }
      return awaitChange;
    },
  });
}

const accountName = 'default';

function keyOf(name = ''): NamespacedName {
  return { namespace: '', name };
}
