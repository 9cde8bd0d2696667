// Bearer tokens of requests: from the Authorization header or, because browsers cannot set headers on a WebSocket, from
// an offered subprotocol. A token that no authenticator recognises is rejected; it does not count as absent. As
// apiserver/pkg/authentication/request/{bearertoken/bearertoken,websocket/protocol}.go.
import { decodeBase64, firstOf } from '../../core/index.js';
import type { Authenticated, Authenticator, Credentials, TokenAuthenticator } from '../authenticator.js';
import { AuthenticationError } from './authentication-error.js';
import { unionAuthenticator, unionTokenAuthenticator } from './union.js';

/** Authenticates requests by their bearer token, trying the token authenticators in order. */
export function bearerTokens(authenticators: readonly TokenAuthenticator[]): Authenticator {
  const known = unionTokenAuthenticator(authenticators);
  return unionAuthenticator([
    (credentials) => answerTo(known, headerToken(credentials), credentials),
    (credentials) => answerTo(known, socketToken(credentials), credentials),
  ]);
}

function answerTo(
  known: TokenAuthenticator,
  token: string | undefined,
  { audiences }: Credentials,
): readonly (Authenticated | undefined)[] | Promise<Authenticated | undefined> {
  if (token === undefined) return [undefined];
  const found = firstOf(known(token, audiences), undefined);
  return found instanceof Promise ? found.then(orWrong) : [orWrong(found)];
}

function orWrong(found: Authenticated | undefined): Authenticated {
  if (found === undefined) throw new AuthenticationError('invalid bearer token');
  return found;
}

/** Returns the token after the scheme, up to the next space. A second space directly after the first means no token. */
function headerToken(credentials: Credentials): string | undefined {
  const header = withoutSpaceAround(credentials.header('authorization') ?? '');
  const scheme = header.indexOf(' ');
  if (scheme < 0 || header.slice(0, scheme).toLowerCase() !== 'bearer') return undefined;
  const end = header.indexOf(' ', scheme + 1);
  const token = header.slice(scheme + 1, end < 0 ? undefined : end);
  if (token !== '') return token;
  credentials.warn?.('the provided Authorization header contains extra space before the bearer token, and is ignored');
  return undefined;
}

/**
 * A token subprotocol is used only beside another one: the server has to select a subprotocol and never selects that
 * one.
 */
function socketToken(credentials: Credentials): string | undefined {
  if (!asksForWebSocket(credentials)) return undefined;
  const offered = credentials.header('sec-websocket-protocol')?.split(',').map(withoutSpaceAround) ?? [];
  const [carrier, ...others] = offered.filter((each) => each.startsWith(socketTokenPrefix));
  if (carrier === undefined) return undefined;
  const token = decodedToken(carrier.slice(socketTokenPrefix.length));
  if (others.length > 0) throw new AuthenticationError('multiple base64.bearer.authorization tokens specified');
  if (token === '') return undefined;
  if (offered.length === 1) throw new AuthenticationError('missing additional subprotocol');
  return token;
}

/** Prefix of a WebSocket subprotocol that carries a token. */
export const socketTokenPrefix = 'base64url.bearer.authorization.k8s.io.';

function asksForWebSocket(credentials: Credentials): boolean {
  if (credentials.header('upgrade')?.toLowerCase() !== 'websocket') return false;
  return (
    credentials
      .header('connection')
      ?.split(',')
      .some((each) => withoutSpaceAround(each).toLowerCase() === 'upgrade') === true
  );
}

function decodedToken(text: string): string {
  if (!/^[\w-]*$/.test(text)) throw new AuthenticationError(badEncoding);
  let bytes;
  try {
    bytes = decodeBase64(
      text
        .replaceAll('-', '+')
        .replaceAll('_', '/')
        .padEnd(Math.ceil(text.length / 4) * 4, '='),
    );
  } catch {
    throw new AuthenticationError(badEncoding);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AuthenticationError('invalid base64.bearer.authorization token');
  }
}

const badEncoding = 'invalid base64.bearer.authorization token encoding';

/** Trims ASCII whitespace only. Header bytes could be mistaken for other Unicode whitespace. */
function withoutSpaceAround(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
