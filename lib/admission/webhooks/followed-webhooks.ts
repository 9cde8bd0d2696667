// The webhooks of all configurations of one kind, followed through the shared informer. A configuration is compiled
// once per revision; the index is built anew after a change, with the next write. Nothing is read before the
// first write.
import { filter, tap } from 'rxjs';
import { onDemand } from '../../core/index.js';
import type { Frozen, OnDemand } from '../../core/index.js';
import type { CompiledWebhook, AnyWebhookConfiguration } from './compiled-webhook.js';
import { compileConfiguration } from './compiled-webhook.js';
import type { WebhookClients } from './webhook-clients.js';
import type { WebhookTools } from './webhook-dispatcher.js';
import { WebhookIndex } from './webhook-index.js';

/** A source of webhooks. */
export interface WebhookSource {
  /** Answers when the webhooks are known: at once, or as a promise. */
  readonly whenReady: OnDemand['whenReady'];
  /** The index of the current webhooks and kinds. */
  index(): WebhookIndex;
}

/** Follows the configurations of a resource. */
export function followedWebhooks(
  { informers, kinds, closed$ }: WebhookTools,
  resource: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations',
  clients: WebhookClients,
): WebhookSource {
  const cache = informers.of<AnyWebhookConfiguration>({ group: 'admissionregistration.k8s.io', resource });
  const compiled = new WeakMap<Frozen<AnyWebhookConfiguration>, readonly CompiledWebhook[]>();
  let current: WebhookIndex | undefined;
  const { whenReady } = onDemand(
    cache.events$.pipe(
      tap(() => (current = undefined)),
      filter(({ type }) => type === 'synced'),
    ),
    closed$,
  );
  const compiledOf = (configuration: Frozen<AnyWebhookConfiguration>): readonly CompiledWebhook[] => {
    let webhooks = compiled.get(configuration);
    if (webhooks === undefined) compiled.set(configuration, (webhooks = compileConfiguration(configuration, clients)));
    return webhooks;
  };
  return {
    whenReady,
    index() {
      if (current?.scheme !== kinds.current) {
        const sorted = [...cache.list()].sort((one, other) =>
          (one.metadata?.name ?? '') < (other.metadata?.name ?? '') ? -1 : 1,
        );
        current = new WebhookIndex(sorted.flatMap(compiledOf), kinds.current);
      }
      return current;
    },
  };
}

/** Webhooks that do not change, such as those of a host. */
export function fixedWebhooks({ kinds }: WebhookTools, webhooks: readonly CompiledWebhook[]): WebhookSource {
  let current: WebhookIndex | undefined;
  return {
    whenReady: (answer) => answer(),
    index: () => (current?.scheme === kinds.current ? current : (current = new WebhookIndex(webhooks, kinds.current))),
  };
}
