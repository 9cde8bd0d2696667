// Publishes the certificate of the cluster's authority in every namespace, as the ConfigMap `kube-root-ca.crt` that the
// tokens of pods are mounted with. It starts when the authority is known; a cluster without one publishes nothing. As
// pkg/controller/certificates/rootcacertpublisher/publisher.go.
import { NEVER, defer, from, switchMap } from 'rxjs';
import { awaitChange, controller, informers, watching } from '../client/index.js';
import type { ControllerActivity, Stored, WriteOptions } from '../client/index.js';
import { deepEqual, isApiError } from '../core/index.js';
import type { NamespacedName, Part } from '../core/index.js';
import type { ConfigMap } from '../core/types/index.js';
import type { ControllerEnvironment } from './controller-environment.js';

/** Options of the controller. */
export interface RootCaPublisherOptions extends ControllerEnvironment {
  /** Resolves to the certificate of the authority in PEM when it is known; to undefined where there is none. */
  readonly rootCa: () => Promise<string | undefined>;
}

/** A namespace has the certificate. */
export interface RootCaPublished {
  readonly type: 'published';
  readonly namespace: string;
}

/** Creates the controller. */
export function rootCaPublisher({
  rootCa,
  ...environment
}: RootCaPublisherOptions): Part<ControllerActivity<NamespacedName, RootCaPublished>> {
  return {
    name,
    run: () =>
      defer(() => from(rootCa())).pipe(
        switchMap((certificate) => (certificate === undefined ? NEVER : publisherOf(certificate, environment).run())),
      ),
  };
}

const name = 'root-ca-certificate-publisher-controller';

function publisherOf(
  certificate: string,
  { client, clock, random, informers: shared = informers(client, { clock, random }), steps$ }: ControllerEnvironment,
): Part<ControllerActivity<NamespacedName, RootCaPublished>> {
  const namespaces = shared.kind('v1', 'Namespace');
  const configMaps = shared.kind('v1', 'ConfigMap');
  const data = { 'ca.crt': certificate };
  const write = async (namespace: string, found: Stored<ConfigMap> | undefined, options: Options): Promise<boolean> => {
    const inNamespace = client.kind('v1', 'ConfigMap').in(namespace);
    if (found === undefined) {
      await inNamespace.create({ metadata: { name: mapName, annotations: { ...annotations } }, data }, options);
      return true;
    }
    const own = found.metadata.annotations ?? {};
    if (deepEqual(found.data, data) && Object.hasOwn(own, descriptionKey)) return false;
    await inNamespace.update(
      { ...found, data, metadata: { ...found.metadata, annotations: { ...own, ...annotations } } },
      options,
    );
    return true;
  };
  return controller<NamespacedName, RootCaPublished>({
    name,
    clock,
    steps$,
    watches: [
      watching(namespaces, ({ type, object: { metadata, status } }) =>
        type === 'deleted' || status?.phase !== 'Active' ? [] : [keyOf(metadata.name)],
      ),
      watching(configMaps, ({ type, object: { metadata } }) =>
        type !== 'listed' && metadata.name === mapName ? [keyOf(metadata.namespace)] : [],
      ),
    ],
    reconcile: async ({ name: namespace }, { emit, signal, cause }) => {
      if (namespaces.get(namespace)?.status?.phase !== 'Active') return awaitChange;
      try {
        const wrote = await write(namespace, configMaps.get(`${namespace}/${mapName}`), { signal, cause });
        if (wrote) emit({ type: 'published', namespace });
      } catch (error) {
        // The caches may lag: the map is there already, or the namespace is being deleted or gone.
        if (!expected.some((reason) => isApiError(error, reason))) throw error;
      }
      return awaitChange;
    },
  });
}

type Options = Pick<WriteOptions, 'signal' | 'cause'>;

const expected = ['AlreadyExists', 'Conflict', 'NotFound', 'Forbidden'] as const;
const mapName = 'kube-root-ca.crt';
const descriptionKey = 'kubernetes.io/description';
const annotations = {
  [descriptionKey]:
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

function keyOf(namespace = ''): NamespacedName {
  return { namespace: '', name: namespace };
}
