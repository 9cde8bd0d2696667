// Where a resource is served: one version of a kind at a path, and the way between that version and what is stored.
import { hasProtobuf } from '../../core/index.js';
import type {
  Converter,
  GroupVersionKind,
  GroupVersionResource,
  Kinds,
  Offer,
  Scheme,
  ServedKind,
} from '../../core/index.js';
import type { ResourceRef } from '../../core/index.js';
import { customOffer, objectOffer } from '../requests/form.js';
import type { StoredKind } from './stored-kind.js';

/** An endpoint. */
export interface ResourceEndpoint {
  /** The scheme of this moment. */
  readonly scheme: Scheme;
  readonly served: ServedKind;
  readonly gvk: GroupVersionKind;
  readonly gvr: GroupVersionResource;
  readonly stored: StoredKind;
  /** The forms in which its objects are returned. */
  readonly offer: Offer;
  /** From the endpoint's version to the hub. */
  readonly toHub: Converter;
  /** And back. */
  readonly fromHub: Converter;
}

/** An endpoint of a served kind. */
export function endpointOf(kinds: Kinds, served: ServedKind, stored: StoredKind): ResourceEndpoint {
  const { group, version, kind } = served;
  const hub = stored.definition;
  const gvr = { group, version, resource: served.resource.plural };
  stored.servedAt(gvr);
  // Reads the schema of the kind, which a kind that is only written, as at the start, does not need.
  let offer: Offer | undefined;
  return {
    get scheme() {
      return kinds.current;
    },
    served,
    gvk: { group, version, kind },
    gvr,
    stored,
    get offer() {
      return (offer ??= hasProtobuf(served.type()) ? objectOffer : customOffer);
    },
    toHub: kinds.current.converter(served, hub),
    fromHub: kinds.current.converter(hub, served),
  };
}

/** An object of the endpoint, as messages name it. */
export function refOf({ gvr }: ResourceEndpoint, name: string): ResourceRef {
  return { group: gvr.group, resource: gvr.resource, name };
}
