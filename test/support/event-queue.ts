// Events that callbacks bring, taken one by one by a test that awaits them.

/** What came, in order. */
export interface EventQueue<T> {
  push(event: T): void;
  /** The next event; waits for it where there is none yet. */
  next(): Promise<T>;
  /** How many wait to be taken. */
  readonly size: number;
}

/** An empty queue. */
export function eventQueue<T>(): EventQueue<T> {
  const events: T[] = [];
  const takers: ((event: T) => void)[] = [];
  return {
    push: (event) => {
      const taker = takers.shift();
      if (taker === undefined) events.push(event);
      else taker(event);
    },
    next: () => {
      const [event] = events.splice(0, 1);
      return event === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(event);
    },
    get size() {
      return events.length;
    },
  };
}
