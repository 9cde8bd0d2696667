// What the server lends to authenticators and authorizers that read its own objects. A host gives such parts as a
// function of these tools; parts that read nothing are given as they are.
import type { Observable } from 'rxjs';
import type { Clock, ObjectReader, Random } from '../core/index.js';
import type { RbacRules } from './rbac/rbac-rules.js';

/** What parts of authentication and authorization are made with. */
export interface AuthTools {
  readonly reader: ObjectReader;
  readonly clock: Clock;
  /** A stream of the part's own. */
  readonly random: Random;
  /**
   * What the server's roles and bindings say, for `rbacAuthorizer`. Read from the first question on; a server whose
   * parts ask for it begins with the roles of Kubernetes.
   */
  readonly rbac: () => RbacRules;
  /** For whom credentials are that do not say: the server's own audiences. Empty where it has none. */
  readonly audiences: readonly string[];
  /** Emits once when the server is closed, also to whoever comes later: what a part holds on to ends with it. */
  readonly closed$: Observable<void>;
}
