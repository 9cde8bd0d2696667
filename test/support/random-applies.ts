// Random sequences of applies and updates of one object by several managers, for the laws of field ownership, and the
// object that they change. Types have no defaults here, so that every set field of an object was set by a manager.
import {
  FieldOwnership,
  builtinSchema,
  decodeValue,
  deepFreeze,
  isApiError,
  objectApplyTypes,
} from '../../lib/core/index.js';
import type { ApiObject, Frozen, JsonObject, JsonValue } from '../../lib/core/index.js';
import { compactSchema } from '../../lib/core/schema/compact-form.js';
import { builtinTexts } from '../../lib/core/schema/builtin.generated.js';
import { fc } from './properties.js';

/** A kind of the sequences. */
export interface AppliedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The name of its type. */
  readonly type: string;
}

/** The kinds, with all relations of lists and maps between them. */
export const appliedKinds: readonly AppliedKind[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', type: 'core/v1.ConfigMap' },
  { apiVersion: 'v1', kind: 'Service', type: 'core/v1.Service' },
  { apiVersion: 'apps/v1', kind: 'Deployment', type: 'apps/v1.Deployment' },
];

/** One step of a sequence. */
export interface ApplyStep {
  readonly op: 'apply' | 'update';
  readonly manager: string;
  readonly isForced: boolean;
  /** What is applied; of an update, what replaces parts of the object. */
  readonly config: JsonObject;
  /** Which parts an update replaces: the others stay. */
  readonly parts: readonly string[];
}

/** A sequence for an object that does not exist at first. */
export interface ApplySequence {
  readonly kind: AppliedKind;
  readonly steps: readonly ApplyStep[];
}

const value = fc.constantFrom('1', '2');
const dictionary = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3, noNullPrototype: true });

function optional(model: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<JsonObject> {
  return fc.record(model, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
}

function named(
  keys: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  others: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<JsonObject> {
  return fc.record(
    { ...keys, ...others },
    { requiredKeys: Object.keys(keys), noNullPrototype: true },
  ) as fc.Arbitrary<JsonObject>;
}

function unique(item: fc.Arbitrary<JsonObject>, ...keys: readonly string[]): fc.Arbitrary<readonly JsonObject[]> {
  const selector = (each: JsonObject): string =>
    JSON.stringify(keys.map((key) => each[key] ?? (key === 'protocol' ? 'TCP' : null)));
  return fc.uniqueArray(item, { maxLength: 3, selector });
}

const metadata = optional({
  labels: dictionary,
  annotations: dictionary,
  finalizers: fc.uniqueArray(fc.constantFrom('x.io/a', 'x.io/b', 'x.io/<c>'), { maxLength: 3 }),
  ownerReferences: unique(
    named(
      { uid: fc.constantFrom('u1', 'u2'), apiVersion: fc.constant('v1'), kind: fc.constant('Node'), name: value },
      {},
    ),
    'uid',
  ),
});

const name = fc.constantFrom('a', 'b', 'c');
const port = fc.constantFrom(80, 81, 9);
const protocol = fc.constantFrom('TCP', 'UDP');

const container = named(
  { name },
  {
    image: value,
    args: fc.array(value, { maxLength: 2 }),
    env: unique(named({ name }, { value, valueFrom: optional({ fieldRef: optional({ fieldPath: value }) }) }), 'name'),
    ports: unique(named({ containerPort: port }, { protocol, name: value }), 'containerPort', 'protocol'),
    resources: optional({ limits: optional({ cpu: value, memory: value }) }),
  },
);

const specs: Readonly<Record<string, fc.Arbitrary<JsonObject>>> = {
  ConfigMap: optional({ data: dictionary, binaryData: optional({ x: fc.constantFrom('AQ==', 'Ag==') }) }),
  Service: optional({
    spec: optional({
      ports: unique(named({ port }, { protocol, name: value, targetPort: port }), 'port', 'protocol'),
      selector: dictionary,
      type: fc.constantFrom('ClusterIP', 'NodePort'),
      externalIPs: fc.array(value, { maxLength: 2 }),
    }),
    status: optional({ conditions: unique(named({ type: name }, { status: value, reason: value }), 'type') }),
  }),
  Deployment: optional({
    spec: optional({
      replicas: fc.constantFrom(0, 1, 2),
      paused: fc.boolean(),
      strategy: optional({ type: value, rollingUpdate: optional({ maxSurge: fc.constantFrom(1, '1%') }) }),
      template: optional({
        metadata: optional({ labels: dictionary }),
        spec: optional({
          containers: unique(container, 'name'),
          nodeSelector: dictionary,
          tolerations: fc.array(optional({ key: value }), { maxLength: 2 }),
          volumes: unique(
            named({ name }, { emptyDir: optional({ medium: value }), configMap: optional({ name: value }) }),
            'name',
          ),
        }),
      }),
    }),
  }),
};

const parts = fc.subarray([
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'data',
  'binaryData',
  'spec',
  'status',
]);

/** Sequences of up to ten steps by appliers and updaters, one of which has a name of both. */
export const applySequences: fc.Arbitrary<ApplySequence> = fc.constantFrom(...appliedKinds).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    steps: fc.array(
      fc.record({
        op: fc.constantFrom('apply', 'apply', 'update'),
        manager: fc.constantFrom('m1', 'm2', 'm3'),
        isForced: fc.boolean(),
        config: fc.tuple(metadata, specs[kind.kind] ?? fc.constant({})).map(([meta, rest]) => ({
          apiVersion: kind.apiVersion,
          kind: kind.kind,
          metadata: { name: 'x', ...meta },
          ...rest,
        })),
        parts,
      }),
      { minLength: 1, maxLength: 10 },
    ),
  }),
);

