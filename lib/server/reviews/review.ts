// Reviews are questions in the form of objects: created, answered by completing them, and not stored. They take the
// opening and the admission of every create.
import { deepFreeze, unknownResource } from '../../core/index.js';
import type { ApiObject, GroupVersionKind } from '../../core/index.js';
import type { Exchange } from '../requests/exchange.js';
import type { Registry } from '../registry/registry.js';
import type { VirtualResource } from '../routing/route.js';
import type { ActionSubresource } from '../subresources/subresource.js';
import { performAction } from '../subresources/subresource.js';
import { wipeSystemFields } from '../writes/prepare.js';
import type { WriteTools } from '../writes/write.js';

/** What reviews are served with. */
export interface ReviewParts {
  readonly tools: WriteTools;
  readonly registry: Registry;
}

/** A resource that answers a question by completing it. */
export function review<T extends ApiObject>(
  { tools, registry }: ReviewParts,
  kind: GroupVersionKind,
  answer: (question: T, exchange: Exchange) => Promise<T> | T,
): VirtualResource {
  const action: ActionSubresource<T> = {
    kind,
    complete(question, write) {
      wipeSystemFields(question);
      return write.ownFields(question, undefined) as T;
    },
    async perform(question, { exchange }) {
      const { kind: name, apiVersion, metadata, ...rest } = question;
      const ordered = { kind: name, apiVersion, metadata, ...rest } as T;
      return deepFreeze<ApiObject>(await answer(ordered, exchange));
    },
  };
  return async (exchange) => {
    const endpoint = registry.endpoint(exchange.request.info);
    if (endpoint === undefined) throw unknownResource();
    return performAction(action, endpoint, exchange, tools);
  };
}
