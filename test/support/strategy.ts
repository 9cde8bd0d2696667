// Drives the strategy of a built-in kind as an API server would, without one: decode, default, convert to the hub,
// prepare, count the generation, validate, warn. What comes back is the object of the hub version, before any commit.
import type { FieldError } from '../../lib/core/errors/field-error.js';
import { fieldErrorText, fieldErrorsText } from '../../lib/core/errors/field-error.js';
import { deepFreeze } from '../../lib/core/objects/json.js';
import type { GroupVersionKind } from '../../lib/core/objects/gvk.js';
import { parseGroupVersion, printGroupVersion } from '../../lib/core/objects/gvk.js';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../lib/core/objects/meta-validation.js';
import type { ApiObject, Frozen } from '../../lib/core/objects/meta.js';
import type { KindStrategy, WriteContext } from '../../lib/core/kinds/kind-strategy.js';
import type { TableCells } from '../../lib/core/kinds/kind-table.js';
import { decodeValue } from '../../lib/core/schema/decode.js';
import { builtinScheme } from '../../lib/core/scheme/builtin.js';
import { random } from '../../lib/core/time/random.js';

/** What a strategy made of a write. */
export interface Outcome {
  readonly object: ApiObject & Record<string, unknown>;
  readonly errors: readonly FieldError[];
  /** The errors as sentences, in order. */
  readonly texts: readonly string[];
  /** The errors as one sentence, as a Status would carry them. */
  readonly text: string;
  readonly warnings: readonly string[];
}

/** The time of every write: 2026-01-02T03:04:05Z. */
export const testNow: number = Date.UTC(2026, 0, 2, 3, 4, 5);

const scheme = builtinScheme();

/** The strategies that one server has made of those of the scheme. */
export type StrategiesOfServer = Map<KindStrategy, KindStrategy>;

/** Returns a server that remembers nothing yet. */
export function newServer(): StrategiesOfServer {
  return new Map();
}

const firstServer = newServer();

/**
 * Creates an object of `kind`, written as in the registry: `apps/v1/Deployment`, `/v1/Pod`. Objects need no namespace.
 */
export function create(kind: string, object: object, server = firstServer): Outcome {
  const gvk = parseKind(kind);
  const { strategy, namespaced, hasStatus } = definitionOf(gvk, server);
  const decoded = decode(gvk, object);
  const context = contextOf(gvk);
  if (hasStatus && strategy.keepsStatus !== true) resetStatus(decoded, gvk);
  strategy.prepareForCreate?.(decoded, context);
  if (strategy.changesGeneration !== undefined) decoded.metadata = { ...decoded.metadata, generation: 1 };
  return outcome(
    decoded,
    [
      ...validateObjectMeta(decoded.metadata ?? {}, { namespaced, nameRule: strategy.nameRule }),
      ...(strategy.validate?.(decoded, context) ?? []),
    ],
    () => strategy.warningsOnCreate?.(decoded, context) ?? [],
  );
}

/** Replaces `old` by `object`, through a subresource if one is named. Both are decoded and defaulted first. */
export function update(kind: string, object: object, old: object, subresource?: string): Outcome {
  const gvk = parseKind(kind);
  const { strategy, hasStatus } = definitionOf(gvk);
  const before = deepFreeze(decode(gvk, old)) as Frozen<ApiObject> & Readonly<Record<string, unknown>>;
  let after = decode(gvk, object);
  const context = contextOf(gvk);
  const { resourceVersion = '1', generation, uid, creationTimestamp } = before.metadata ?? {};
  after.metadata = {
    resourceVersion,
    ...after.metadata,
    ...(uid !== undefined && { uid }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
  };
  if (generation === undefined) delete after.metadata.generation;
  else after.metadata.generation = generation;
  if (subresource === 'status') after = { ...before, metadata: after.metadata, status: after.status };
  else if (subresource === undefined && hasStatus) after.status = before.status;
  if (after.status === undefined) delete after.status;

  const chosen = subresource === undefined ? strategy : (strategy.subresources?.[subresource] ?? {});
  chosen.prepareForUpdate?.(after, before, context);
  if (strategy.changesGeneration?.(after, before) === true)
    after.metadata = { ...after.metadata, generation: (generation ?? 0) + 1 };
  return outcome(
    after,
    [
      ...validateObjectMetaUpdate(after.metadata ?? {}, before.metadata ?? {}),
      ...(chosen.validateUpdate?.(after, before, context) ?? []),
    ],
    () => chosen.warningsOnUpdate?.(after, before, context) ?? [],
  );
}

/** The cells of an object's row. */
export function row(kind: string, object: object, now: number = testNow): TableCells | undefined {
  const gvk = parseKind(kind);
  return definitionOf(gvk).strategy.table?.row(decode(gvk, object), now);
}

/** The strategy of a kind; throws when it has none. */
export function strategyOf(kind: string): KindStrategy {
  return definitionOf(parseKind(kind)).strategy;
}

type Loose = ApiObject & Record<string, unknown>;

function parseKind(kind: string): GroupVersionKind {
  const slash = kind.lastIndexOf('/');
  return { ...parseGroupVersion(kind.slice(0, slash).replace(/^\//, '')), kind: kind.slice(slash + 1) };
}

function definitionOf(
  gvk: GroupVersionKind,
  server = firstServer,
): { strategy: KindStrategy; namespaced: boolean; hasStatus: boolean } {
  const own = scheme.kind(gvk);
  const hub = own && scheme.kind(own.hub);
  if (hub?.strategy === undefined) throw new Error(`${gvk.kind} has no strategy`);
  const resource = own?.resource ?? hub.resource;
  const strategy = server.get(hub.strategy) ?? hub.strategy.forServer?.() ?? hub.strategy;
  server.set(hub.strategy, strategy);
  return {
    strategy,
    namespaced: resource?.namespaced ?? false,
    hasStatus: resource?.subresources.some(({ name }) => name === 'status') ?? false,
  };
}

function decode(gvk: GroupVersionKind, object: object): Loose {
  const apiVersion = printGroupVersion(gvk);
  const decoded = decodeValue(scheme.typeOf(gvk), { ...object, apiVersion, kind: gvk.kind }).object as Loose;
  const { namespaced } = definitionOf(gvk);
  if (namespaced) decoded.metadata = { namespace: 'default', ...decoded.metadata };
  scheme.setDefaults(decoded);
  const hub = scheme.kind(gvk)?.hub ?? gvk;
  // Conversions share with their input, which has no other owner here.
  return structuredClone(scheme.convert(decoded, hub)) as Loose;
}

/** A status as a server clears it: gone, or as an empty one decodes where the kind always prints it. */
function resetStatus(object: Loose, gvk: GroupVersionKind): void {
  const hub = scheme.kind(gvk)?.hub ?? gvk;
  const { status } = decodeValue(scheme.typeOf(hub), {}).object;
  if (status === undefined) delete object.status;
  else object.status = status;
}

function contextOf(gvk: GroupVersionKind): WriteContext {
  return {
    user: { username: 'tester' },
    now: testNow,
    random: random(7),
    dryRun: false,
    version: { group: gvk.group, version: gvk.version },
  };
}

function outcome(object: Loose, errors: readonly FieldError[], warn: () => readonly string[]): Outcome {
  return {
    object,
    errors,
    texts: errors.map(fieldErrorText),
    text: fieldErrorsText(errors),
    warnings: errors.length === 0 ? warn() : [],
  };
}
