// Header blocks of SPDY/3: one compressed sequence per direction, with a dictionary that both sides know. The sequence
// of the client is inflated by a function of the platform. Since every block ends with a flush, it can be inflated
// alone if the preceding 32 KiB of plain text are its dictionary. Blocks of the server are stored uncompressed.
import { SpdyError } from './frames.js';

/**
 * Inflates raw deflate data that ends with a sync flush, given the text that precedes it. Throws where the result is
 * longer than the limit, or where the data is invalid.
 */
export type InflateRaw = (data: Uint8Array, dictionary: Uint8Array, bytesMax: number) => Uint8Array;

/** The maximum size of the headers of one stream in bytes. */
const headersBytesMax = 65_536;
/** The window of deflate in bytes. */
const windowBytes = 32_768;

/**
 * Creates a decoder of the client's header blocks, which takes all blocks of a connection in order. Names are in lower
 * case. Throws SpdyError.
 */
export function headerDecoder(inflateRaw: InflateRaw): (block: Uint8Array) => ReadonlyMap<string, string> {
  let history = dictionary();
  let isFirst = true;
  return (block) => {
    const data = isFirst ? block.subarray(zlibHeadBytes(block)) : block;
    isFirst = false;
    let plain: Uint8Array;
    try {
      plain = inflateRaw(data, history, headersBytesMax);
    } catch (cause) {
      throw new SpdyError('headers cannot be decompressed', { cause });
    }
    const joined = new Uint8Array(history.length + plain.length);
    joined.set(history);
    joined.set(plain, history.length);
    history = joined.subarray(Math.max(0, joined.length - windowBytes));
    return readPairs(plain);
  };
}

/** The length of the zlib header, with the checksum of the dictionary if it is there. */
function zlibHeadBytes([method = 0, flags = 0]: Uint8Array): number {
  if ((method & 0x0f) !== 8 || ((method << 8) | flags) % 31 !== 0) throw new SpdyError('headers are not compressed');
  return (flags & 0x20) === 0 ? 2 : 6;
}

function readPairs(plain: Uint8Array): ReadonlyMap<string, string> {
  const view = new DataView(plain.buffer, plain.byteOffset, plain.length);
  let at = 0;
  const number = (): number => {
    if (at + 4 > plain.length) throw new SpdyError('headers are too short');
    at += 4;
    return view.getUint32(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (length > plain.length - at) throw new SpdyError('headers are too short');
    at += length;
    return utf8.decode(plain.subarray(at - length, at));
  };
  const pairs = new Map<string, string>();
  for (let left = number(); left > 0; left--) pairs.set(text().toLowerCase(), text());
  return pairs;
}

const utf8 = new TextDecoder();

/** Creates an encoder of empty header blocks, which are all that the server sends. */
export function emptyHeaderEncoder(): () => Uint8Array {
  let isFirst = true;
  return () => {
    const head = isFirst ? zlibHead : [];
    isFirst = false;
    // The empty block at the end is the flush that makes Go's reader return the text before it.
    return Uint8Array.from([...head, ...storedBlock(4), 0, 0, 0, 0, ...storedBlock(0)]);
  };
}

/** Deflate, window of 32 KiB, with the Adler-32 checksum of the dictionary. */
const zlibHead: readonly number[] = [0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2];

/** The head of a stored block that is not the last: type, length, complement of the length. */
function storedBlock(length: number): readonly number[] {
  return [0, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255];
}

/** The dictionary of the protocol (SPDY/3, section 2.6.10.1): common names with their lengths, then common text. */
function dictionary(): Uint8Array {
  const named = commonNames.split(' ').flatMap((name) => {
    const text = name === '200_OK' ? '200 OK' : name;
    return [0, 0, 0, text.length, ...codes(text)];
  });
  return Uint8Array.from([...named, ...codes(commonText)]);
}

function codes(text: string): readonly number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

const commonNames =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow ' +
  'authorization cache-control connection content-base content-encoding content-language content-length ' +
  'content-location content-md5 content-range content-type date etag expect expires from host if-match ' +
  'if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma ' +
  'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade ' +
  'user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie ' +
  'keep-alive origin';

const commonText =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 ' +
  'Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden' +
  '404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug ' +
  'Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,' +
  'application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdch' +
  'charset=utf-8charset=iso-8859-1,utf-,*,enq=0.';
