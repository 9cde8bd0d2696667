// get: one object, as new as asked for.
import type { CacheReading } from '../../cacher/index.js';
import { notFound } from '../../core/index.js';
import type { ObjectResponse } from '../../client/index.js';
import { freshnessOf } from '../requests/resource-version.js';
import type { Exchange } from '../requests/exchange.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import type { StoredObject } from '../registry/stored-kind.js';

/** Answers with the object. */
export function get(endpoint: ResourceEndpoint, { request }: Exchange): ObjectResponse | Promise<ObjectResponse> {
  const { info } = request;
  const form = request.negotiate(endpoint.offer);
  const { resourceVersion } = request.options();
  const { cacher } = endpoint.stored;
  const key = endpoint.stored.keyOf(info.namespace, info.name);
  const answer = ({ object }: CacheReading<StoredObject>): ObjectResponse => {
    if (object === undefined) throw notFound(refOf(endpoint, info.name));
    return { type: 'object', code: 200, object: endpoint.fromHub(object), form };
  };
  const freshness = freshnessOf(resourceVersion);
  const now = freshness === undefined ? cacher.getNow(key) : undefined;
  return now === undefined ? cacher.get(key, freshness).then(answer) : answer(now);
}
