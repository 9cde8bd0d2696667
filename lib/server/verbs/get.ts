// get: one object, as new as asked for.
import { notFound } from '../../core/index.js';
import type { ObjectResponse } from '../../client/index.js';
import { freshnessOf } from '../requests/resource-version.js';
import { objectOffer } from '../requests/form.js';
import type { Exchange } from '../requests/exchange.js';
import type { Endpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';

/** Answers with the object. */
export async function get(endpoint: Endpoint, { request }: Exchange): Promise<ObjectResponse> {
  const { info } = request;
  const form = request.negotiate(objectOffer);
  const { resourceVersion } = request.options();
  const { stored } = endpoint;
  const { object } = await stored.cacher.get(stored.keyOf(info.namespace, info.name), freshnessOf(resourceVersion));
  if (object === undefined) throw notFound(refOf(endpoint, info.name));
  return { type: 'object', code: 200, object: endpoint.fromHub(object), form };
}
