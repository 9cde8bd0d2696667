// Taints of nodes, in their field and in the annotation that once held them, and the other old annotation of nodes.
// As validateNodeTaints, ValidateTaintsInNodeAnnotations and ValidateAvoidPodsInNodeAnnotations in
// pkg/apis/core/validation/validation.go.
import { collect } from '../../errors/collect.js';
import { unmarshalTypeError } from '../../go/encoding-json.js';
import { fieldDuplicate, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { isJsonObject } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { isLabelValue, isQualifiedName } from '../../objects/names.js';
import { isDecodeError } from '../../schema/decode-error.js';
import { parseJson } from '../../codec/json.js';
import type { Taint } from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import { printedWord } from '../printed-values.js';

type FieldErrors = readonly FieldError[];
type AnyTaint = { readonly [K in keyof Taint]?: string };

/** Validates taints: each is a label with an effect, and no pair of key and effect occurs twice. */
export function validateTaints(taints: readonly (Frozen<Taint> | AnyTaint)[], path: FieldPath): FieldErrors {
  const seen = new Set<string>();
  return collect(taints, (taint: AnyTaint, index) => {
    const { key = '', value = '', effect = '', timeAdded = null } = taint;
    const at = path.index(index);
    const wrongValue = isLabelValue(value);
    const errors: FieldError[] = [...invalidEach(at.child('key'), key, isQualifiedName(key))];
    if (wrongValue.length > 0) errors.push(fieldInvalid(at.child('value'), value, wrongValue.join(';')));
    if (effect === '') errors.push(fieldRequired(at.child('effect')));
    else if (!effects.includes(effect))
      errors.push(fieldNotSupported(at.child('effect'), printedWord(effect), effects));
    const pair = JSON.stringify([key, effect]);
    if (seen.has(pair)) {
      const duplicate = fieldDuplicate(at, { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded });
      errors.push({ ...duplicate, message: `${duplicate.message}: taints must be unique by key and effect pair` });
    }
    seen.add(pair);
    return errors;
  });
}

/** Annotations that hold JSON of another age. */
export function validateNodeAnnotations(annotations: Readonly<Record<string, string>>, path: FieldPath): FieldErrors {
  const read = (key: string): string => (Object.hasOwn(annotations, key) ? (annotations[key] ?? '') : '');
  return [...validateTaintsAnnotation(read(taintsKey), path), ...validateAvoidPodsAnnotation(read(avoidPodsKey), path)];
}

const effects: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const taintsKey = 'scheduler.alpha.kubernetes.io/taints';
const avoidPodsKey = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

function validateTaintsAnnotation(text: string, path: FieldPath): FieldErrors {
  if (text === '') return [];
  const parsed = parse(text);
  if (typeof parsed === 'string') return [fieldInvalid(path, taintsKey, parsed)];
  if (parsed.value === null) return [];
  if (!Array.isArray(parsed.value))
    return [fieldInvalid(path, taintsKey, unmarshalTypeError(parsed.value, 'value of type []core.Taint'))];
  const taints = parsed.value.map((item: unknown) => ({
    key: textOf(item, 'key'),
    value: textOf(item, 'value'),
    effect: textOf(item, 'effect'),
    timeAdded: textOf(item, 'timeadded') || null,
  }));
  return validateTaints(taints as readonly AnyTaint[], path.child(taintsKey));
}

function validateAvoidPodsAnnotation(text: string, path: FieldPath): FieldErrors {
  if (text === '') return [];
  const parsed = parse(text);
  const refuse = (detail: string): FieldErrors => [fieldInvalid(path.child('AvoidPods'), avoidPodsKey, detail)];
  if (typeof parsed === 'string') return refuse(parsed);
  if (parsed.value === null) return [];
  if (!isJsonObject(parsed.value)) return refuse(unmarshalTypeError(parsed.value, 'value of type v1.AvoidPods'));
  const entries = member(parsed.value, 'preferavoidpods');
  if (!Array.isArray(entries)) return [];
  return collect(entries, (entry: unknown, index) => {
    const signature = path.child(avoidPodsKey).index(index).child('PodSignature');
    const controller = member(member(entry, 'podsignature'), 'podcontroller') ?? null;
    if (controller === null) return [fieldRequired(signature)];
    if (member(controller, 'controller') === true) return [];
    return [fieldInvalid(signature.child('PodController').child('Controller'), false, 'must point to a controller')];
  });
}

/** The value, or Go's words for what is wrong with the text. */
function parse(text: string): { readonly value: unknown } | string {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    if (isDecodeError(error)) return error.message;
    throw error;
  }
}

/** Go's decoder takes field names in any case. */
function member(value: unknown, lowerName: string): unknown {
  if (!isJsonObject(value)) return undefined;
  return Object.entries(value).find(([name]) => name.toLowerCase() === lowerName)?.[1];
}

function textOf(value: unknown, lowerName: string): string {
  const text = member(value, lowerName);
  return typeof text === 'string' ? text : '';
}
