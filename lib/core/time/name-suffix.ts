// The random end of a generated name: no vowels and nothing that looks like them, so that no word comes about, and
// nothing that reads like another character. As apimachinery/pkg/util/rand/rand.go, String.

import type { Random } from './random.js';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A suffix such as `x7k2p`, as `metadata.generateName` is completed with. */
export function nameSuffix(random: Random, length = 5): string {
  return random.string(alphabet, length);
}
