// An endpoint: one version of a kind at a path, the conversion between that version and the stored one, and the media
// types it offers.
import { hasProtobuf, allowsObjectTransform, mediaTypes } from '../../core/index.js';
import type {
  Converter,
  GroupVersionKind,
  GroupVersionResource,
  Kinds,
  Offer,
  Scheme,
  ServedKind,
  ResourceRef,
  Negotiated,
} from '../../core/index.js';
import type { StoredKind } from './stored-kind.js';

/** An endpoint. */
export interface ResourceEndpoint {
  /** The current scheme. */
  readonly scheme: Scheme;
  readonly served: ServedKind;
  readonly gvk: GroupVersionKind;
  readonly gvr: GroupVersionResource;
  readonly stored: StoredKind;
  /** The media types and transforms of its responses. */
  readonly offer: Offer;
  /** Converts from the endpoint's version to the hub version. */
  readonly toHub: Converter;
  /** Converts from the hub version to the endpoint's version. */
  readonly fromHub: Converter;
}

/** Creates the endpoint of a served kind. */
export function endpointOf(kinds: Kinds, served: ServedKind, stored: StoredKind): ResourceEndpoint {
  const { group, version, kind } = served;
  const hub = stored.definition;
  const gvr = { group, version, resource: served.resource.plural };
  stored.servedAt(gvr);
  // Computed on demand: it loads the schema of the kind, which kinds that are only written at the start do not need.
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

/** An object of the endpoint, as error messages name it. */
export function refOf({ gvr }: ResourceEndpoint, name: string): ResourceRef {
  return { group: gvr.group, resource: gvr.resource, name };
}

/** The offer of endpoints of built-in kinds. */
export const objectOffer: Offer = {
  mediaTypes: [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf],
  allows: allowsObjectTransform,
};

/** The offer of built-in kinds that have no table: reviews, and subresources that are created or streamed. */
export const tablelessOffer: Offer = {
  mediaTypes: objectOffer.mediaTypes,
  allows: (mediaType, transform) => transform?.kind !== 'Table' && allowsObjectTransform(mediaType, transform),
};

/** The offer of endpoints of kinds without protobuf, such as custom resources. */
export const customOffer: Offer = {
  mediaTypes: [mediaTypes.json, mediaTypes.yaml],
  allows: allowsObjectTransform,
};

/** The form of an answer that stays in this process. */
export const inProcessForm: Negotiated = Object.freeze({ mediaType: mediaTypes.json, pretty: false });
