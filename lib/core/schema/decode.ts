// The walker: turns an untrusted document into an object of a known type, in one pass and without touching the
// input. What it makes is what a Kubernetes server would hold after decoding:
// - a value of the wrong type is refused with the path to it; unknown fields are left out and reported;
// - null is the same as absent; the zero value of a field that is no pointer is absent too;
// - fields that Kubernetes always prints, and those with a default of their own, are there;
// - quantities, times and base64 are in canonical form.
// Depth is bounded, and a key such as `__proto__` is only ever data.
import { isJsonObject, setOwn } from '../objects/json.js';
import { isParseError } from '../objects/parse-error.js';
import type { RouteStep } from './decode-error.js';
import { DecodeError, printSteps, typeMismatch } from './decode-error.js';
import { decodeLeaf, mismatch, zeroLeaf } from './leaves.js';
import type { Decoded, Field, ListShape, MapShape, Shape, StructType, UnionShape } from './type.js';

/** Nesting beyond this is refused. Go allows 10,000; no real object passes a few dozen. */
export const depthMax = 1000;

/** Kubernetes keeps no more than this many problems of one document. */
export const problemsMax = 100;

/**
 * Decodes a value that came from `JSON.parse`, from another codec, or from a caller in this process. With `owned` the
 * value is the decoder's to change, which saves a copy of every object in it; otherwise it is left as it is.
 */
export function decodeValue(
  type: StructType,
  value: unknown,
  options: { readonly owned: boolean } = { owned: false },
): Decoded {
  const walk = new Walk(type, options.owned);
  try {
    if (type.decode !== undefined) return type.decode(value);
    const object = walk.struct(type, value);
    return { object, problems: walk.problems, members: walk.members };
  } catch (error) {
    throw isParseError(error) ? new DecodeError(error.message, { cause: error }) : error;
  }
}

type Members = Record<string, unknown>;

class Walk {
  readonly problems: string[] = [];
  members = 0;
  readonly #root: StructType;
  readonly #owned: boolean;
  /** The way from the root: only its first `#depth` entries count. */
  readonly #steps: RouteStep[] = [];
  #depth = 0;
  /** Above zero inside a union, where Kubernetes' own decoder of the type reports nothing. */
  #silent = 0;

  constructor(root: StructType, owned: boolean) {
    this.#root = root;
    this.#owned = owned;
  }

  struct(type: StructType, value: unknown): Members {
    const out = this.#members(type, value);
    const { named } = type;
    let dropped: Set<string> | undefined;
    for (const key in out) {
      this.members += 1;
      const known = named[key];
      const given = out[key];
      if (known === undefined) this.#unknown(key, given);
      else if (given !== null && given !== undefined) {
        this.#enter(known);
        const decoded = this.#shape(known.shape, given);
        this.#depth -= 1;
        if (decoded !== null && (known.presence !== 'value' || !isZero(decoded))) {
          if (decoded !== given) out[key] = decoded;
          continue;
        }
      }
      (dropped ??= new Set()).add(key);
    }
    const kept = dropped === undefined ? out : without(out, dropped);
    for (const { field, plain } of type.completions) {
      if (kept[field.name] === undefined) kept[field.name] = plain ?? this.#completed(field);
    }
    return kept;
  }

