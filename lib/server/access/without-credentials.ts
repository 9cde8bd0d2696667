// A request as it is passed on to a node, a pod or a Service: with its user and without its credentials, which a
// backend could otherwise use to act as that user. As WithAuthentication and WithImpersonation of
// apiserver/pkg/endpoints/filters, which remove these headers from the request.
import { socketTokenPrefix } from '../../auth/index.js';
import type { Frozen, ApiRequest } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { RequestHeaderInfo } from '../bootstrap/authentication-info.js';
import type { Exchange } from '../pipeline.js';

/** Returns a request without its credentials. */
export type WithoutCredentials = (exchange: Exchange) => ApiRequest;

/**
 * Removes also the headers in which front proxies of this server name the user, and the conventional ones in any case.
 */
export function withoutCredentials({
  usernameHeaders = [],
  uidHeaders = [],
  groupHeaders = [],
  extraPrefixes = [],
}: Partial<RequestHeaderInfo> = {}): WithoutCredentials {
  const names = new Set(
    [...conventionalNames, ...usernameHeaders, ...uidHeaders, ...groupHeaders].map((each) => each.toLowerCase()),
  );
  const prefixes = [...conventionalPrefixes, ...extraPrefixes].map((each) => each.toLowerCase());
  const isHidden = (name: string): boolean => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  return ({ request, user }) => withHiddenHeaders(request, user, isHidden);
}

const conventionalNames = ['Authorization', 'X-Remote-User', 'X-Remote-Uid', 'X-Remote-Group'];
const conventionalPrefixes = ['X-Remote-Extra-', 'Impersonate-'];
const socketProtocols = 'sec-websocket-protocol';

function withHiddenHeaders(
  request: ApiRequest,
  user: Frozen<UserInfo>,
  isHidden: (name: string) => boolean,
): ApiRequest {
  const { info, signal, auditId, uri, remoteAddress } = request;
  return {
    info,
    user,
    ...(signal && { signal }),
    ...(auditId !== undefined && { auditId }),
    ...(uri !== undefined && { uri }),
    remoteAddress,
    header: (name) => {
      const value = isHidden(name.toLowerCase()) ? undefined : request.header(name);
      return value !== undefined && name.toLowerCase() === socketProtocols ? withoutTokens(value) : value;
    },
    headersWith: (prefix) => {
      const shown = (request.headersWith?.(prefix) ?? []).filter(([name]) => !isHidden(name));
      return shown
        .map(([name, value]) => [name, name === socketProtocols ? withoutTokens(value) : value] as const)
        .filter(([name, value]) => name !== socketProtocols || value !== '');
    },
    options: () => request.options(),
    body: () => request.body(),
    negotiate: (offer) => request.negotiate(offer),
  };
}

/** A WebSocket may carry its token among the protocols that it offers. */
function withoutTokens(protocols: string): string {
  return protocols
    .split(',')
    .filter((each) => !each.trim().startsWith(socketTokenPrefix))
    .join(',');
}
