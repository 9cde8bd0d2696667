// A request to patch, read as far as it says what is patched how: the type of the patch before the form of the answer
// before the options, which is the order in which a real server refuses.
import { mediaTypes, routeUnsupportedMediaType, unsupportedMediaType } from '../../core/index.js';
import type { FieldValidation, Negotiated, Offer } from '../../core/index.js';
import type { RequestBody, RequestOptions } from '../../client/index.js';
import { checkPatchOptions, fieldValidationOf } from './check-options.js';
import type { Exchange } from './exchange.js';
import { customOffer } from './form.js';

/** What a request to patch says. */
export interface PatchRequest {
  readonly body: RequestBody | undefined;
  /** The media type of the patch. */
  readonly patchType: string;
  readonly form: Negotiated;
  readonly options: RequestOptions;
  readonly validation: FieldValidation;
}

/**
 * Reads a request to patch; at once where its body is at hand. The offer is that of the patched kind. Throws or rejects
 * with ApiError 406, 415 and 422.
 */
export function patchRequestOf(exchange: Exchange, offer: Offer): PatchRequest | Promise<PatchRequest> {
  const body = exchange.request.body();
  return body instanceof Promise
    ? body.then((read) => readRequest(exchange, offer, read))
    : readRequest(exchange, offer, body);
}

function readRequest({ request, recorder }: Exchange, offer: Offer, body: RequestBody | undefined): PatchRequest {
  const patchType = patchTypeOf(body);
  // Custom resources have no merge keys.
  if (offer === customOffer && patchType === mediaTypes.strategicMergePatch)
    throw unsupportedMediaType([mediaTypes.jsonPatch, mediaTypes.mergePatch, mediaTypes.applyPatch]);
  const form = request.negotiate(offer);
  const options = request.options();
  checkPatchOptions(options, patchType);
  recorder?.patch(body);
  return { body, patchType, form, options, validation: fieldValidationOf(options) };
}

const patchTypes: readonly string[] = [mediaTypes.jsonPatch, mediaTypes.mergePatch, mediaTypes.strategicMergePatch];

function patchTypeOf(body: RequestBody | undefined): string {
  const said = body === undefined ? '' : 'bytes' in body ? body.contentType : (body.patchType ?? '');
  const semicolon = said.indexOf(';');
  const patchType = semicolon > 0 ? said.slice(0, semicolon) : said;
  if (!patchTypes.includes(patchType)) throw routeUnsupportedMediaType();
  return patchType;
}