  #shape(shape: Shape, value: unknown): unknown {
    switch (shape.kind) {
      case 'string':
        return typeof value === 'string' ? value : this.#refuse(shape, value);
      case 'struct':
        return this.struct(shape, value);
      case 'list':
        return this.#list(shape, value);
      case 'map':
        return this.#map(shape, value);
      case 'union':
        return this.#union(shape, value);
      case 'raw':
      case 'json':
        return this.#copy(value, this.#depth);
      default: {
        const decoded = decodeLeaf(shape.kind, value);
        return decoded === mismatch ? this.#refuse(shape, value) : decoded;
      }
    }
  }

  #list(shape: ListShape, value: unknown): unknown[] {
    if (!Array.isArray(value)) this.#refuse(shape, value);
    const out: unknown[] = this.#owned ? value : [...(value as readonly unknown[])];
    for (let index = 0; index < out.length; index += 1) {
      const item = out[index];
      this.#enter(index);
      const decoded = item === null || item === undefined ? this.#zero(shape.items) : this.#shape(shape.items, item);
      if (decoded !== item) out[index] = decoded;
      this.#depth -= 1;
    }
    return out;
  }

  #map(shape: MapShape, value: unknown): Members {
    const out = this.#members(shape, value);
    for (const key in out) {
      this.members += 1;
      const item = out[key];
      this.#enter(key);
      const decoded = item === null || item === undefined ? this.#zero(shape.values) : this.#shape(shape.values, item);
      if (decoded !== item) setOwn(out, key, decoded);
      this.#depth -= 1;
    }
    return out;
  }

  /** The members of an object, free to be changed. Spreading makes `__proto__` an own property like any other. */
  #members(shape: Shape, value: unknown): Members {
    if (!isJsonObject(value)) this.#refuse(shape, value);
    return this.#owned ? value : { ...value };
  }

  #union(shape: UnionShape, value: unknown): unknown {
    const option = shape.options.find((each) => accepts(each.shape, value));
    if (option === undefined) return this.#unfit(shape);
    this.#silent += 1;
    const decoded = this.#shape(option.shape, value);
    this.#silent -= 1;
    return Array.isArray(decoded) && decoded.length === 0 ? null : decoded;
  }

  /** Only one of the three unions of apiextensions refuses what it cannot hold; the others keep nothing. */
  #unfit(shape: UnionShape): null {
    if (shape.options.some((each) => each.shape.kind === 'bool'))
      throw new DecodeError('boolean or JSON schema expected');
    return null;
  }

  /** Embedded JSON of any shape: copied, so that the caller's object is not kept, and held to the same bounds. */
  #copy(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) {
      if (typeof value === 'number' && !Number.isFinite(value)) throw new DecodeError('a number is out of range');
      return value;
    }
    if (depth >= depthMax) throw tooDeep();
    if (isSharedFields(value)) return value;
    if (Array.isArray(value)) return value.map((item) => this.#copy(item, depth + 1));
    const out: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      this.members += 1;
      if (item !== undefined) setOwn(out, key, this.#copy(item, depth + 1));
    }
    return out;
  }

  /** A default is copied: whatever is decoded belongs to its document alone. Its members are none of the document's. */
  #completed(missing: Field): unknown {
    const { members } = this;
    this.#enter(missing);
    const value =
      missing.default === undefined
        ? this.#zero(missing.shape)
        : this.#shape(missing.shape, this.#copy(missing.default, this.#depth));
    this.#depth -= 1;
    this.members = members;
    return value;
  }

  #zero(shape: Shape): unknown {
    switch (shape.kind) {
      case 'struct':
        return this.struct(shape, {});
      case 'list':
      case 'map':
      case 'union':
        return null;
      default:
        return zeroLeaf(shape.kind);
    }
  }

  #unknown(key: string, value: unknown): void {
    this.#copy(value, this.#depth);
    if (this.#silent === 0 && this.problems.length < problemsMax)
      this.problems.push(`unknown field "${printSteps(this.#steps.slice(0, this.#depth), key)}"`);
  }

  #enter(step: RouteStep): void {
    if (this.#depth >= depthMax) throw tooDeep();
    this.#steps[this.#depth] = step;
    this.#depth += 1;
  }

  #refuse(shape: Shape, value: unknown): never {
    throw typeMismatch({ root: this.#root, steps: this.#steps.slice(0, this.#depth) }, shape, value);
  }
}

/** A copy without some keys: `delete` would leave an object that is slow to read ever after. */
function without(members: Members, keys: ReadonlySet<string>): Members {
  const out: Members = {};
  for (const key of Object.keys(members)) if (!keys.has(key)) setOwn(out, key, members[key]);
  return out;
}

function accepts(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case 'struct':
    case 'map':
      return isJsonObject(value);
    case 'list':
      return Array.isArray(value);
    case 'raw':
    case 'json':
    case 'union':
      return true;
    default:
      return decodeLeaf(shape.kind, value) !== mismatch;
  }
}

/** Zero as Go's omitempty sees it. Structures never come here: theirs is a pointer or always printed. */
function isZero(value: unknown): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}

/**
 * Returns whether a value is a field set that came from a stored object. Field sets are never changed in place, so
 * objects share them; their identity also spares field ownership from decoding them again.
 */
function isSharedFields(value: object): boolean {
  if (!Object.isFrozen(value)) return false;
  for (const key in value) return key.startsWith('f:');
  return false;
}

function tooDeep(): DecodeError {
  return new DecodeError('exceeded max depth');
}
