// An authorizer that is replaced while the server runs, for instance whenever the file changes that it was made from.
import type { Observable } from 'rxjs';
import { firstOf } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { AccessAttributes, AccessRules, Authorizer, Decision } from '../authorizer.js';
import { latestValue } from '../latest.js';

/** Asks the newest of the stream, from the first question until `closed$`; see `latestValue` for failures. */
export function reloadingAuthorizer(source$: Observable<Authorizer>, closed$: Observable<void>): Authorizer {
  const newest = latestValue(source$, closed$);
  const reloading = (attributes: AccessAttributes): ReturnType<Authorizer> => {
    const authorizer = newest();
    return authorizer instanceof Promise
      ? authorizer.then((known) => firstOf(known(attributes), noOpinion))
      : authorizer(attributes);
  };
  reloading.rules = async (user: Frozen<UserInfo>, namespace: string): Promise<AccessRules> => {
    const authorizer = await newest();
    return firstOf(authorizer.rules?.(user, namespace) ?? [], unlisted);
  };
  return reloading;
}

const noOpinion: Decision = Object.freeze({ decision: 'noOpinion', reason: '' });
const unlisted: AccessRules = Object.freeze({ resourceRules: [], nonResourceRules: [], incomplete: true });
