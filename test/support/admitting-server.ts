// A server with the named admission plugins of Kubernetes and no others, for tests of plugins.
import type { Test } from 'tap';
import { admissionPlugins, builtInPlugins } from '../../lib/admission/index.js';
import type { AdmissionConfiguration, AdmissionWebhookOptions } from '../../lib/admission/index.js';
import { administrator, rbacAuthorizer } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { Pod, UserInfo } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';

/** The server as tests use it. */
export interface AdmittingServer {
  readonly client: Client;
  readonly clock: VirtualClock;
  as(user: UserInfo): Client;
}

/** Starts a server with RBAC and these plugins until the test ends. */
export function admittingServer(
  test: Test,
  names: readonly string[],
  configuration?: AdmissionConfiguration,
  webhooks?: AdmissionWebhookOptions,
): AdmittingServer {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({
    store,
    clock,
    random: random(1),
    authorizers: (tools) => [rbacAuthorizer(tools.rbac())],
    admission: admissionPlugins({
      enable: names.filter((name) => builtInPlugins.some((each) => each.name === name && !each.isDefault)),
      disable: builtInPlugins.filter((each) => each.isDefault && !names.includes(each.name)).map(({ name }) => name),
      ...(configuration && { configuration }),
      ...(webhooks && { webhooks }),
    }),
  });
  test.teardown(async () => {
    await server.close();
    await store.close();
  });
  const as = (user: UserInfo): Client => inProcessClient(server.handler, { user });
  return { clock, as, client: inProcessClient(server.handler, { user: administrator }) };
}

/** A pod of one container in the namespace `default`. */
export function podNamed(name: string, spec: Partial<NonNullable<Pod['spec']>> = {}): Pod {
  return { metadata: { name, namespace: 'default' }, spec: { containers: [{ name: 'one', image: 'image' }], ...spec } };
}
