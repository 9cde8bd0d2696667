// The wire protocols of exec, attach and port-forward, and their choice from the headers of a request. A choice is made
// before the response starts, so that a refusal is an ordinary Status. Protocols as
// staging/src/k8s.io/streaming/pkg/httpstream/wsstream and pkg/kubelet's remotecommand and portforward.
import type { ApiRequest, StreamKind } from '../../client/index.js';
import { socketTokenPrefix } from '../../auth/index.js';
import { badRequest, forbidden } from '../../core/index.js';
import type { ResourceRef } from '../../core/index.js';

/** How numbered channels go over a WebSocket. */
export interface ChannelProtocol {
  /** Text messages: the channel as a digit, then base64. Otherwise binary ones: the channel as a byte, then bytes. */
  readonly isBase64: boolean;
  /** Whether `255, channel` ends a channel. */
  readonly endsChannels: boolean;
  /** Whether the close is a Status in JSON; otherwise the bare message of a failure. */
  readonly hasStatus: boolean;
}

const v1: ChannelProtocol = { isBase64: false, endsChannels: false, hasStatus: false };
const v4: ChannelProtocol = { isBase64: false, endsChannels: false, hasStatus: true };
const v5: ChannelProtocol = { isBase64: false, endsChannels: true, hasStatus: true };

/** By the name of the subprotocol; empty where the client offers none. */
export const processProtocols: ReadonlyMap<string, ChannelProtocol> = new Map([
  ['', v1],
  ['channel.k8s.io', v1],
  ['base64.channel.k8s.io', { ...v1, isBase64: true }],
  ['v4.channel.k8s.io', v4],
  ['v4.base64.channel.k8s.io', { ...v4, isBase64: true }],
  ['v5.channel.k8s.io', v5],
]);

/** The same for port-forward, where a failure is always bare text. */
export const portForwardProtocols: ReadonlyMap<string, ChannelProtocol> = new Map([
  ['', v1],
  ['v4.channel.k8s.io', v1],
  ['v4.base64.channel.k8s.io', { ...v1, isBase64: true }],
]);

/** Throws ApiError 400 for a request from the wire that does not ask for an upgrade. */
export function requireUpgrade(request: ApiRequest): void {
  if (request.uri !== undefined && (request.header('Upgrade') ?? '') === '')
    throw badRequest('Upgrade request required');
}

/** Whether a protocol opens a connection to each port that the query names. In process connections name their port. */
export function needsPorts(protocol: string | undefined): boolean {
  return protocol !== undefined;
}

/**
 * The protocol of a request, the first that the client offers and the server has; undefined in process. Throws ApiError
 * 400 where the request is no proper upgrade, 403 where no protocol fits.
 */
export function chooseProtocol(kind: StreamKind, request: ApiRequest, ref: ResourceRef): string | undefined {
  if (request.uri === undefined) return undefined;
  const upgrade = request.header('Upgrade') ?? '';
  if (upgrade.toLowerCase() !== 'websocket' || !hasToken(request.header('Connection'), 'upgrade'))
    throw badRequest('unable to upgrade: missing upgrade headers in request');
  if ((request.header('Sec-WebSocket-Key') ?? '') === '') throw badRequest('mismatch challenge/response');
  if (request.header('Sec-WebSocket-Version') !== '13') throw badRequest('missing or bad WebSocket Version');
  const served = kind === 'portforward' ? portForwardProtocols : processProtocols;
  const offered = offeredProtocols(request.header('Sec-WebSocket-Protocol'));
  const chosen = offered.length === 0 ? '' : offered.find((each) => each !== '' && served.has(each));
  if (chosen !== undefined) return chosen;
  const names = [...served.keys()].filter((name) => name !== '');
  throw forbidden(
    ref,
    `requested protocol(s) are not supported: [${offered.join(' ')}]; supports [${names.join(' ')}]`,
  );
}

/** Protocols that carry a bearer token are credentials. */
function offeredProtocols(header = ''): readonly string[] {
  return header
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !each.startsWith(socketTokenPrefix));
}

function hasToken(header = '', token: string): boolean {
  return header.split(',').some((each) => each.trim().toLowerCase() === token);
}
