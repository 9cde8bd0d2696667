// Pruning: a copy of a value without the fields that its structural schema does not know, and without null where the
// schema allows none and has no default. Below `x-kubernetes-preserve-unknown-fields` unknown fields stay, but those of
// known fields inside are pruned again. kind, apiVersion and metadata of resources are copied as they are. As
// apiextensions-apiserver/pkg/apiserver/schema: pruning/algorithm.go and defaulting/prunenulls.go.
import { isJsonObject, setOwn } from '../objects/json.js';
import type { Schema } from '../kinds/apiextensions/schema-value.js';
import { itemSchema, valueSchema } from '../kinds/apiextensions/schema-walk.js';
import { DecodeError } from '../schema/decode-error.js';
import { depthMax } from '../schema/decode.js';

/** A pruned value. */
export interface Pruned {
  readonly value: unknown;
  /** The paths of removed fields, in byte order: `spec.list[0].extra`. */
  readonly unknown: readonly string[];
  /** How many members the objects of the given value have in all, removed or not. */
  readonly members: number;
}

/** kind, apiVersion and metadata, which every resource has, whatever its schema. */
export const resourceFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Prunes a resource. The copy shares nothing with the given value. Without a schema everything is kept. Throws
 * DecodeError where the value is nested too deeply or holds a number that JSON has not.
 */
export function pruneResource(schema: Schema | undefined, value: unknown): Pruned {
  const walk = new PruneWalk();
  const root: Schema | undefined = schema && { ...schema, 'x-kubernetes-embedded-resource': true };
  const pruned = root === undefined ? walk.copy(value, 0) : walk.prune(value, root, '', 0);
  return { value: pruned, unknown: walk.unknown.sort(), members: walk.members };
}

class PruneWalk {
  readonly unknown: string[] = [];
  members = 0;

  /** A copy with the known fields only; nothing is known without a schema. */
  prune(value: unknown, schema: Schema | undefined, path: string, depth: number): unknown {
    if (schema?.['x-kubernetes-preserve-unknown-fields'] === true) return this.keep(value, schema, path, depth);
    if (Array.isArray(value)) {
      const items = schema && itemSchema(schema);
      return this.#list(value, depth, (item, index) => this.prune(item, items, `${path}[${index}]`, depth + 1));
    }
    if (!isJsonObject(value)) return this.copy(value, depth);
    return this.#object(value, schema, path, depth, false);
  }

  /** A copy with unknown fields: only below fields that the schema names are others unknown again. */
  keep(value: unknown, schema: Schema | undefined, path: string, depth: number): unknown {
    if (schema === undefined) return this.copy(value, depth);
    if (Array.isArray(value)) {
      const items = itemSchema(schema);
      return this.#list(value, depth, (item, index) => this.keep(item, items, `${path}[${index}]`, depth + 1));
    }
    if (!isJsonObject(value)) return this.copy(value, depth);
    return this.#object(value, schema, path, depth, true);
  }

  copy(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) {
      if (typeof value === 'number' && !Number.isFinite(value)) throw new DecodeError('a number is out of range');
      return value;
    }
    if (Array.isArray(value)) return this.#list(value, depth, (item) => this.copy(item, depth + 1));
    checkDepth(depth);
    const out: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      this.members += 1;
      if (member !== undefined) setOwn(out, key, this.copy(member, depth + 1));
    }
    return out;
  }

  #object(
    value: Readonly<Record<string, unknown>>,
    schema: Schema | undefined,
    path: string,
    depth: number,
    keeps: boolean,
  ): unknown {
    checkDepth(depth);
    const { properties = {}, additionalProperties } = schema ?? {};
    const isResource = schema?.['x-kubernetes-embedded-resource'] === true;
    const out: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      this.members += 1;
      if (member === undefined) continue;
      const at = path === '' ? key : `${path}.${key}`;
      const isNamed = Object.hasOwn(properties, key);
      const inner = isNamed ? properties[key] : schema && valueSchema(schema);
      if (isResource && resourceFields.has(key)) setOwn(out, key, this.copy(member, depth + 1));
      else if (isNamed || additionalProperties !== undefined) {
        const pruned = this.prune(member, inner, at, depth + 1);
        if (!isSuperfluousNull(pruned, inner)) setOwn(out, key, pruned);
      } else if (keeps) setOwn(out, key, this.copy(member, depth + 1));
      else {
        this.copy(member, depth + 1); // bounds and counts it
        this.unknown.push(at);
      }
    }
    return out;
  }

  #list(items: readonly unknown[], depth: number, each: (item: unknown, index: number) => unknown): unknown[] {
    checkDepth(depth);
    return items.map((item, index) => each(item ?? null, index));
  }
}

/** A null that is removed. One with a default stays until it is replaced by the default. */
function isSuperfluousNull(value: unknown, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema.nullable !== true && (schema.default ?? null) === null;
}

function checkDepth(depth: number): void {
  if (depth >= depthMax) throw new DecodeError('exceeded max depth');
}
