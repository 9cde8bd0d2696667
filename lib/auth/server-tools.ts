// The dependencies that a server provides to its plug-ins: authenticators, authorizers, token issuers and admission
// plugins. A host supplies a plug-in as a function of these tools, or as a value if it needs none.
import type { Observable } from 'rxjs';
import type { Client } from '../client/index.js';
import type { Clock, Kinds, ObjectInformers, ObjectReader, Random } from '../core/index.js';
import type { Authorizer } from './authorizer.js';
import type { RbacRules } from './rbac/rbac-authorizer.js';

/** The dependencies that a server provides to its plug-ins. */
export interface ServerTools {
  /** Reads the server's own objects from its caches. */
  readonly reader: ObjectReader;
  /** Shared watches over the server's own caches: one per resource, however many parts subscribe. */
  readonly informers: ObjectInformers;
  /** The server's own client, as `system:apiserver`, for writes of a plug-in. */
  readonly client: Client;
  readonly clock: Clock;
  /** A random stream of the part's own. */
  readonly random: Random;
  /** The kinds that the server serves. */
  readonly kinds: Kinds;
  /**
   * Returns the authorizer of the server. A function, because authorizers are created with these tools too: it may be
   * called once the server exists.
   */
  readonly authorizer: () => Authorizer;
  /**
   * Returns the server's roles and bindings, for `rbacAuthorizer`. They are loaded with the first decision. A server
   * with a plug-in that calls this is created with the bootstrap roles of Kubernetes.
   */
  readonly rbac: () => RbacRules;
  /** Audiences of the server, which apply to tokens without an audience. May be empty. */
  readonly audiences: readonly string[];
  /** Emits once when the server is closed, also to later subscribers. Ends the subscriptions of plug-ins. */
  readonly closed$: Observable<void>;
}
