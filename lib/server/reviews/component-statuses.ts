// componentstatuses: the health of the control plane as clients of old ask for it. Only what this server can see itself
// is reported. As pkg/registry/core/componentstatus.
import { deepFreeze, errorText, notFound } from '../../core/index.js';
import type { ApiResponse } from '../../client/index.js';
import type { HealthCheck } from '../documents/health.js';
import type { Exchange } from '../requests/exchange.js';
import { objectOffer } from '../requests/form.js';
import type { VirtualResource } from '../routing/route.js';

/** Answers get and list from health checks; the store goes by the name of etcd's first member. */
export function componentStatuses(checks: readonly HealthCheck[]): VirtualResource {
  const components = checks.filter(({ name }) => name === 'etcd').map((check) => ({ ...check, name: 'etcd-0' }));
  return async ({ request }: Exchange): Promise<ApiResponse> => {
    const form = request.negotiate(objectOffer);
    const { name } = request.info;
    if (name === '') {
      const items = await Promise.all(components.map((component) => statusOf(component)));
      const list = { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items };
      return { type: 'object', code: 200, object: deepFreeze(list), form };
    }
    const component = components.find((each) => each.name === name);
    if (component === undefined) throw notFound({ group: '', resource: 'componentstatus', name });
    return { type: 'object', code: 200, object: deepFreeze(await statusOf(component)), form };
  };
}

async function statusOf(component: HealthCheck): Promise<object> {
  const { name } = component;
  const problem = await component.check().then(
    () => undefined,
    (error: unknown) => errorText(error),
  );
  return {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name },
    conditions: [{ type: 'Healthy', status: problem === undefined ? 'True' : 'False', message: problem ?? 'ok' }],
  };
}
