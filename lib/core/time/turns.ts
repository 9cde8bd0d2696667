// Turns of the host's event loop, the pauses in which the virtual clock lets everything else catch up. Between two
// calls of `step` every microtask, however long the chain of promises, has run: hosts empty that queue after each task.
// Turns are scheduled in batches, because a batch of setImmediate costs 0.1 µs a turn in Node where one at a time costs
// 1.2 µs (a round of libuv each); between batches the host also gets to its input and output. Elsewhere a
// MessageChannel gives turns of about 1 µs, without the 4 ms that nested setTimeout is held to in browsers.

const batchSize = 32;

/** Calls `step` once in each coming turn until it returns false. A step must not throw. */
export function eachTurn(step: () => boolean): void {
  let more = true;
  let queued = 0;
  const turn = (): void => {
    queued -= 1;
    // A batch is not taken back when the work ends in the middle of it: the rest of its turns do nothing.
    if (!more) return;
    more = step();
    if (!more) tasks.close();
    else if (queued === 0) enqueueBatch();
  };
  const enqueueBatch = (): void => {
    queued = batchSize;
    for (let count = 0; count < batchSize; count++) tasks.enqueue();
  };
  const tasks = taskSource(turn);
  enqueueBatch();
}

/** Resolves in the next turn, when all microtasks of this one have run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const tasks = taskSource(() => {
      tasks.close();
      resolve();
    });
    tasks.enqueue();
  });
}

interface TaskSource {
  readonly enqueue: () => void;
  readonly close: () => void;
}

function taskSource(task: () => void): TaskSource {
  const setImmediate: unknown = Reflect.get(globalThis, 'setImmediate');
  if (takesTask(setImmediate)) return { enqueue: () => void setImmediate(task), close: () => undefined };
  const { port1, port2 } = new MessageChannel();
  Reflect.set(port1, 'onmessage', task); // a plain assignment does not satisfy Node's types
  return { enqueue: () => port2.postMessage(undefined), close: () => port1.close() };
}

function takesTask(value: unknown): value is (task: () => void) => unknown {
  return typeof value === 'function';
}
