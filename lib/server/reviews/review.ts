// Reviews are questions put as objects: created, answered, and forgotten. What they have in common.
import type { ApiObject, GroupVersionKind, Kinds } from '../../core/index.js';
import { deepFreeze } from '../../core/index.js';
import type { ApiResponse } from '../../client/index.js';
import { checkCreateOptions, fieldValidationOf } from '../requests/check-options.js';
import { decodeBody } from '../requests/decode-body.js';
import type { Exchange } from '../requests/exchange.js';
import { objectOffer } from '../requests/form.js';
import type { VirtualResource } from '../routing/route.js';
import { attributeFields } from '../writes/field-ownership.js';
import { ensureNamespace, wipeSystemFields } from '../writes/metadata.js';

/** A resource that answers a question by completing it. */
export function review<T extends ApiObject>(
  kinds: Kinds,
  gvk: GroupVersionKind,
  answer: (question: T, exchange: Exchange) => Promise<T> | T,
): VirtualResource {
  return async (exchange): Promise<ApiResponse> => {
    const { request } = exchange;
    const form = request.negotiate(objectOffer);
    const body = await request.body();
    const options = request.options();
    checkCreateOptions(options);
    const { object, warnings } = await decodeBody(body, {
      scheme: kinds.current,
      gvk,
      validation: fieldValidationOf(options),
    });
    for (const warning of warnings) exchange.warn(warning);
    exchange.recorder?.object(object);
    wipeSystemFields(object);
    ensureNamespace(object, request.info.namespace, { namespaced: request.info.namespace !== '' });
    attributeFields(object);
    const { kind, apiVersion, metadata, ...rest } = object;
    // The decoder made it what the scheme says it is.
    const answered = await answer({ kind, apiVersion, metadata, ...rest } as T, exchange);
    return { type: 'object', code: 201, object: deepFreeze<ApiObject>(answered), form };
  };
}
