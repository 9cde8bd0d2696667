// The images of one simulated node: names that were pulled. Identifiers and sizes follow from the name, so nothing else
// is stored.
import type { RuntimeImage } from '../runtime/runtime-state.js';

/** The images of a node. */
export class SimulatedImages {
  /** Name to size. */
  readonly #pulled = new Map<string, number>();
  readonly #failures = new Map<string, number>();

  /** Adds an image that was pulled. */
  add(name: string, sizeBytes: number): void {
    this.#pulled.set(name, sizeBytes);
  }

  /** Counts a failed pull and returns how many there were before. */
  countFailure(name: string): number {
    const before = this.#failures.get(name) ?? 0;
    this.#failures.set(name, before + 1);
    return before;
  }

  /** Returns an image by name or identifier. */
  find(image: string): RuntimeImage | undefined {
    const size = this.#pulled.get(image);
    if (size !== undefined) return imageOf(image, size);
    return this.list().find(({ id, repoDigests }) => id === image || repoDigests.includes(image));
  }

  /** Returns all images, in the order in which they were pulled. */
  list(): readonly RuntimeImage[] {
    return Array.from(this.#pulled, ([name, size]) => imageOf(name, size));
  }

  /** Removes an image by name or identifier. */
  remove(image: string): void {
    const found = this.find(image);
    for (const name of found?.repoTags ?? []) this.#pulled.delete(name);
  }

  /** Bytes of all images. */
  get usedBytes(): number {
    let used = 0;
    for (const size of this.#pulled.values()) used += size;
    return used;
  }
}

function imageOf(name: string, sizeBytes: number): RuntimeImage {
  const digest = `sha256:${pseudoDigest(name)}`;
  const repository = name.replace(/@.*$/, '').replace(/:[\w.-]+$/, '');
  return {
    id: `${repository}@${digest}`,
    repoTags: [name],
    repoDigests: [`${repository}@${digest}`],
    sizeBytes,
    isPinned: false,
  };
}

/** 64 hexadecimal digits that depend on a text: FNV-1a with eight offsets. It is no cryptographic hash. */
export function pseudoDigest(text: string): string {
  let digits = '';
  for (let part = 0; part < 8; part += 1) {
    let hash = (0x811c9dc5 ^ (part * 0x9e3779b9)) >>> 0;
    for (let index = 0; index < text.length; index += 1)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
    digits += hash.toString(16).padStart(8, '0');
  }
  return digits;
}
