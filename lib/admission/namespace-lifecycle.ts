// NamespaceLifecycle: nothing is written into a namespace that is missing, nothing new into one that is being deleted,
// and three namespaces cannot be deleted. As apiserver/pkg/admission/plugin/namespace/lifecycle.
//
// Kubernetes waits 50 ms for its cache before it reads a missing namespace live. A live read needs no wait here. A
// namespace whose deletion passed this server within 30 s is read live while the cache still shows it as active.
import { namespaceTerminating, notFound } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { Namespace } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { followedResource } from './followed-resource.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal, reviewedName } from './refusal.js';

/** Creates the plugin. */
export function namespaceLifecycle(tools: ServerTools): AdmissionPlugin {
  const { clock } = tools;
  const namespaces = followedResource<Namespace>(tools, { group: '', resource: 'namespaces' });
  /** When the deletion of a namespace was requested, in ms, in that order. */
  const deletions = new Map<string, number>();
  const rememberDeletion = (name: string): void => {
    deletions.delete(name);
    deletions.set(name, clock.now());
    const [oldest = ''] = deletions.keys();
    if (deletions.size > deletionsMax) deletions.delete(oldest);
  };
  const isStale = (name: string, { status }: Frozen<Namespace>): boolean => {
    const deletedMs = deletions.get(name);
    return deletedMs !== undefined && clock.now() - deletedMs < deletionsMs && status?.phase === 'Active';
  };
  const check = (review: AdmissionReview, known: Frozen<Namespace> | undefined): void => {
    const { namespace, operation, resource } = review;
    if (known === undefined) throw notFound({ group: '', resource: 'namespaces', name: namespace });
    if (operation === 'CREATE' && known.status?.phase === 'Terminating')
      throw namespaceTerminating({ ...resource, name: reviewedName(review) }, namespace);
  };

  return {
    name: 'NamespaceLifecycle',
    handles: { operations: ['CREATE', 'UPDATE', 'DELETE'], resources: '*', subresources: '*' },
    mutate: (review) => {
      const { operation, resource, namespace, name } = review;
      if (resource.resource === 'namespaces' && resource.group === '') {
        if (operation !== 'DELETE') return undefined;
        if (immortal.includes(name)) throw refusal(review, 'this namespace may not be deleted');
        rememberDeletion(name);
        return undefined;
      }
      if (namespace === '' || operation === 'DELETE' || resource.resource === 'localsubjectaccessreviews')
        return undefined;
      return namespaces.whenReady((): undefined | Promise<undefined> => {
        const cached = namespaces.cache.get(namespace);
        if (cached === undefined || (deletions.size > 0 && isStale(namespace, cached)))
          return namespaces.read(namespace).then((live) => {
            check(review, live);
            return undefined;
          });
        check(review, cached);
        return undefined;
      });
    },
  };
}

/** kube-node-lease may be deleted. */
const immortal: readonly string[] = ['default', 'kube-system', 'kube-public'];
const deletionsMax = 100;
const deletionsMs = 30_000;
