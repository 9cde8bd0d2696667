// Custom resources of a server: follows the CustomResourceDefinitions in its store, also those that other servers
// write, serves their kinds, and runs the controllers that accept, establish and delete definitions.
import { filter, ignoreElements, merge, tap } from 'rxjs';
import { webhookClients } from '../../admission/index.js';
import type { AdmissionWebhookOptions } from '../../admission/index.js';
import type { ServerTools } from '../../auth/index.js';
import { forbidden, onDemand } from '../../core/index.js';
import type { GroupResource, MutableKinds, RuleCompiler } from '../../core/index.js';
import type { CustomResourceDefinition } from '../../core/types/index.js';
import type { Revision, Store } from '../../storage/index.js';
import type { KindBehaviour } from '../writes/kind-behaviour.js';
import { conversionOf } from './conversion.js';
import { runDefinitionControllers } from './definition-controller.js';
import { DefinitionKinds } from './definition-kinds.js';

/** Options of custom resources. */
export interface CustomResourcesOptions {
  readonly tools: ServerTools;
  readonly kinds: MutableKinds;
  readonly store: Store;
  /** How conversion webhooks are reached. */
  readonly webhooks: AdmissionWebhookOptions;
  /** Compiles rules in CEL. */
  readonly compileRules: RuleCompiler | undefined;
  /** Called after a custom resource was deleted with its definition. */
  readonly onCommitted: (key: string, revision: Revision) => void;
}

/** The custom resources of a server. */
export interface CustomResources {
  /**
   * Serves the stored definitions and follows them until the server is closed. Resolves when the kinds of all
   * definitions that are stored now are served.
   */
  start(): Promise<void>;
  /** The behaviour of a custom resource besides storing it: none is created while its definition is being deleted. */
  behaviourOf(resource: GroupResource): KindBehaviour;
}

/** Creates the custom resources of a server. Inert until started. */
export function customResources(options: CustomResourcesOptions): CustomResources {
  const { tools, kinds, store, webhooks, compileRules, onCommitted } = options;
  const { informers, client, clock, random, closed$ } = tools;
  const clients = webhookClients(webhooks, tools);
  const definitionKinds = new DefinitionKinds(kinds, (definition) => ({
    compileRules,
    convert: conversionOf(definition, { clients, random }),
  }));
  const definitions = informers.of<CustomResourceDefinition>(definitionResource);
  // Subscribed first: kinds are registered before the controllers see an event.
  const followed$ = definitions.events$.pipe(
    tap((event) => definitionKinds.apply(event)),
    filter(({ type }) => type === 'synced'),
  );
  const controllers$ = runDefinitionControllers({ definitions, client, clock, store, onCommitted });
  const { whenReady } = onDemand(merge(followed$, controllers$.pipe(ignoreElements())), closed$);
  return {
    async start() {
      await whenReady(() => undefined);
    },
    behaviourOf: (resource) => ({
      check(object, old) {
        if (old === undefined && definitionKinds.isTerminating(resource)) {
          const ref = { ...resource, name: object.metadata?.name ?? '' };
          throw forbidden(ref, 'create not allowed while custom resource definition is terminating');
        }
        return Promise.resolve();
      },
    }),
  };
}

const definitionResource: GroupResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
