// Events in the order in which they came, handed on one by one: at once, unless somebody holds them up, or one is being
// handed on already. The line is bounded; when it is full all that wait are dropped, and who filled it is told.

/** How a line is made. */
export interface WaitingLineOptions<E> {
  /** Whether nothing may be handed on for now. */
  isHeld(): boolean;
  /** Takes an event. Must not throw. */
  hand(event: E): void;
  /** The most that wait. */
  readonly max: number;
  /** All that waited was dropped. */
  overflow(): void;
}

/** A line. */
export class WaitingLine<E> {
  readonly #options: WaitingLineOptions<E>;
  #events: E[] = [];
  /** How many of them have been handed on. */
  #handed = 0;
  #isHanding = false;

  constructor(options: WaitingLineOptions<E>) {
    this.#options = options;
  }

  /** Puts an event last, and hands on what may be. */
  add(event: E): void {
    if (this.#events.length - this.#handed >= this.#options.max) {
      this.#clear();
      this.#options.overflow();
      return;
    }
    this.#events.push(event);
    this.handOn();
  }

  /** Hands on what may be: called when nobody holds it up any more. */
  handOn(): void {
    if (this.#isHanding) return;
    this.#isHanding = true;
    while (this.#handed < this.#events.length && !this.#options.isHeld())
      this.#options.hand(this.#events[this.#handed++] as E); // below the length
    if (this.#handed === this.#events.length) this.#clear();
    this.#isHanding = false;
  }

  #clear(): void {
    this.#events = [];
    this.#handed = 0;
  }
}
