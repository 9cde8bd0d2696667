// What a server lends to the parts that a host plugs into it: authenticators, authorizers, token issuers and admission
// plugins. A host supplies such a part as a function of these tools; a part that reads nothing is supplied as it is.
import type { Observable } from 'rxjs';
import type { Client } from '../client/index.js';
import type { Clock, Kinds, ObjectInformers, ObjectReader, Random } from '../core/index.js';
import type { Authorizer } from './authorizer.js';
import type { RbacRules } from './rbac/rbac-rules.js';

/** What a server lends to its plug-in parts. */
export interface ServerTools {
  /** Reads the server's own objects from its caches. */
  readonly reader: ObjectReader;
  /** Shared watches over the server's own caches: one per resource, however many parts subscribe. */
  readonly informers: ObjectInformers;
  /** The server's own client, as `system:apiserver`, for what a part has to write. */
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
   * Returns the server's roles and bindings, for `rbacAuthorizer`. They are read from the first question on. A server
   * one of whose parts calls this starts with the roles of Kubernetes.
   */
  readonly rbac: () => RbacRules;
  /** The server's own audiences, which tokens without an audience are for. Empty where it has none. */
  readonly audiences: readonly string[];
  /** Emits once when the server is closed, also to later subscribers. Ends what a part keeps running. */
  readonly closed$: Observable<void>;
}
