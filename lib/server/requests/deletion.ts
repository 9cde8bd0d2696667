// What a client says about a deletion: in a body of any version of DeleteOptions, which then counts alone, or in the
// query. As apiserver/pkg/endpoints/handlers/delete.go and apimachinery/pkg/apis/meta/v1/conversion.go.
import {
  DecodeError,
  badRequest,
  isDecodeError,
  isParseError,
  parseGroupVersion,
  printGroupVersion,
  quote,
} from '../../core/index.js';
import type { ApiObject } from '../../core/index.js';
import type { DeleteOptions } from '../../core/types/index.js';
import type { RequestOptions } from '../../client/index.js';
import type { Endpoint } from '../registry/endpoint.js';
import type { TypeFinder } from './decode-body.js';
import { readBody } from './decode-body.js';
import type { Exchange } from './exchange.js';

/** How to delete, and which object alone. */
export type Deletion = RequestOptions & Pick<DeleteOptions, 'preconditions'>;

/** Reads it. Throws ApiError 400 and 415. */
export async function deletionOf({ scheme, gvk }: Endpoint, { request, recorder }: Exchange): Promise<Deletion> {
  const given = request.body();
  const body = given instanceof Promise ? await given : given;
  if (body === undefined || ('bytes' in body && body.bytes.length === 0)) return ofQuery(request.options());
  const kind = { group: gvk.group, version: gvk.version, kind: 'DeleteOptions' };
  const typeOf: TypeFinder = (claim) => {
    checkClaim(claim);
    return scheme.typeOf(kind);
  };
  try {
    const decoded = readBody(body, typeOf, 'Ignore');
    const { object } = decoded instanceof Promise ? await decoded : decoded;
    const read: ApiObject = { apiVersion: printGroupVersion(kind), ...object, kind: kind.kind };
    recorder?.object(read);
    return read as Deletion;
  } catch (error) {
    throw isDecodeError(error) || isParseError(error) ? badRequest(error.message) : error;
  }
}

/** Of the query, a uid and a resourceVersion are those that the object must have. */
function ofQuery(options: RequestOptions): Deletion {
  const { uid = '', resourceVersion = '' } = options;
  if (uid === '' && resourceVersion === '') return options;
  return {
    ...options,
    preconditions: { ...(uid !== '' && { uid }), ...(resourceVersion !== '' && { resourceVersion }) },
  };
}

/** DeleteOptions are part of every version there is, and of those there are not. Throws DecodeError and ParseError. */
function checkClaim({ apiVersion = '', kind = '' }: { readonly apiVersion?: string; readonly kind?: string }): void {
  if (apiVersion !== '') parseGroupVersion(apiVersion);
  if (kind === '' || kind === 'DeleteOptions') return;
  throw new DecodeError(
    `no kind ${quote(kind)} is registered for version ${quote(apiVersion === '' ? 'meta.k8s.io/v1' : apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}
