// Merges OpenAPI v2 documents of other servers into the one of this server: the paths of their group-version, and the
// definitions that these refer to. A definition whose name is taken by another one gets a new name. As
// kube-openapi/pkg/aggregator.
import { deepEqual, isJsonObject } from '../../core/index.js';
import type { JsonObject, JsonValue } from '../../core/index.js';
import type { RemoteV2 } from './remote-openapi.js';

/** The parts of a document that are merged. */
export interface MergedOpenApi {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly definitions: Readonly<Record<string, unknown>>;
}

/**
 * Returns paths and definitions with those of other servers. Paths of this server take precedence. A document that
 * cannot be merged, such as one that is nested too deeply, is left out.
 */
export function mergeOpenApi(own: MergedOpenApi, others: readonly RemoteV2[]): MergedOpenApi {
  return others.reduce((merged, other) => {
    try {
      return mergeOne(merged, other);
    } catch {
      return merged;
    }
  }, own);
}

function mergeOne(own: MergedOpenApi, { group, version, document }: RemoteV2): MergedOpenApi {
  const prefix = `/apis/${group}/${version}/`;
  const added = Object.entries(objectOf(document.paths)).filter(
    ([path]) => (path.startsWith(prefix) || `${path}/` === prefix) && !Object.hasOwn(own.paths, path),
  );
  const definitions = { ...own.definitions };
  const operations = added.map(([, each]) => each);
  const renamed = addDefinitions(definitions, objectOf(document.definitions), operations);
  const paths = added.map(([path, each]): [string, unknown] => [path, withReferences(each, renamed)]);
  return { paths: { ...own.paths, ...Object.fromEntries(paths) }, definitions };
}

const refPrefix = '#/definitions/';

/** Adds the definitions that the values refer to, directly or not. Returns the new names of those that were renamed. */
function addDefinitions(
  definitions: Record<string, unknown>,
  offered: JsonObject,
  values: readonly JsonValue[],
): ReadonlyMap<string, string> {
  const needed = new Set<string>();
  const pending: JsonValue[] = [...values];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    for (const name of referencesIn(value)) {
      if (needed.has(name) || !Object.hasOwn(offered, name)) continue;
      needed.add(name);
      pending.push(offered[name] ?? {});
    }
  }
  const renamed = new Map<string, string>();
  for (const name of needed) {
    if (Object.hasOwn(definitions, name) && !deepEqual(definitions[name], offered[name]))
      renamed.set(name, freeName(name, definitions, offered));
  }
  for (const name of needed) definitions[renamed.get(name) ?? name] = withReferences(offered[name] ?? {}, renamed);
  return renamed;
}

function freeName(name: string, definitions: Readonly<Record<string, unknown>>, offered: JsonObject): string {
  for (let number = 2; ; number += 1) {
    const candidate = `${name}_v${number}`;
    if (!Object.hasOwn(definitions, candidate) && !Object.hasOwn(offered, candidate)) return candidate;
  }
}

function* referencesIn(value: JsonValue): Generator<string> {
  if (Array.isArray(value)) {
    for (const item of value) yield* referencesIn(item as JsonValue);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (key === '$ref' && typeof member === 'string' && member.startsWith(refPrefix))
        yield member.slice(refPrefix.length);
      else yield* referencesIn(member);
    }
  }
}

function withReferences(value: JsonValue, renamed: ReadonlyMap<string, string>): JsonValue {
  if (renamed.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withReferences(item as JsonValue, renamed));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const name =
        key === '$ref' && typeof member === 'string' ? renamed.get(member.slice(refPrefix.length)) : undefined;
      return [key, name === undefined ? withReferences(member, renamed) : `${refPrefix}${name}`];
    }),
  );
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
