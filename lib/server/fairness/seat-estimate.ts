// How wide a request is: how many seats it takes while it is served. One, but for lists and for watches that begin with
// what there is: those take one for every hundred objects, up to ten. As apiserver/pkg/util/flowcontrol/request, where
// a list takes one for every 100 kB it is estimated to load; here objects are taken to have 1 kB.
import type { ApiRequest, RequestInfo, RequestOptions } from '../../client/index.js';

/** How many objects there are of a resource; undefined where nobody knows. */
export type ObjectCount = (info: RequestInfo) => number | undefined;

/** The seats of a request, at most `seatsMax`. */
export function seatsOf(request: ApiRequest, seatsMax: number, objectCount: ObjectCount): number {
  const { info } = request;
  if (info.verb !== 'list' && info.verb !== 'watch') return 1;
  if (!info.isResource || info.name !== '') return 1;
  const most = Math.min(seatsMax, listSeatsMax);
  const options = optionsOf(request);
  // It will be refused for that, but not before it was served.
  if (options === undefined) return most;
  if (info.verb === 'watch' && !beginsWithObjects(options)) return 1;
  const stored = objectCount(info) ?? 0;
  const loaded = options.limit !== undefined && options.limit > 0 ? Math.min(options.limit, stored) : stored;
  return Math.max(1, Math.min(most, Math.ceil(loaded / objectsPerSeat)));
}

const listSeatsMax = 10;
const objectsPerSeat = 100;

function optionsOf(request: ApiRequest): RequestOptions | undefined {
  try {
    return request.options();
  } catch {
    return undefined;
  }
}

function beginsWithObjects({ sendInitialEvents, resourceVersion = '' }: RequestOptions): boolean {
  return sendInitialEvents === true || resourceVersion === '' || resourceVersion === '0';
}
