// What a kind refuses to whom, beyond what authorization says of the request: it depends on what the object would
// grant. As the storage that pkg/registry/rbac wraps around that of its kinds, and the strategies elsewhere that ask
// authorizers.
import type { ApiObject, FieldError } from '../../core/index.js';
import type { Stored } from '../registry/stored-kind.js';
import type { Exchange } from '../requests/exchange.js';

/** Guards writes of a kind. */
export interface WriteGuard {
  /**
   * Refuses, by rejecting with ApiError, an object that shall be created or take the place of `old`; in the hub
   * version. Asked after mutating plugins had their say, before the object is prepared and validated.
   */
  check?(object: ApiObject, old: Stored | undefined, exchange: Exchange): Promise<void>;
  /** What is wrong with an object in the hands of this user. Asked when it is prepared and nothing else is wrong. */
  errors?(object: ApiObject, old: Stored | undefined, exchange: Exchange): Promise<readonly FieldError[]>;
}
