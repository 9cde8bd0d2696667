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
  readonly #responses = new Set<ServerResponse>();
  readonly #onAnswered: (this: ServerResponse) => void;
  #isClosing = false;
  #onIdle: (() => void) | undefined;

  /** `answered` is called after every answer. */
  constructor(answered: () => void) {
    const tell = (response: ServerResponse): void => {
      this.#responses.delete(response);
      answered();
      this.#tellIdle();
    };
    // One function for all of them, which is called on each: a closure for every request would show.
    this.#onAnswered = function () {
      tell(this);
    };
  }

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
  began(response: ServerResponse): void {
    this.#responses.add(response);
    response.on('close', this.#onAnswered);
  }

  /** Whether something is being said on a connection. Looks at all of them: asked only about broken ones. */
  isBusy(socket: Duplex): boolean {
    return [...this.#responses].some(({ req }) => req.socket === socket);
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
    if (this.#responses.size === 0 && this.#pumps.size === 0) this.#onIdle?.();
  }
}
