// What a server on a port has under way: connections, requests that were not answered yet, streams that flow. Counted
// so that closing can wait for it, end it in good order, and at last leave nothing behind.
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
  /** How many requests of a connection are under way; more than one where a client does not wait for answers. */
  readonly #talks = new WeakMap<Duplex, Talk>();
  #answering = 0;
  readonly #onAnswered: (this: ServerResponse) => void;
  #isClosing = false;
  #onIdle: (() => void) | undefined;

  /** `answered` is called after every answer. */
  constructor(answered: () => void) {
    const tell = ({ req }: ServerResponse): void => {
      this.#answering -= 1;
      this.#talkOf(req.socket).answering -= 1;
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
    this.#answering += 1;
    this.#talkOf(response.req.socket).answering += 1;
    response.on('close', this.#onAnswered);
  }

  /** Whether something is being said on a connection. */
  isBusy(socket: Duplex): boolean {
    return this.#talkOf(socket).answering > 0;
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
    if (this.#answering === 0 && this.#pumps.size === 0) this.#onIdle?.();
  }

  #talkOf(socket: Duplex): Talk {
    let talk = this.#talks.get(socket);
    if (talk === undefined) this.#talks.set(socket, (talk = { answering: 0 }));
    return talk;
  }
}

interface Talk {
  answering: number;
}
