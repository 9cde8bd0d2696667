// ConfigMaps, Secrets and volumes that pods refer to, read with the identity of the node: the Node authorizer permits
// those of pods that are bound to it. Each read is a live GET, so that a pod that starts sees what was written before.
import type { Client } from '../../client/index.js';
import { isApiError } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { ConfigMap, PersistentVolume, PersistentVolumeClaim, Secret } from '../../core/types/index.js';

/** Reads objects that pods refer to. */
export interface PodObjects {
  /** Resolves with undefined if there is none. */
  configMap(namespace: string, name: string): Promise<Frozen<ConfigMap> | undefined>;
  /** Resolves with undefined if there is none. */
  secret(namespace: string, name: string): Promise<Frozen<Secret> | undefined>;
  /** Resolves with undefined if there is none. */
  claim(namespace: string, name: string): Promise<Frozen<PersistentVolumeClaim> | undefined>;
  /** Resolves with undefined if there is none. */
  volume(name: string): Promise<Frozen<PersistentVolume> | undefined>;
  /** Requests a token of a pod's ServiceAccount. */
  token(request: PodTokenRequest): Promise<PodToken>;
}

/** A request for a token that is bound to a pod. */
export interface PodTokenRequest {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly pod: { readonly name: string; readonly uid: string };
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

/** A token with the time of its expiry. */
export interface PodToken {
  readonly token: string;
  readonly expiresAt: string;
}

/** Reads through a client of the node. */
export function podObjects(client: Client): PodObjects {
  // The Node authorizer learns of a binding through a watch of its own, perhaps after the agent did.
  const find = async <T>(read: () => Promise<T | undefined>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (isApiError(error, 'Forbidden')) return undefined;
      throw error;
    }
  };
  return {
    configMap: (namespace, name) => find(() => client.kind('v1', 'ConfigMap').find({ namespace, name })),
    secret: (namespace, name) => find(() => client.kind('v1', 'Secret').find({ namespace, name })),
    claim: (namespace, name) => find(() => client.kind('v1', 'PersistentVolumeClaim').find({ namespace, name })),
    volume: (name) => find(() => client.kind('v1', 'PersistentVolume').find(name)),
    token: async ({ namespace, serviceAccount, pod, audiences, expirationSeconds }) => {
      const accounts = client.kind('v1', 'ServiceAccount').in(namespace);
      const answer = await accounts.token.create(serviceAccount, {
        spec: {
          audiences: [...audiences],
          expirationSeconds,
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid },
        },
      });
      if (!('spec' in answer)) throw new Error('the server returned no token');
      return { token: answer.status?.token ?? '', expiresAt: answer.status?.expirationTimestamp ?? '' };
    },
  };
}
