// The figures of the core, in one run: `npm run bench`. Kept in RESULTS.md.
import { spawnSync } from 'node:child_process';
import { decodeJsonBody } from '../lib/core/codec/json.js';
import { decodeMessage } from '../lib/core/codec/protobuf/decode.js';
import { encodeMessage } from '../lib/core/codec/protobuf/encode.js';
import { deepFreeze } from '../lib/core/objects/json.js';
import { addQuantities, compareQuantities } from '../lib/core/objects/quantity-arithmetic.js';
import { canonicalQuantity, parseQuantity, printQuantity } from '../lib/core/objects/quantity.js';
import { builtinScheme } from '../lib/core/scheme/builtin.js';
import { virtualClock } from '../lib/core/time/virtual-clock.js';
import type { JsonObject } from '../lib/core/objects/json.js';
import type { Row } from './measure.js';
import { compare, report } from './measure.js';
import { samplePod } from './sample-pod.js';

const scheme = builtinScheme();
const podKind = { group: '', version: 'v1', kind: 'Pod' };
const type = scheme.typeOf(podKind);
const text = JSON.stringify(samplePod);

function decodePod(): Record<string, unknown> {
  const { object } = decodeJsonBody(type, text);
  scheme.setDefaults(object, podKind);
  return object;
}

function objects(): Row[] {
  const parsed = deepFreeze(decodePod()) as JsonObject;
  const bytes = encodeMessage(type, parsed);
  const json = JSON.stringify(parsed);
  const [parse, decode, whole, toProto, fromProto, toJson, fromJson] = compare([
    { name: 'JSON.parse', run: () => JSON.parse(text) as unknown },
    { name: 'decode', run: () => decodeJsonBody(type, text) },
    { name: 'decode + default + freeze', run: () => deepFreeze(decodePod()) },
    { name: 'protobuf encode', run: () => encodeMessage(type, parsed) },
    { name: 'protobuf decode', run: () => decodeMessage(type, bytes) },
    { name: 'JSON.stringify', run: () => JSON.stringify(parsed) },
    { name: 'JSON.parse of the whole pod', run: () => JSON.parse(json) as unknown },
  ]).map((timing) => timing.microseconds);
  if (
    parse === undefined ||
    decode === undefined ||
    whole === undefined ||
    toProto === undefined ||
    fromProto === undefined ||
    toJson === undefined ||
    fromJson === undefined
  )
    return [];
  return [
    { name: `JSON.parse of a pod of ${text.length} characters`, value: parse, unit: 'µs' },
    {
      name: 'decode (types, unknown and duplicate fields, static defaults)',
      value: decode / parse,
      unit: '× JSON.parse',
    },
    { name: 'decode + default + freeze', value: 1e6 / whole, unit: 'objects/s' },
    { name: 'decode + default + freeze', value: whole / parse, unit: '× JSON.parse', goal: '≤ 2.5' },
    {
      name: `protobuf encode (${bytes.length} bytes for ${json.length})`,
      value: toProto / toJson,
      unit: '× JSON.stringify',
    },
    { name: 'protobuf decode', value: fromProto / fromJson, unit: '× JSON.parse' },
  ];
}

/** A million timers, all pending at once: in the order in which they are set, and in another. */
async function timers(): Promise<Row[]> {
  const count = 1_000_000;
  const ordered = await bestOfThree(() => timeTimers(count, (index) => index));
  const scattered = await bestOfThree(() => timeTimers(count, (index) => (index * 7919) % 1_000_003));
  return [
    {
      name: 'a million virtual timers at rising instants, scheduled and fired',
      value: ordered,
      unit: 's',
      goal: '≤ 2',
    },
    {
      name: 'the same at scattered instants (what RxJS keeps for each is then out of the cache)',
      value: scattered,
      unit: 's',
    },
  ];
}

async function bestOfThree(measure: () => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    best = Math.min(best, await measure());
  }
  return best;
}

async function timeTimers(count: number, dueAt: (index: number) => number): Promise<number> {
  const clock = virtualClock({ start: 0 });
  let fired = 0;
  const start = performance.now();
  for (let index = 0; index < count; index += 1) {
    clock.timer(dueAt(index)).subscribe(() => {
      fired += 1;
    });
  }
  await clock.advanceTo(1_000_003);
  if (fired !== count) throw new Error(`${fired} of ${count} timers fired`);
  return (performance.now() - start) / 1000;
}

/** Import time of the built package, each in a process of its own; the best of several counts. */
function importTime(): Row[] {
  const once = (name: string): number => {
    const program = `const start = performance.now(); await import('${name}'); console.log(performance.now() - start)`;
    return Number(spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).stdout);
  };
  const names = ['rxjs', 'vivarium', 'vivarium/core'];
  const best = names.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < 12; round += 1) {
    for (const [index, name] of names.entries()) best[index] = Math.min(best[index] ?? 0, once(name));
  }
  const [rxjs = 0, main = 0, core = 0] = best;
  return [
    { name: 'import of rxjs alone', value: rxjs, unit: 'ms' },
    { name: 'import of vivarium beyond that', value: main - rxjs, unit: 'ms', goal: '≤ 40' },
    { name: 'import of vivarium/core beyond that', value: core - rxjs, unit: 'ms' },
  ];
}

function quantities(): Row[] {
  const texts = ['100m', '128Mi', '1', '2Gi', '1500m', '64Mi', '0.5', '3.5Gi'];
  const values = texts.map(parseQuantity);
  let turn = 0;
  const next = (): number => (turn = (turn + 1) % texts.length);
  return compare([
    { name: 'canonicalQuantity', run: () => canonicalQuantity(texts[next()]) },
    { name: 'parse', run: () => parseQuantity(texts[next()] ?? '') },
    { name: 'add', run: () => addQuantities(values[next()]!, values[turn]!) },
    { name: 'compare', run: () => compareQuantities(values[next()]!, values[0]!) },
    { name: 'add and print', run: () => printQuantity(addQuantities(values[next()]!, values[0]!)) },
  ]).map(({ name, perSecond }) => ({ name: `Quantity ${name}`, value: perSecond, unit: 'operations/s' }));
}

let met = report('Objects', objects());
met = report('Time', await timers()) && met;
met = report('Import', importTime()) && met;
report('Quantities', quantities());
console.log(met ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');
