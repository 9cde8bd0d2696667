// Reads PEM: blocks of base64 between `-----BEGIN X-----` and `-----END X-----`. What is no block is passed over.
// As encoding/pem Decode, in one pass over the lines.
import { decodeBase64 } from '../../go/base64.js';
import { isParseError } from '../../objects/parse-error.js';

/** One block. */
export interface PemBlock {
  readonly type: string;
  /** There were lines such as `Proc-Type: 4,ENCRYPTED` before the base64. */
  readonly headers: boolean;
  readonly bytes: Uint8Array;
}

/** All blocks of a text. */
export function readPem(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: { type: string; headers: boolean; body: string[] } | undefined;
  for (const line of text.split('\n').map((each) => each.trimEnd())) {
    const begins = boundary(line, '-----BEGIN ');
    if (begins !== undefined) {
      open = { type: begins, headers: false, body: [] };
    } else if (open !== undefined && boundary(line, '-----END ') !== undefined) {
      const bytes = boundary(line, '-----END ') === open.type ? tryDecode(open.body) : undefined;
      if (bytes !== undefined) blocks.push({ type: open.type, headers: open.headers, bytes });
      open = undefined;
    } else if (open !== undefined) {
      if (open.body.length === 0 && line.includes(':')) open.headers = true;
      else if (line !== '') open.body.push(line);
    }
  }
  return blocks;
}

function boundary(line: string, start: string): string | undefined {
  return line.startsWith(start) && line.endsWith('-----') && line.length >= start.length + 5
    ? line.slice(start.length, -5)
    : undefined;
}

function tryDecode(lines: readonly string[]): Uint8Array | undefined {
  try {
    return decodeBase64(lines.join('').replace(/[ \t]/g, ''));
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}
