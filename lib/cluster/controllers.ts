// The controllers of a cluster, by the names that kube-controller-manager gives them. Each runs with the rights of its
// own service account, as with `--use-service-account-credentials`.
import { allAuthenticated, serviceAccountGroups } from '../auth/index.js';
import type { Client, Informers } from '../client/index.js';
import {
  clusterRoleAggregation,
  ephemeralVolumes,
  persistentVolumes,
  serviceAccountSecrets,
} from '../controllers/index.js';
import type { ControllerEnvironment } from '../controllers/index.js';
import type { Clock, Part, Random } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { LazyCredentials } from './credentials.js';

/** What controllers are made with. */
export interface ControllerTools {
  /** A client of the user that the controller runs as. */
  readonly as: (user: UserInfo) => Client;
  /** Watches that all controllers share. */
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly credentials: LazyCredentials;
}

/** The name of a controller. */
export type ControllerName = (typeof controllerNames)[number];

/** All controllers, in the order in which they start. */
export const controllerNames = [
  'clusterrole-aggregation-controller',
  'serviceaccount-token-controller',
  'persistentvolume-binder-controller',
  'ephemeral-volume-controller',
] as const;

/** Creates a controller. */
export function createController(name: ControllerName, tools: ControllerTools): Part {
  return definitions[name](tools);
}

const definitions: Readonly<Record<ControllerName, (tools: ControllerTools) => Part>> = {
  'clusterrole-aggregation-controller': (tools) =>
    clusterRoleAggregation(common(tools, account('clusterrole-aggregation-controller'))),
  'serviceaccount-token-controller': (tools) =>
    serviceAccountSecrets({
      ...common(tools, controllerManager),
      rootCa: async () => (await tools.credentials.load()).rootCa,
      sign: async (secret, serviceAccount) => (await tools.credentials.load()).legacyToken(secret, serviceAccount),
    }),
  'persistentvolume-binder-controller': (tools) =>
    persistentVolumes(common(tools, account('persistent-volume-binder'))),
  'ephemeral-volume-controller': (tools) => ephemeralVolumes(common(tools, account('ephemeral-volume-controller'))),
};

const controllerManager: UserInfo = { username: 'system:kube-controller-manager', groups: [allAuthenticated] };

function account(name: string): UserInfo {
  return {
    username: `system:serviceaccount:kube-system:${name}`,
    groups: [...serviceAccountGroups('kube-system'), allAuthenticated],
  };
}

function common({ as, informers, clock, random }: ControllerTools, user: UserInfo): ControllerEnvironment {
  return { client: as(user), informers, clock, random: random.stream(user.username ?? '') };
}
