// What a kind refuses to whom, beyond what authorization says of the request: it depends on what the object would grant.
// Asked after mutating plugins had their say, before the object is prepared and validated.
// As the storage that pkg/registry/rbac wraps around that of its kinds.
import type { ApiObject } from '../../core/index.js';
import type { Stored } from '../registry/stored-kind.js';
import type { Exchange } from '../requests/exchange.js';

/** Guards writes of a kind. */
export interface WriteGuard {
  /** Refuses, by rejecting with ApiError, an object that shall be created or take the place of `old`; in the hub version. */
  check(object: ApiObject, old: Stored | undefined, exchange: Exchange): Promise<void>;
}
