// The wire protocols of exec, attach and port-forward, and their negotiation from the headers of a request. The
// protocol is chosen before the response starts, so that a refusal is an ordinary Status. Protocols as
// staging/src/k8s.io/streaming/pkg/httpstream/wsstream and pkg/kubelet's remotecommand and portforward.
import { socketTokenPrefix } from '../../auth/index.js';
import { badRequest, forbidden } from '../../core/index.js';
import type { ResourceRef, ApiRequest, StreamKind, StreamUpgrade } from '../../core/index.js';

/** The encoding of numbered channels over a WebSocket. */
export interface ChannelProtocol {
  /** Text messages: the channel as a digit, then base64. Otherwise binary ones: the channel as a byte, then bytes. */
  readonly isBase64: boolean;
  /** Whether `255, channel` ends a channel. */
  readonly endsChannels: boolean;
  /** Whether the close is a Status in JSON; otherwise only its message. */
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

/** Protocols of port-forward, where a failure is always plain text. */
export const portForwardProtocols: ReadonlyMap<string, ChannelProtocol> = new Map([
  ['', v1],
  ['v4.channel.k8s.io', v1],
  ['v4.base64.channel.k8s.io', { ...v1, isBase64: true }],
]);

/** Throws ApiError 400 for a request from the wire without an Upgrade header. */
export function requireUpgrade(request: ApiRequest): void {
  if (request.uri !== undefined && (request.header('Upgrade') ?? '') === '')
    throw badRequest('Upgrade request required');
}

/** Whether a protocol opens a connection to each port that the query names. Others name the port per connection. */
export function needsPorts(chosen: ChosenProtocol | undefined): boolean {
  return chosen?.upgrade === 'websocket' && chosen.protocol !== tunnelProtocol;
}

/** The WebSocket protocol whose messages carry a SPDY connection. As streaming/pkg/httpstream/constants. */
export const tunnelProtocol = 'SPDY/3.1+portforward.k8s.io';

/** What a connection becomes, and the protocol on it. */
export interface ChosenProtocol {
  readonly upgrade: StreamUpgrade;
  readonly protocol: string;
}

/**
 * Returns the protocol of a request: the first that the client offers and the server supports; undefined in process.
 * Throws ApiError 400 where the upgrade is invalid, 403 where no protocol matches.
 */
export function chooseProtocol(kind: StreamKind, request: ApiRequest, ref: ResourceRef): ChosenProtocol | undefined {
  if (request.uri === undefined) return undefined;
  const upgrade = (request.header('Upgrade') ?? '').toLowerCase();
  if (!hasToken(request.header('Connection'), 'upgrade')) throw missingUpgrade();
  if (upgrade === 'websocket') return { upgrade, protocol: chooseSocketProtocol(kind, request, ref) };
  if (upgrade === 'spdy/3.1') return { upgrade: 'spdy', protocol: chooseSpdyProtocol(kind, request, ref) };
  throw missingUpgrade();
}

function missingUpgrade(): Error {
  return badRequest('unable to upgrade: missing upgrade headers in request');
}

function chooseSocketProtocol(kind: StreamKind, request: ApiRequest, ref: ResourceRef): string {
  if ((request.header('Sec-WebSocket-Key') ?? '') === '') throw badRequest('mismatch challenge/response');
  if (request.header('Sec-WebSocket-Version') !== '13') throw badRequest('missing or bad WebSocket Version');
  const served = kind === 'portforward' ? portForwardProtocols : processProtocols;
  const offered = offeredProtocols(request.header('Sec-WebSocket-Protocol'));
  if (kind === 'portforward' && offered.includes(tunnelProtocol)) return tunnelProtocol;
  const chosen = offered.length === 0 ? '' : offered.find((each) => each !== '' && served.has(each));
  if (chosen !== undefined) return chosen;
  const names = [...served.keys()].filter((name) => name !== '');
  throw forbidden(
    ref,
    `requested protocol(s) are not supported: [${offered.join(' ')}]; supports [${names.join(' ')}]`,
  );
}

/** As streaming/pkg/httpstream, Handshake. */
function chooseSpdyProtocol(kind: StreamKind, request: ApiRequest, ref: ResourceRef): string {
  const served = kind === 'portforward' ? ['portforward.k8s.io'] : spdyProcessProtocols;
  const offered = offeredProtocols(request.header('X-Stream-Protocol-Version'));
  if (offered.length === 0) throw badRequest('unable to upgrade: X-Stream-Protocol-Version is required');
  const chosen = offered.find((each) => served.includes(each));
  if (chosen !== undefined) return chosen;
  throw forbidden(
    ref,
    `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${served.join(' ')}]`,
  );
}

const spdyProcessProtocols: readonly string[] = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
];

/** Returns the offered protocols without those that carry a bearer token. */
function offeredProtocols(header = ''): readonly string[] {
  return header
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !each.startsWith(socketTokenPrefix));
}

function hasToken(header = '', token: string): boolean {
  return header.split(',').some((each) => each.trim().toLowerCase() === token);
}
