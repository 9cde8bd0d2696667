// The program of the worker thread: takes requests from the main thread and has them done one after the other. SQLite's
// calls block, and here they may.
//
// Writes that wait together are committed together, however many messages they came in. Reads overtake writes that
// wait: those are not answered yet, so a read may come before them in the order of history. Nothing else overtakes; in
// particular a watch that begins hears of every write sent after it, which the main thread counts on.
import { parentPort, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { DatabaseSession, type SessionRequest } from './database-session.js';
import type { WorkerAnswer, WorkerRequest } from './protocol.js';
import { toWire } from './sqlite-error.js';

/** The most that one group commit takes, to bound latency: writes, and bytes of their values. */
const groupWritesMax = 512;
const groupBytesMax = 4 * 2 ** 20;

if (parentPort === null) throw new Error('this is the program of a worker thread');
listen(parentPort);

function listen(port: MessagePort): void {
  let session: DatabaseSession | undefined;
  const post = (answer: WorkerAnswer): void => port.postMessage(answer);
  port.on('message', (request: WorkerRequest) => {
    if (session !== undefined) serve(session, port, request);
    else if (request.call === 'open') {
      DatabaseSession.open(request.ask).then(
        (opened) => {
          session = opened;
          post({ id: request.id, answer: opened.opened() });
        },
        (error: unknown) =>
          post({ id: request.id, error: toWire(error) ?? { code: 'unavailable', message: String(error) } }),
      );
    }
  });
}

/** Serves a request and all that have come by the time it is done. */
function serve(session: DatabaseSession, port: MessagePort, first: WorkerRequest): void {
  const waiting: WorkerRequest[] = [first];
  const post = (answer: WorkerAnswer): void => port.postMessage(answer);
  const collect = (): void => {
    for (let next = receive(port); next !== undefined; next = receive(port)) waiting.push(next.message);
  };
  const answer = (request: SessionRequest): void => {
    try {
      post({ id: request.id, answer: session.answer(request) });
    } catch (error) {
      const wire = toWire(error);
      if (wire === undefined) throw error;
      post({ id: request.id, error: wire });
    }
    // Nothing comes after it, and without the port there is nothing left to live for.
    if (request.call === 'close') port.close();
  };
  const commit = (group: readonly WriteRequest[]): void => {
    const outcomes = session.commit(group.flatMap(({ ask }) => ask.writes));
    let start = 0;
    for (const { id, ask } of group) post({ id, answer: outcomes.slice(start, (start += ask.writes.length)) });
  };

  while (waiting.length > 0) {
    collect();
    const { group, overtaking, taken } = nextTurn(waiting);
    waiting.splice(0, taken);
    overtaking.forEach(answer);
    if (group.length > 0) commit(group);
  }
}

type WriteRequest = Extract<WorkerRequest, { readonly call: 'write' }>;

interface Turn {
  /** What is done first. */
  readonly overtaking: readonly SessionRequest[];
  /** What is then committed together. */
  readonly group: readonly WriteRequest[];
  /** How many requests from the front that makes. */
  readonly taken: number;
}

/** The requests to serve next: anything up to the first write, then writes with the reads among them. */
function nextTurn(waiting: readonly WorkerRequest[]): Turn {
  const group: WriteRequest[] = [];
  const overtaking: SessionRequest[] = [];
  let [writes, bytes, taken] = [0, 0, 0];
  for (const request of waiting) {
    if (request.call === 'write') {
      writes += request.ask.writes.length;
      bytes += request.ask.bytes;
      if (group.length > 0 && (writes > groupWritesMax || bytes > groupBytesMax)) break;
      group.push(request);
    } else if (request.call !== 'open') {
      if (group.length > 0 && request.call !== 'get' && request.call !== 'list') break;
      overtaking.push(request);
    }
    taken += 1;
  }
  return { group, overtaking, taken };
}

function receive(port: MessagePort): { readonly message: WorkerRequest } | undefined {
  return receiveMessageOnPort(port);
}
