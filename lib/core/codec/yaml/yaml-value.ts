/**
 * From the nodes of a YAML document to JSON, as go-yaml v2 and sigs.k8s.io/yaml do it together: plain words by
 * plain-scalar.ts, keys of any scalar type made strings, merge keys (which, unlike the specification says, win over
 * what stands before them), and aliases copied out, within the budget that go-yaml has for them. A key that occurs
 * twice is reported, and the last one counts.
 */
import type * as Yaml from 'yaml';
import { quote } from '../../go/format.js';
import type { JsonValue } from '../../objects/json.js';
import { setOwn } from '../../objects/json.js';
import { problemsMax } from '../../schema/decode.js';
import { DecodeError } from '../../schema/decode-error.js';
import { decodeBase64 } from '../../go/base64.js';
import { printFloat } from './print-number.js';
import type { PlainScalar, ScalarTag } from './plain-scalar.js';
import { resolvePlain } from './plain-scalar.js';

/** The library, loaded on first use. */
export type YamlLibrary = typeof Yaml;

/** The content of a document. */
export interface YamlContent {
  readonly value: JsonValue;
  /** `line 2: key "a" already set in map`, in document order, at most a hundred. */
  readonly duplicates: readonly string[];
}

/** Converts a document that has no errors. `lineAt` returns the line of an offset, counted from one. */
export function yamlContent(
  library: YamlLibrary,
  document: Yaml.Document.Parsed,
  lineAt: (offset: number) => number,
): YamlContent {
  const conversion = new Conversion(library, lineAt);
  if (document.contents === null) return { value: null, duplicates: [] };
  conversion.bind(document.contents);
  return { value: conversion.value(document.contents), duplicates: conversion.duplicates };
}

type Key = string | number | boolean | null;

class Conversion {
  readonly duplicates: string[] = [];
  readonly #library: YamlLibrary;
  readonly #lineAt: (offset: number) => number;
  readonly #targets = new Map<Yaml.Alias, Yaml.Node>();
  /** The aliases being copied out; one inside itself would never end. */
  readonly #open = new Set<Yaml.Alias>();
  #converted = 0;
  #convertedInAliases = 0;

  constructor(library: YamlLibrary, lineAt: (offset: number) => number) {
    this.#library = library;
    this.#lineAt = lineAt;
  }

