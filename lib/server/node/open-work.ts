// What a server on a port has under way: connections, requests that were not answered yet, streams that flow. Counted so
// that closing can wait for it, end it in good order, and at last leave nothing behind.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../core/index.js';
import { after } from '../http/after.js';
import type { Pump } from '../http/stream-pump.js';

/** The work of one server. */
export class OpenWork {
  readonly #sockets = new Set<Socket>();
  readonly #pumps = new Set<Pump>();
  /** Connections with an answer under way; pipelining makes them count. */
  readonly #busy = new Map<Duplex, number>();
  #isClosing = false;
  #onIdle: (() => void) | undefined;

  /** Whether nothing new shall begin. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** A connection came. */
  connected(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** A request came; it is under way until its response closes. */
  began(response: ServerResponse, ended: () => void): void {
    const { socket } = response.req;
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    response.on('close', () => {
      const left = (this.#busy.get(socket) ?? 1) - 1;
      if (left === 0) this.#busy.delete(socket);
      else this.#busy.set(socket, left);
      ended();
      this.#tellIdle();
    });
  }

  /** Whether something is being said on a connection. */
  isBusy(socket: Duplex): boolean {
    return this.#busy.has(socket);
  }

  /** A stream began. One that begins while the server is closing ends at once. */
  readonly opened = (pump: Pump): void => {
    this.#pumps.add(pump);
    if (this.#isClosing) pump.finish();
  };

  /** A stream ended. */
  readonly ended = (pump: Pump): void => {
    this.#pumps.delete(pump);
    this.#tellIdle();
  };

  /** Ends streams, waits for the rest or until the grace is over, then cuts every connection. */
  async finish(clock: Clock, graceMs: number): Promise<void> {
    this.#isClosing = true;
    await new Promise<void>((resolve) => {
      const cancel = after(clock, graceMs, resolve);
      this.#onIdle = () => {
        cancel();
        resolve();
      };
      for (const pump of this.#pumps) pump.finish();
      this.#tellIdle();
    });
    for (const socket of this.#sockets) socket.destroy();
  }

  #tellIdle(): void {
    if (this.#busy.size === 0 && this.#pumps.size === 0) this.#onIdle?.();
  }
}
