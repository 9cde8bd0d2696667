// JSON Patch (RFC 6902) as kube-apiserver applies it: apiserver/pkg/endpoints/handlers/patch.go, applyJSPatch, with
// gopkg.in/evanphx/json-patch.v4. Where that library and the RFC differ, a real server's answer counts:
// - an absent member of a map reads as null (so `replace` adds it, `copy` copies null and `test` for null holds);
// - an absent `value` is null; an index below zero counts from the end;
// - the whole document (path "") can be tested and replaced, but not added, removed, moved or copied.
// Stricter than that library: a pointer starts with "/", an index has no leading zeros, nothing moves into itself.
//
// All or nothing: a failing operation throws PatchError and the document is as it was. Neither argument is touched, and
// what did not change is shared with the document by reference. Not built on fast-json-patch: it gives another answer
// than a real server to one random patch in nine, cannot write a member named `__proto__`, takes inherited names for
// members and overflows the stack on deep values. It is up to twice as fast, which is not worth that.
import { deepEqual, isJsonObject } from '../objects/json.js';
import type { JsonObject, JsonValue } from '../objects/json.js';
import { depthMax } from '../schema/decode.js';
import { unmarshalTypeError } from '../go/encoding-json.js';
import { parsePointer, printPointer } from './json-pointer.js';
import type { Pointer } from './json-pointer.js';
import { ownValue } from './map-draft.js';
import { checkDepth } from './patch-depth.js';
import { PatchError } from './patch-error.js';
import { PatchedDocument } from './patched-document.js';

/** One operation. Absent and null members are the same. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: JsonValue;
}

/** More operations than this are refused, as a real server does. */
const operationsMax = 10_000;

/**
 * Checks a decoded request body. Operations are checked for type only: an unknown `op` or an absent `path` fails when
 * the patch is applied, as it does in Kubernetes.
 */
export function parseJsonPatch(body: JsonValue): readonly (JsonObject | null)[] {
  if (body === null) return [];
  if (typeof body !== 'object' || isJsonObject(body)) throw undecodable(body, 'value of type []handlers.jsonPatchOp');
  const operations = body.map(checkOperation);
  if (operations.length > operationsMax) {
    throw new PatchError(
      'tooLarge',
      `The allowed maximum operations in a JSON patch is ${operationsMax}, got ${operations.length}`,
    );
  }
  return operations;
}

/** What field validation has to say about a checked patch, one sentence for each member no operation has. */
export function jsonPatchProblems(patch: readonly (JsonObject | null)[]): readonly string[] {
  return patch.flatMap((operation, index) =>
    Object.keys(operation ?? {})
      .filter((name) => !memberNames.has(name))
      .map((name) => `json patch unknown field "[${index}].${name}"`),
  );
}

/** The document with the operations applied in order. A patch may replace the whole by any object or list. */
export function applyJsonPatch(
  document: JsonValue,
  patch: readonly (JsonPatchOperation | JsonObject | null)[],
): JsonValue {
  checkDepth(patch);
  const target = new PatchedDocument(document);
  for (const operation of patch) applyOperation(target, operation ?? {});
  // Only what comes from the document itself can add up to any depth; paths and values are bounded each.
  if (patch.some((operation) => operation?.op === 'move' || operation?.op === 'copy'))
    checkDepth(target.root, 2 * depthMax);
  return target.root;
}

type Operation = JsonPatchOperation | JsonObject;

const memberNames: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

function applyOperation(target: PatchedDocument, operation: Operation): void {
  const { op, value = null } = operation;
  switch (op) {
    case 'add':
      target.add(place(operation.path), value);
      break;
    case 'remove':
      target.remove(place(operation.path));
      break;
    case 'replace':
      target.replace(parsePointer(operation.path), value);
      break;
    case 'move':
      move(target, operation);
      break;
    case 'copy':
      target.add(place(operation.path), target.share(target.read(place(operation.from))));
      break;
    case 'test':
      test(target, parsePointer(operation.path), value);
      break;
    default:
      throw new PatchError('invalid', `Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`);
  }
}

function test(target: PatchedDocument, pointer: Pointer, value: JsonValue): void {
  if (deepEqual(target.read(pointer), value)) return;
  const message = `testing value ${printPointer(pointer)} failed: test failed`;
  throw new PatchError('invalid', message, { isFailedTest: true });
}

/** Takes away before it puts: indexes of the destination count without the moved element. */
function move(target: PatchedDocument, { from, path }: Operation): void {
  const source = place(from);
  const destination = place(path);
  const value = target.read(source);
  if (source.every((name, depth) => name === destination[depth])) {
    if (source.length === destination.length && target.has(source)) return;
    throw new PatchError('invalid', `cannot move ${printPointer(source)} to ${printPointer(destination)}`);
  }
  target.remove(source);
  target.add(destination, value);
}

/** A pointer to something inside the document. */
function place(text: unknown): Pointer {
  const pointer = parsePointer(text);
  if (pointer.length === 0) throw new PatchError('invalid', 'the operation does not apply to the whole document');
  return pointer;
}

function checkOperation(operation: JsonValue): JsonObject | null {
  if (operation === null) return null;
  if (!isJsonObject(operation)) throw undecodable(operation, 'value of type handlers.jsonPatchOp');
  for (const name of ['op', 'path', 'from']) {
    const member = ownValue(operation, name) ?? '';
    if (typeof member !== 'string') throw undecodable(member, `struct field jsonPatchOp.${name} of type string`);
  }
  return operation;
}

function undecodable(value: JsonValue, what: string): PatchError {
  return new PatchError('malformed', `error decoding patch: ${unmarshalTypeError(value, what)}`);
}
