// The field set of a configuration: every field that it sets. As structured-merge-diff/v6/typed/tofieldset.go. And sets
// with the declared fields on the way, which pruning needs.
import type { JsonValue } from '../objects/json.js';
import { isJsonObject } from '../objects/json.js';
import type { ApplyList, ApplyMap, ApplyType } from './apply-type.js';
import { memberTypeOf, shapeOf } from './apply-type.js';
import type { DraftSet, FieldSet } from './field-set.js';
import { canonicalSet, markMember } from './field-set.js';
import { itemsByElement } from './list-items.js';
import { fieldElement } from './path-element.js';

/** Returns the fields that a value sets. Throws ItemKeyError. */
export function fieldsOf(value: JsonValue, type: ApplyType): FieldSet {
  return canonicalSet(draftOf(value, type) ?? {});
}

/** Undefined where nothing is owned, not even the value itself. */
function draftOf(value: JsonValue, type: ApplyType): DraftSet | undefined {
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map !== undefined && !type.map.isAtomic) return draftOfMap(value, type.map);
  if (shape === 'list' && type.list !== undefined && type.list.relation !== 'atomic')
    return draftOfList(value, type.list);
  return {};
}

function draftOfMap(value: JsonValue, map: ApplyMap): DraftSet | undefined {
  if (!isJsonObject(value)) return undefined;
  let out: DraftSet | undefined;
  for (const name of Object.keys(value)) {
    const member = value[name] ?? null;
    const field = map.fields[name];
    const below = draftOf(member, field?.type ?? memberTypeOf(map, name));
    const isMember = field === undefined || member === null || (isJsonObject(member) && isEmptyObject(member));
    if (below === undefined && !isMember) continue;
    (out ??= {})[field?.element ?? fieldElement(name)] = isMember ? asMember(below) : (below ?? {});
  }
  return out;
}

function draftOfList(value: JsonValue, list: ApplyList): DraftSet | undefined {
  if (!Array.isArray(value)) return undefined;
  let out: DraftSet | undefined;
  for (const [element, items] of itemsByElement(list, value as readonly JsonValue[]))
    (out ??= {})[element] = items.length > 1 ? {} : asMember(draftOf(items[0], list.items));
  return out;
}

function asMember(draft: DraftSet | undefined): DraftSet {
  if (draft === undefined) return {};
  markMember(draft);
  return draft;
}

function isEmptyObject(object: object): boolean {
  for (const _ in object) return false;
  return true;
}
