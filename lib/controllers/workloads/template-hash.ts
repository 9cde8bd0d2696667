// The hashes in the names of ReplicaSets and ControllerRevisions: 32-bit FNV, printed in the alphabet of generated
// names. The hash of a ControllerRevision is the one of Kubernetes, because it covers JSON. The hash of a pod template
// is not: Kubernetes covers the dump of a Go structure. It has the same form, and is as stable.
import { printGoJson } from '../../core/index.js';
import type { Frozen, JsonValue } from '../../core/index.js';
import type { PodTemplateSpec } from '../../core/types/index.js';

/** Returns the hash of a pod template. Each collision count gives another one. */
export function templateHash(template: Frozen<PodTemplateSpec>, collisionCount: number | undefined): string {
  const count = collisionCount === undefined ? '' : `${collisionCount}`;
  return hashText(`${printSorted(template)}${count}`, 'fnv-1a');
}

/** Returns the hash of the data of a ControllerRevision. As pkg/controller/history, HashControllerRevision. */
export function revisionHash(data: JsonValue, collisionCount: number): string {
  return hashText(`${printSorted(data)}${collisionCount}`, 'fnv-1');
}

/** Prints JSON as Go prints maps: all keys in order. */
function printSorted(value: unknown): string {
  return printGoJson(asMaps(value));
}

function asMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asMaps);
  if (typeof value !== 'object' || value === null) return value;
  // An object would order keys that look like numbers first.
  return new Map(Object.entries(value).map(([key, member]) => [key, asMaps(member)]));
}

function hashText(text: string, variant: 'fnv-1' | 'fnv-1a'): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = variant === 'fnv-1a' ? Math.imul(hash ^ byte, fnvPrime) : Math.imul(hash, fnvPrime) ^ byte;
  }
  return safeEncode(`${hash >>> 0}`);
}

/** As apimachinery/pkg/util/rand, SafeEncodeString: letters of generated names, which spell no words. */
function safeEncode(text: string): string {
  return Array.from(text, (character) => alphabet.charAt(character.charCodeAt(0) % alphabet.length)).join('');
}

const fnvPrime = 0x01000193;
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
