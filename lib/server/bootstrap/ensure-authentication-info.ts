// Sees to it that the ConfigMap about authentication is there and says what this server has to add. A server that finds
// it complete writes nothing.
import type { Frozen } from '../../core/index.js';
import type { ConfigMap } from '../../core/types/index.js';
import type { AuthenticationInfo } from './authentication-info.js';
import { authenticationConfigMap } from './authentication-info.js';
import type { BootstrapTools } from './write-bootstrap.js';
import { writeBootstrap } from './write-bootstrap.js';

/** Resolves when it is in place. */
export async function ensureAuthenticationInfo(info: AuthenticationInfo, tools: BootstrapTools): Promise<void> {
  const wanted = authenticationConfigMap(info);
  while (wanted !== undefined) {
    const [found] = await writeBootstrap([wanted], tools);
    if (found === undefined) return;
    const { stored, entry } = found;
    const existing = stored.read(entry) as Frozen<ConfigMap>;
    const next = authenticationConfigMap(info, existing);
    if (next === undefined || JSON.stringify(next.data) === JSON.stringify(existing.data)) return;
    const pending = stored.write(stored.keyOf('kube-system', next.metadata?.name ?? ''), next);
    pending.done();
    const outcome = await tools.store.commit({
      compare: [{ key: entry.key, modRevision: entry.modRevision }],
      put: [{ key: pending.key, value: pending.value }],
    });
    if (outcome.committed) return;
  }
}
