// The first value of whatever form an extension answers in. Parts of a host may answer with an array, a promise or an
// Observable; those that answer at once are not made to wait, for the way of every request leads through here.
import { firstValueFrom, from } from 'rxjs';
import type { ObservableInput } from 'rxjs';

/** The first value, at once where it is there; `otherwise` where there is none. */
export function firstOf<T>(answer: ObservableInput<T>, otherwise: T): T | Promise<T> {
  if (Array.isArray(answer)) return answer.length === 0 ? otherwise : (answer[0] as T);
  return firstValueFrom(from(answer), { defaultValue: otherwise });
}
