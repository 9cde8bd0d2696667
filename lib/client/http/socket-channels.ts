// The channels of exec, attach and port-forward over a WebSocket, seen from the client: each message begins with the
// number of its channel. Back-pressure in both directions: while the connection is full the caller's channels are not
// read, and while those are full the connection is not read. Protocols v4 and v5 of channel.k8s.io.
import { EMPTY, defer, finalize, merge, mergeMap, repeat, takeWhile } from 'rxjs';
import type { Observable } from 'rxjs';
import { apiErrorFrom, failureStatus, isJsonObject, parseJson, successStatus } from '../../core/index.js';
import type { ChannelMessage, DuplexChannels, Status } from '../../core/index.js';
import type { ClientSocket } from './socket-transport.js';

/** The numbers of channels on a connection. */
export interface ChannelNumbers {
  /** Channels that the client sends on, by name. */
  readonly inputs: ReadonlyMap<string, number>;
  /** Channels that the client receives, by number. */
  readonly outputs: ReadonlyMap<number, string>;
  /** The channel of the close. */
  readonly error: number;
  /** Whether the close is a Status; otherwise the text of a failure. */
  readonly hasStatus: boolean;
  /** The bytes at the beginning of each channel that are not data. */
  readonly prefixBytes: number;
}

/** The channels of exec and attach. */
export const processNumbers: ChannelNumbers = {
  inputs: new Map([
    ['stdin', 0],
    ['resize', 4],
  ]),
  outputs: new Map([
    [1, 'stdout'],
    [2, 'stderr'],
  ]),
  error: 3,
  hasStatus: true,
  prefixBytes: 0,
};

/** The channels of a port-forward of one port. The server first sends the port on both, as two bytes. */
export const portNumbers: ChannelNumbers = {
  inputs: new Map([['data', 0]]),
  outputs: new Map([[0, 'data']]),
  error: 1,
  hasStatus: false,
  prefixBytes: 2,
};

/**
 * Moves messages between a connection and the far end of the caller's channels, until either ends. Never emits. Errors
 * where the connection breaks off; the connection is closed with the subscription.
 */
export function relayChannels(
  socket: ClientSocket,
  channels: DuplexChannels,
  numbers: ChannelNumbers,
): Observable<never> {
  const endsChannels = socket.protocol.startsWith('v5.');
  const skipped = new Map<number, number>();

  const send = (message: ChannelMessage): boolean => {
    if (message.type === 'close') {
      socket.close();
      return true;
    }
    const channel = numbers.inputs.get(message.channel);
    if (channel === undefined) return true;
    if (message.type === 'data') return socket.send(numbered(channel, message.bytes));
    return endsChannels ? socket.send(Uint8Array.of(endChannel, channel)) : true;
  };
  const receive = (message: Uint8Array): Observable<never> => {
    const channel = message[0] ?? endChannel;
    const prefix = Math.min(skipped.get(channel) ?? numbers.prefixBytes, message.length - 1);
    skipped.set(channel, (skipped.get(channel) ?? numbers.prefixBytes) - prefix);
    const bytes = message.subarray(1 + prefix);
    if (bytes.length === 0) return EMPTY;
    const name = numbers.outputs.get(channel);
    if (name !== undefined) {
      const room = channels.output(name, bytes);
      if (room === undefined) return EMPTY;
      socket.pause();
      return defer(() => room.then(() => socket.resume())).pipe(mergeMap(() => EMPTY));
    }
    if (channel === numbers.error) channels.close(numbers.hasStatus ? statusOf(bytes) : failureOf(text(bytes)));
    return EMPTY;
  };

  const incoming$ = socket.messages$.pipe(
    mergeMap(receive),
    finalize(() => {
      // A process that ended without a Status is a failure; a connection that ended is not.
      if (!channels.signal.aborted) channels.close(numbers.hasStatus ? failureOf(brokenOff) : successStatus());
    }),
  );
  const outgoing$ = channels.input$.pipe(
    takeWhile(send),
    repeat({ delay: () => socket.drained$ }),
    mergeMap(() => EMPTY),
  );
  return merge(incoming$, outgoing$).pipe(finalize(() => socket.close()));
}

const endChannel = 255;
const brokenOff = 'the connection was closed before the process ended';

function numbered(channel: number, bytes: Uint8Array): Uint8Array {
  const message = new Uint8Array(bytes.length + 1);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function statusOf(bytes: Uint8Array): Status {
  try {
    const value = parseJson(text(bytes));
    if (isJsonObject(value) && value.status === 'Success') return successStatus();
    const failure = isJsonObject(value) ? apiErrorFrom({ kind: 'Status', apiVersion: 'v1', ...value }) : undefined;
    if (failure !== undefined) return failure.status;
  } catch {
    // Not JSON: the text is all that is known.
  }
  return failureOf(text(bytes));
}

function failureOf(message: string): Status {
  return failureStatus({ code: 500, reason: 'InternalError', message });
}
