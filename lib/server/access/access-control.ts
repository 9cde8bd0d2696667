// Access control of a server: the host's authenticators and authorizers, created with the tools of the server where the
// host passes functions, joined into one authenticator and one authorizer.
import { defer, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { alwaysAllow, mastersAllowed, rbacIndex, unionAuthenticator, unionAuthorizer } from '../../auth/index.js';
import type { ServerTools, Authenticator, Authorizer, RbacRules, TokenIssuer } from '../../auth/index.js';
import { Outlet } from '../../core/index.js';
import type { Client } from '../../client/index.js';
import type { Clock, Kinds, ObjectInformers, ObjectReader, Random } from '../../core/index.js';
import type { ServerOptions } from '../start/server-options.js';

/** Parts of the server that authenticators and authorizers are created with. */
export interface AccessParts {
  readonly reader: ObjectReader;
  readonly informers: ObjectInformers;
  /** The server's own client. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly kinds: Kinds;
}

/** The access control of a server. */
export interface Access {
  /** Undefined where every request runs as an administrator. */
  readonly authenticator: Authenticator | undefined;
  /** Undefined where everything is allowed. */
  readonly authorizer: Authorizer | undefined;
  readonly tokens: TokenIssuer | undefined;
  /** Accepted audiences of credentials. */
  readonly audiences: readonly string[];
  /** The rules of the server's roles and bindings. */
  readonly rbac: RbacRules;
  /** Whether an authenticator, authorizer or plugin of the host requested `rbac` from its tools. */
  readonly usesRbac: boolean;
  /** Returns the tools of a part of the server, with a random stream of that name. */
  toolsFor(stream: string): ServerTools;
  /** Emits `closed$` of all tools. */
  close(): void;
}

/**
 * Creates authenticators, authorizers and the token issuer. Objects are read with the first request that needs them.
 */
export function accessOf(options: ServerOptions, parts: AccessParts): Access {
  const { reader, informers, client, clock, random, kinds } = parts;
  const closing = new Outlet<undefined>();
  let isClosed = false;
  const closed$: Observable<void> = defer(() => (isClosed ? of(undefined) : closing.values$));
  const rbac = rbacIndex({ reader, informers, closed$ });
  let usesRbac = false;
  const toolsOf = (stream: string, audiences: readonly string[]): ServerTools => ({
    reader,
    informers,
    client,
    clock,
    random: random.stream(stream),
    kinds,
    authorizer: () => authorizer ?? alwaysAllow,
    audiences,
    closed$,
    rbac: () => {
      usesRbac = true;
      return rbac;
    },
  });
  const tokens =
    typeof options.tokens === 'function'
      ? options.tokens(toolsOf('tokens', options.apiAudiences ?? []))
      : options.tokens;
  const audiences = options.apiAudiences ?? tokens?.defaultAudiences ?? [];
  const made = <Part>(
    given: readonly Part[] | ((tools: ServerTools) => readonly Part[]) = [],
    stream: string,
  ): readonly Part[] => (typeof given === 'function' ? given(toolsOf(stream, audiences)) : given);
  const authenticators = made(options.authenticators, 'authentication');
  const authorizers = made(options.authorizers, 'authorization');
  // Members of system:masters are allowed whatever the host configures.
  const authorizer = authorizers.length === 0 ? undefined : unionAuthorizer([mastersAllowed, ...authorizers]);
  return {
    authenticator: authenticators.length === 0 ? undefined : unionAuthenticator(authenticators),
    authorizer,
    tokens,
    audiences,
    rbac,
    get usesRbac() {
      return usesRbac;
    },
    toolsFor: (stream) => toolsOf(stream, audiences),
    close: () => {
      isClosed = true;
      closing.emit(undefined);
      closing.complete();
    },
  };
}
