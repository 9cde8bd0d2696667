/**
 * gRPC's framing of messages: a byte that says whether it is compressed (never here), four of length, the message.
 * The assembler takes chunks as they come from the socket, cut anywhere, and hands on whole messages.
 */

const headBytes = 5;

/** A message with its frame. */
export function frame(message: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(headBytes + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, headBytes);
  return framed;
}

/** Puts messages together again. */
export class FrameAssembler {
  readonly #onMessage: (message: Buffer) => void;
  readonly #messageBytesMax: number;
  #chunks: Buffer[] = [];
  #gathered = 0;
  /** How many bytes have to be there before there is something to do: a head, or a head with its message. */
  #wanted = headBytes;

  constructor(onMessage: (message: Buffer) => void, messageBytesMax: number) {
    this.#onMessage = onMessage;
    this.#messageBytesMax = messageBytesMax;
  }

  /** Takes what came. Throws RangeError on a message that is compressed or beyond the limit. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#gathered += chunk.length;
    if (this.#gathered < this.#wanted) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#gathered);
    this.#wanted = headBytes;
    while (rest.length >= headBytes) {
      const end = headBytes + this.#lengthOf(rest);
      if (rest.length < end) {
        this.#wanted = end; // so that a large message is put together once, not with every chunk
        break;
      }
      const message = rest.subarray(headBytes, end);
      rest = rest.subarray(end);
      this.#onMessage(message);
    }
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#gathered = rest.length;
  }

  #lengthOf(bytes: Buffer): number {
    if (bytes[0] !== 0) throw new RangeError('the server sent a compressed message, which was not asked for');
    const length = bytes.readUInt32BE(1);
    if (length > this.#messageBytesMax)
      throw new RangeError(`the server sent a message of ${length} bytes, the limit is ${this.#messageBytesMax}`);
    return length;
  }
}
