// Stages of KWOK as rules for simulated containers. A Stage of kind Pod says with a selector and a delay when the
// status of a pod changes; what the change means for its containers is read from the phase, exit code and reason that
// the status template names. Read are: spec.resourceRef.kind, spec.selector (matchLabels, matchAnnotations, and
// matchExpressions on paths below .metadata and .spec with In, NotIn, Exists, DoesNotExist),
// spec.delay.durationMilliseconds and spec.next.statusTemplate. Templates are not executed; weights, jitter and other
// kinds are ignored.
import { isJsonObject, parseYamlDocuments } from '../../core/index.js';
import type { Frozen, JsonObject, JsonValue } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { BehaviourRule, ContainerBehaviour } from './behaviour.js';

/**
 * Reads Stages from YAML and returns one rule for all of them: a stage whose template has the phase Running delays the
 * start, Succeeded and Failed end the containers. Rejects with ParseError or RangeError for a text that is not YAML or
 * a Stage without a name.
 */
export async function stageRules(text: string): Promise<readonly BehaviourRule[]> {
  const documents = await parseYamlDocuments(text);
  const stages = documents.map(({ value }) => stageOf(value)).filter((stage) => stage !== undefined);
  return [({ pod }) => behaviourByStages(pod, stages)];
}

interface Stage {
  readonly selects: (pod: Frozen<Pod>) => boolean;
  readonly delayMs: number;
  readonly phase: string;
  readonly exitCode: number | undefined;
  readonly reason: string | undefined;
}

function behaviourByStages(pod: Frozen<Pod>, stages: readonly Stage[]): ContainerBehaviour | undefined {
  const selected = stages.filter(({ selects }) => selects(pod));
  if (selected.length === 0) return undefined;
  const start = selected.find(({ phase }) => phase === 'Running');
  const end = selected.find(({ phase }) => phase === 'Succeeded' || phase === 'Failed');
  const code = end?.exitCode ?? (end?.phase === 'Failed' ? 1 : 0);
  return {
    ...(start !== undefined && { startDelay: start.delayMs }),
    ...(end !== undefined && { exits: [{ after: end.delayMs, code, ...(end.reason && { reason: end.reason }) }] }),
  };
}

function stageOf(value: JsonValue): Stage | undefined {
  const document = objectOf(value);
  if (document.kind !== 'Stage') return undefined;
  const name = objectOf(document.metadata).name;
  if (typeof name !== 'string') throw new RangeError('a Stage needs a name');
  const spec = objectOf(document.spec);
  if (objectOf(spec.resourceRef).kind !== 'Pod') return undefined;
  const template = objectOf(spec.next).statusTemplate;
  const text = typeof template === 'string' ? template : '';
  const exitCode = /\bexitCode:\s*(\d{1,3})/.exec(text)?.[1];
  const delayMs = objectOf(spec.delay).durationMilliseconds;
  return {
    selects: selectorOf(objectOf(spec.selector)),
    delayMs: typeof delayMs === 'number' && delayMs >= 0 ? delayMs : 0,
    phase: /\bphase:\s*"?(\w+)/.exec(text)?.[1] ?? '',
    exitCode: exitCode === undefined ? undefined : Number(exitCode),
    reason: /\breason:\s*"?(OOMKilled|Error|Completed)\b/.exec(text)?.[1],
  };
}

/** A selector looks at what does not change while a pod runs: conditions on the status or the deletion are ignored. */
function selectorOf({ matchLabels, matchAnnotations, matchExpressions }: JsonObject): (pod: Frozen<Pod>) => boolean {
  const hasAll = (wanted: JsonValue | undefined, actual: Readonly<Record<string, string>> = {}): boolean =>
    Object.entries(objectOf(wanted)).every(([key, value]) => actual[key] === value);
  const expressions = (Array.isArray(matchExpressions) ? matchExpressions : []).map((each: JsonValue) =>
    objectOf(each),
  );
  const stable = expressions.filter(({ key }) => typeof key === 'string' && isStable(key));
  return (pod) =>
    hasAll(matchLabels, pod.metadata?.labels) &&
    hasAll(matchAnnotations, pod.metadata?.annotations) &&
    stable.every((expression) => matchesExpression(pod, expression));
}

function isStable(path: string): boolean {
  return /^\.(metadata|spec)\b/.test(path) && !path.includes('deletionTimestamp');
}

function matchesExpression(pod: Frozen<Pod>, { key, operator, values }: JsonObject): boolean {
  const found = valuesAt(pod, typeof key === 'string' ? key : '');
  const listed: readonly JsonValue[] = Array.isArray(values) ? values : [];
  const isListed = found.some((value) => listed.some((each) => each === value));
  switch (operator) {
    case 'In':
      return isListed;
    case 'NotIn':
      return !isListed;
    case 'Exists':
      return found.length > 0;
    default:
      return found.length === 0;
  }
}

/** The values at a path such as `.metadata.ownerReferences.[].kind` or `.metadata.labels["app"]`. */
function valuesAt(pod: Frozen<Pod>, path: string): readonly unknown[] {
  const steps = [...path.matchAll(/\[\]|\["([^"]{1,256})"\]|\.([\w-]{1,64})/g)];
  let values: readonly unknown[] = [pod];
  for (const [whole, quoted, plain] of steps) {
    values = values.flatMap((value): readonly unknown[] => {
      if (whole === '[]') return Array.isArray(value) ? value : [];
      const name = quoted ?? plain ?? '';
      return isJsonObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];
    });
  }
  return values.filter((value) => value !== undefined && value !== null);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