  /** Ties every alias to the anchor of that name that was set last before it. */
  bind(root: Yaml.Node): void {
    const anchors = new Map<string, Yaml.Node>();
    this.#library.visit(root, {
      Node: (_, node) => {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
      },
      Alias: (_, alias) => {
        const target = anchors.get(alias.source);
        if (target === undefined) throw new DecodeError(`yaml: unknown anchor '${alias.source}' referenced`);
        this.#targets.set(alias, target);
      },
    });
  }

  value(node: unknown): JsonValue {
    this.#count();
    if (this.#library.isAlias(node)) return this.#alias(node, (target) => this.value(target));
    if (this.#library.isScalar(node)) return finite(scalarOf(node).value);
    if (this.#library.isSeq(node)) return node.items.map((item) => this.value(item));
    if (!this.#library.isMap(node)) return null;
    const map: Record<string, JsonValue> = {};
    this.#fill(map, node, new Set());
    return map;
  }

  /** Adds a mapping's members. `seen` holds the keys set so far, by type: 1 and "1" are two keys to go-yaml. */
  #fill(map: Record<string, JsonValue>, { items }: Yaml.YAMLMap, seen: Set<Key>): void {
    for (const { key: keyNode, value: valueNode } of items) {
      if (this.#isMerge(keyNode)) {
        this.#merge(map, valueNode, seen);
        continue;
      }
      const { tag, value: key } = this.#key(keyNode);
      const value = this.value(valueNode);
      if (seen.has(key) && this.duplicates.length < problemsMax) {
        this.duplicates.push(
          `line ${this.#line(valueNode, keyNode)}: key ${typeof key === 'string' ? quote(key) : String(key)} already set in map`,
        );
      }
      seen.add(key);
      setOwn(map, keyText(key, tag, value), value);
    }
  }

  #isMerge(node: unknown): boolean {
    return (
      this.#library.isScalar(node) &&
      node.value === '<<' &&
      (node.tag === undefined ? node.type === 'PLAIN' : node.tag === `${standard}merge`)
    );
  }

  #merge(map: Record<string, JsonValue>, node: unknown, seen: Set<Key>): void {
    if (this.#library.isSeq(node)) {
      // Backwards, since the first one is to win.
      for (const item of [...node.items].reverse()) this.#mergeOne(map, item, seen);
    } else this.#mergeOne(map, node, seen);
  }

  #mergeOne(map: Record<string, JsonValue>, node: unknown, seen: Set<Key>): void {
    this.#count();
    if (this.#library.isMap(node)) this.#fill(map, node, seen);
    else if (this.#library.isAlias(node) && this.#library.isMap(this.#targets.get(node))) {
      this.#alias(node, (target) => {
        this.#mergeOne(map, target, seen);
        return null;
      });
    } else throw new DecodeError('yaml: map merge requires map or sequence of maps as the value');
  }

  #key(node: unknown): PlainScalar {
    this.#count();
    const target = this.#library.isAlias(node) ? this.#targets.get(node) : node;
    if (!this.#library.isScalar(target))
      throw new DecodeError(`yaml: invalid map key: ${JSON.stringify(this.value(node)).slice(0, 100)}`);
    return scalarOf(target);
  }

  #alias(alias: Yaml.Alias, convert: (target: Yaml.Node | undefined) => JsonValue): JsonValue {
    if (this.#open.has(alias)) throw new DecodeError(`yaml: anchor '${alias.source}' value contains itself`);
    this.#open.add(alias);
    const value = convert(this.#targets.get(alias));
    this.#open.delete(alias);
    return value;
  }

  /** Copies of aliases may be most of a small document, but not of a large one (as decode.go, allowedAliasRatio). */
  #count(): void {
    this.#converted += 1;
    if (this.#open.size > 0) this.#convertedInAliases += 1;
    if (this.#convertedInAliases <= 100 || this.#converted <= 1000) return;
    const beyond = Math.min(Math.max((this.#converted - 400_000) / 3_600_000, 0), 1);
    if (this.#convertedInAliases / this.#converted > 0.99 - 0.89 * beyond)
      throw new DecodeError('yaml: document contains excessive aliasing');
  }

  #line(...nodes: unknown[]): number {
    const placed = nodes.find((node) => this.#library.isNode(node) && node.range);
    return this.#lineAt(this.#library.isNode(placed) ? (placed.range?.[0] ?? 0) : 0);
  }
}

const standard = 'tag:yaml.org,2002:';

/** A tag of YAML's own demands its type; any other tag makes the text a string, as do quotes. */
function scalarOf({ value, type, tag }: Yaml.Scalar): PlainScalar {
  const text = typeof value === 'string' ? value : '';
  if (tag === undefined) return type === 'PLAIN' ? resolvePlain(text) : { tag: 'str', value: text };
  const wanted = tag.startsWith(standard) ? tag.slice(standard.length) : '';
  if (wanted === 'binary') return { tag: 'str', value: binaryText(text) };
  if (!isScalarTag(wanted) || wanted === 'str') return { tag: 'str', value: text };
  const found = resolvePlain(text);
  if (found.tag === wanted || (wanted === 'float' && found.tag === 'int')) return { ...found, tag: wanted };
  throw new DecodeError(`yaml: cannot decode !!${found.tag} \`${text}\` as a !!${wanted}`);
}

function isScalarTag(text: string): text is ScalarTag {
  return ['null', 'bool', 'int', 'float', 'timestamp', 'str'].includes(text);
}

function binaryText(text: string): string {
  try {
    return new TextDecoder().decode(decodeBase64(text));
  } catch (cause) {
    throw new DecodeError('yaml: !!binary value contains invalid base64 data', { cause });
  }
}

function finite(value: PlainScalar['value']): JsonValue {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new DecodeError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
}

/** As sigs.k8s.io/yaml, convertToJSONableObject: floats lose precision there. */
function keyText(key: Key, tag: ScalarTag, value: JsonValue): string {
  if (key === null)
    throw new DecodeError(
      `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${JSON.stringify(value).slice(0, 100)}`,
    );
  return tag === 'float' && typeof key === 'number' ? printFloat(key, { single: true }) : String(key);
}
