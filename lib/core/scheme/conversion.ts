// Conversion between two versions of a kind, through their hub (kind-definition.ts), for single objects and for lists.
import { printGroupVersion } from '../objects/gvk.js';
import type { ApiList, ApiObject, Frozen } from '../objects/meta.js';
import type { KindDefinition } from './kind-definition.js';

/** Turns an object of one version into another; returns the argument itself where nothing changes. */
export type Converter = (object: Frozen<ApiObject>) => Frozen<ApiObject>;

/** Between a version and itself, and for kinds that have none. */
export const unchanged: Converter = (object) => object;

/** Between two versions that share a hub. Keeps the two definitions, not the scheme. */
export function conversion(source: KindDefinition, goal: KindDefinition, ofLists: boolean): Converter {
  const apiVersion = printGroupVersion(goal);
  const convert: Converter = (object) => {
    const hub = source.conversion === undefined ? object : source.conversion.toHub(object);
    return goal.conversion === undefined ? hub : goal.conversion.fromHub(hub);
  };
  if (!ofLists) return (object) => withTypeMeta(convert(object), goal.kind, apiVersion);
  // The items of a list do not name their kind, unless they came that way.
  const convertItem: Converter = (item) =>
    item.kind === undefined ? withTypeMeta(convert(item)) : withTypeMeta(convert(item), goal.kind, apiVersion);
  return (list) => {
    const converted = { ...list, items: isObjectList(list) ? list.items.map(convertItem) : [] };
    return withTypeMeta(converted, `${goal.kind}List`, apiVersion);
  };
}

/** The object with that type metadata, or without any; `kind` and `apiVersion` come first, as in Kubernetes. */
function withTypeMeta(object: Frozen<ApiObject>, kind?: string, apiVersion?: string): Frozen<ApiObject> {
  if (object.kind === kind && object.apiVersion === apiVersion) return object;
  // Conversions seldom set type metadata, which saves a copy.
  if (kind !== undefined && apiVersion !== undefined && !('kind' in object) && !('apiVersion' in object))
    return { kind, apiVersion, ...object };
  const { kind: _kind, apiVersion: _apiVersion, ...content } = object;
  return kind === undefined || apiVersion === undefined ? content : { kind, apiVersion, ...content };
}

/** Whether an object is a list. */
export function isObjectList<T extends Frozen<ApiObject>>(object: T): object is T & ApiList {
  return 'items' in object && Array.isArray(object.items);
}