/** Types without defaults: objects have only what managers set. */
const bareSchema = compactSchema(
  Object.fromEntries(Object.entries(builtinTexts).map(([name, text]) => [name, text.replaceAll(/ =\S+/g, '')])),
);

/** The outcome of a step. */
export interface ApplyOutcome {
  /** The stored object after it; that before it where the step was refused. */
  readonly object: Frozen<ApiObject> | undefined;
  /** What was sent: of an update, the whole object. */
  readonly sent: JsonObject;
  /** The message of a conflict. */
  readonly conflict: string | undefined;
  readonly isUnchanged: boolean;
}

/** The time of every step. */
export const applyTime = '2026-01-01T00:00:00Z';

/** An object that steps change. */
export class TrackedObject {
  readonly #kind: AppliedKind;
  readonly #ownership: FieldOwnership;
  object: Frozen<ApiObject> | undefined;

  constructor(kind: AppliedKind) {
    const type = builtinSchema.struct(kind.type);
    if (type === undefined) throw new Error(`no type ${kind.type}`);
    const typeOf = objectApplyTypes();
    this.#kind = kind;
    this.#ownership = new FieldOwnership({
      typeIn: (version) => (version === kind.apiVersion ? typeOf(type) : undefined),
      convert: (object) => object,
    });
  }

  /** Runs a step. */
  run({ op, manager, isForced, config, parts: replaced }: ApplyStep): ApplyOutcome {
    const writer = { manager, subresource: '', apiVersion: this.#kind.apiVersion, time: applyTime };
    if (op === 'update') {
      const sent = this.#replaced(config, replaced);
      this.object = this.#complete(
        this.#ownership.update({
          ...writer,
          old: this.object,
          object: this.#complete(sent) as ApiObject,
        }) as JsonObject,
      );
      return { object: this.object, sent, conflict: undefined, isUnchanged: false };
    }
    try {
      const { document, isUnchanged } = this.#ownership.apply({ ...writer, old: this.object, config, isForced });
      this.object = this.#complete(document);
      return { object: this.object, sent: config, conflict: undefined, isUnchanged };
    } catch (error) {
      if (!isApiError(error, 'Conflict')) throw error;
      return { object: this.object, sent: config, conflict: error.message, isUnchanged: false };
    }
  }

  /** The object with some parts taken from a configuration, or removed where it has none. */
  #replaced(config: JsonObject, replaced: readonly string[]): JsonObject {
    const live = (this.object ?? {
      apiVersion: this.#kind.apiVersion,
      kind: this.#kind.kind,
      metadata: { name: 'x' },
    }) as JsonObject;
    const { managedFields: _fields, ...meta } = live.metadata as Record<string, JsonValue>;
    const next: Record<string, JsonValue> = { ...live };
    const given = config.metadata as JsonObject;
    for (const part of replaced) {
      const isMeta = !['data', 'binaryData', 'spec', 'status'].includes(part);
      const target: Record<string, JsonValue> = isMeta ? meta : next;
      const after = (isMeta ? given : config)[part];
      if (after === undefined) delete target[part];
      else target[part] = after;
    }
    return { ...next, metadata: meta };
  }

  #complete(document: JsonObject): Frozen<ApiObject> {
    const type = bareSchema.struct(this.#kind.type);
    if (type === undefined) throw new Error(`no type ${this.#kind.type}`);
    const { apiVersion, kind } = this.#kind;
    const object: ApiObject = decodeValue(type, document).object;
    return deepFreeze({ ...object, apiVersion, kind, metadata: { ...object.metadata, uid: 'u' } });
  }
}
