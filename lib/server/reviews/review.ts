// Reviews are created, completed with a status and returned, but not stored. They pass the opening and the admission of
// every create.
import { deepFreeze, unknownResource } from '../../core/index.js';
import type { ApiObject, GroupVersionKind } from '../../core/index.js';
import type { Exchange } from '../pipeline.js';
import type { Registry } from '../registry/registry.js';
import type { VirtualResource } from '../routing/route.js';
import { transformResponse } from '../routing/transform-response.js';
import type { ActionSubresource } from '../subresources/action.js';
import { performAction } from '../subresources/action.js';
import { wipeSystemFields } from '../writes/prepare.js';
import type { WriteTools } from '../writes/write.js';

/** Dependencies of reviews. */
export interface ReviewParts {
  readonly tools: WriteTools;
  readonly registry: Registry;
}

/** Creates a resource that responds to a review by completing it. */
export function reviewResource<T extends ApiObject>(
  { tools, registry }: ReviewParts,
  kind: GroupVersionKind,
  answer: (review: T, exchange: Exchange) => Promise<T> | T,
): VirtualResource {
  const action: ActionSubresource<T> = {
    kind,
    complete(review, write) {
      wipeSystemFields(review);
      return write.ownFields(review, undefined) as T;
    },
    async perform(review, { exchange }) {
      const { kind: name, apiVersion, metadata, ...rest } = review;
      const ordered = { kind: name, apiVersion, metadata, ...rest } as T;
      return deepFreeze<ApiObject>(await answer(ordered, exchange));
    },
  };
  return async (exchange) => {
    const endpoint = registry.endpoint(exchange.request.info);
    if (endpoint === undefined) throw unknownResource();
    const response = await performAction(action, endpoint, exchange, tools);
    return transformResponse(response, { endpoint, clock: tools.clock, options: () => exchange.request.options() });
  };
}
