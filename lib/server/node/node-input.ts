// A request of node:http as the wire wants it. Made for every request, so it does as little as it can: no Web objects,
// no listeners before somebody asks.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../auth/index.js';
import { badRequest, requestEntityTooLarge } from '../../core/index.js';
import type { WireInput } from '../http/wire-request.js';
import { clientCertificateOf } from './client-certificate.js';

/** An input that reads from a node request. */
export class NodeInput implements WireInput {
  readonly method: string;
  readonly target: string;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse | undefined;

  /** A request that is being upgraded has no response. */
  constructor(message: IncomingMessage, response?: ServerResponse) {
    this.#message = message;
    this.#response = response;
    this.method = message.method ?? 'GET';
    this.target = message.url ?? '/';
  }

  get certificate(): ClientCertificate | undefined {
    const { socket } = this.#message;
    return socket instanceof TLSSocket ? clientCertificateOf(socket) : undefined;
  }

  get remoteAddress(): string | undefined {
    return this.#message.socket.remoteAddress;
  }

  header(name: string): string | undefined {
    const { rawHeaders } = this.#message;
    let found: string | undefined;
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const sent = rawHeaders[at] ?? '';
      if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
      if (found !== undefined) return joinedHeader(this.#message, name);
      found = rawHeaders[at + 1] ?? '';
    }
    return found;
  }

  headersWith(prefix: string): readonly (readonly [string, string])[] {
    const { rawHeaders } = this.#message;
    const found: [string, string][] = [];
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? '';
      // Asked of every request and nearly always in vain: no name is made lower case that begins otherwise.
      if ((name.charCodeAt(0) | 0x20) === prefix.charCodeAt(0) && name.toLowerCase().startsWith(prefix))
        found.push([name.toLowerCase(), rawHeaders[at + 1] ?? '']);
    }
    return found;
  }

  onGone(callback: () => void): void {
    const response = this.#response;
    if (response === undefined) this.#message.socket.once('close', callback);
    else response.once('close', () => response.writableFinished || callback());
  }

  readBody(bytesMax: number): Promise<Uint8Array> {
    const message = this.#message;
    if (Number(message.headers['content-length'] ?? 0) > bytesMax)
      return Promise.reject(requestEntityTooLarge(`limit is ${bytesMax}`));
    if (hasNoBody(message)) return Promise.resolve(nothing);
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      let size = 0;
      const onData = (part: Buffer): void => {
        size += part.length;
        if (size <= bytesMax) parts.push(part);
        else settle(() => reject(requestEntityTooLarge(`limit is ${bytesMax}`)));
      };
      const onEnd = (): void =>
        settle(() => resolve(parts.length === 1 ? (parts[0] ?? nothing) : Buffer.concat(parts, size)));
      const onBroken = (): void => settle(() => reject(badRequest('unexpected EOF')));
      const settle = (say: () => void): void => {
        message.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
        say();
      };
      message.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
    });
  }
}

const nothing = new Uint8Array();

/**
 * Which of several counts, or how they are joined, is node's to say. To ask it makes it read all of them, which is not
 * worth it for one.
 */
function joinedHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}
