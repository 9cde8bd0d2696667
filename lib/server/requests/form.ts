// The forms in which objects can be answered.
import { allowsObjectTransform, mediaTypes } from '../../core/index.js';
import type { Negotiated, Offer } from '../../core/index.js';

/** What endpoints of built-in kinds offer. */
export const objectOffer: Offer = {
  mediaTypes: [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf],
  allows: allowsObjectTransform,
};

/** What endpoints of kinds without protobuf offer, as those of custom resources do. */
export const customOffer: Offer = {
  mediaTypes: [mediaTypes.json, mediaTypes.yaml],
  allows: allowsObjectTransform,
};

/** The form of an answer that stays in this process. */
export const inProcessForm: Negotiated = Object.freeze({ mediaType: mediaTypes.json, pretty: false });
