// What field ownership needs of a kind: the types of its versions, and conversion between them. Documents that are
// converted may be incomplete, such as an applied configuration that was merged, so they are decoded first.
import { decodeValue, isParseError, parseGroupVersion, sameGroupVersionKind } from '../../core/index.js';
import type {
  ApiObject,
  GroupVersionKind,
  KindDefinition,
  ObjectApplyType,
  OwnedKind,
  Scheme,
  StructType,
} from '../../core/index.js';

/** Creates the kind for field ownership. `definition` is that of the hub version. */
export function ownedKind(
  definition: KindDefinition,
  scheme: () => Scheme,
  applyTypeOf: (type: StructType) => ObjectApplyType,
): OwnedKind {
  const types = new Map<string, ObjectApplyType | undefined>();
  return {
    typeIn(apiVersion) {
      if (types.has(apiVersion)) return types.get(apiVersion);
      const found = versionOf(definition, apiVersion, scheme());
      const type = found && typeOf(found, applyTypeOf);
      // Clients may name any version, but only those that exist are kept.
      if (type !== undefined) types.set(apiVersion, type);
      return type;
    },
    convert(object, apiVersion) {
      const current = scheme();
      const { apiVersion: from } = object;
      const source = gvkOf(definition.kind, typeof from === 'string' ? from : '');
      const decoded = decodeValue(current.typeOf(source), object).object as ApiObject;
      return current.converter(source, parseGroupVersion(apiVersion))(decoded);
    },
  };
}

function typeOf(kind: KindDefinition, applyTypeOf: (type: StructType) => ObjectApplyType): ObjectApplyType {
  return kind.applyType === undefined ? applyTypeOf(kind.type()) : { type: kind.applyType(), zero: {} };
}

function versionOf(hub: KindDefinition, apiVersion: string, scheme: Scheme): KindDefinition | undefined {
  try {
    const found = scheme.kind(gvkOf(hub.kind, apiVersion));
    return found !== undefined && sameGroupVersionKind(found.hub, hub.hub) ? found : undefined;
  } catch (error) {
    if (!isParseError(error)) throw error;
    return undefined;
  }
}

function gvkOf(kind: string, apiVersion: string): GroupVersionKind {
  return { ...parseGroupVersion(apiVersion), kind };
}
