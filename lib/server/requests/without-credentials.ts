// A request as it may be passed on to a node, a pod or a service: with who asks, and without what they proved it with.
// Whoever stands behind the server would otherwise be able to act for everybody who comes by. As WithAuthentication and
// WithImpersonation of apiserver/pkg/endpoints/filters, which take these headers off the request for good.
import { socketTokenPrefix } from '../../auth/index.js';
import type { ApiRequest } from '../../client/index.js';
import type { Frozen } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { RequestHeaderInfo } from '../bootstrap/authentication-info.js';
import type { Exchange } from './exchange.js';

/** Takes the credentials off a request. */
export type WithoutCredentials = (exchange: Exchange) => ApiRequest;

/** Hides also the headers in which proxies of this server say who is asking, the conventional ones in any case. */
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
  return ({ request, user }) => passedOn(request, user, isHidden);
}

const conventionalNames = ['Authorization', 'X-Remote-User', 'X-Remote-Uid', 'X-Remote-Group'];
const conventionalPrefixes = ['X-Remote-Extra-', 'Impersonate-'];
const socketProtocols = 'sec-websocket-protocol';

function passedOn(request: ApiRequest, user: Frozen<UserInfo>, isHidden: (name: string) => boolean): ApiRequest {
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
