// DefaultBinder: binds a pod by asking the API server to, with one Binding. It names the pod's uid, so that another pod
// of the same name is not bound in its place. As the plugin of the same name.
import type { PodSubresources } from '../../client/index.js';
import type { Binding } from '../../core/types/index.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import type { PluginTools } from '../framework/plugin-tools.js';

/** Makes the plugin. */
export function defaultBinder({ client }: Pick<PluginTools, 'client'>): SchedulingPlugin {
  let bindings: PodSubresources['binding'] | undefined;
  return {
    name: 'DefaultBinder',
    bind: async ({ pod: { namespace, name, uid, object } }, nodeName, signal) => {
      const binding: Binding = { metadata: { namespace, name, uid }, target: { kind: 'Node', name: nodeName } };
      bindings ??= client.kind('v1', 'Pod').binding;
      const cause = { reason: `scheduled to ${nodeName}`, resourceVersion: object.metadata?.resourceVersion };
      await bindings.create({ namespace, name }, binding, { signal, cause });
      return undefined;
    },
  };
}
