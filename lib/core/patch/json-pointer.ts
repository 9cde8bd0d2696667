// JSON Pointer (RFC 6901) for JSON Patch: the names from the root down, and list indexes as kube-apiserver reads them.
import { depthMax } from '../schema/decode.js';
import { PatchError } from './patch-error.js';

/** Names from the root down, unescaped; empty for the whole document. */
export type Pointer = readonly string[];

/** Reads the text form. Something other than text, and a name without "/" before it, are refused. */
export function parsePointer(text: unknown): Pointer {
  if (typeof text !== 'string') throw new PatchError('invalid', 'the operation lacks a path');
  if (text === '') return [];
  if (!text.startsWith('/')) throw new PatchError('invalid', `not a JSON pointer: ${text}`);
  const names = text.slice(1).split('/');
  if (names.length > depthMax) throw new PatchError('invalid', 'a path is too deep');
  return text.includes('~') ? names.map(unescape) : names;
}

/** The text form again. */
export function printPointer(pointer: Pointer): string {
  return pointer.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * The index that a name means in a list of `length` elements. Below zero counts from the end; throws for everything
 * that is not the index of an element.
 */
export function elementIndex(name: string, length: number): number {
  const given = indexPattern.test(name) ? Number(name) : Number.NaN;
  const index = given < 0 ? given + length : given;
  if (index >= 0 && index < length) return index;
  throw new PatchError('invalid', `invalid index referenced: ${name}`);
}

const indexPattern = /^-?(?:0|[1-9]\d*)$/;

function unescape(name: string): string {
  return name.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~'));
}
