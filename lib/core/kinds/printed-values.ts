// How rejected values look in errors where Kubernetes holds them in other types than plain text and maps: words of a
// closed set print as JSON, not as `%q` does; maps print sorted; selectors print their fields and nothing else.
// For validations of kinds, as the value given to a field error (field-error.ts).
import { setOwn } from '../objects/json.js';
import type { Frozen } from '../objects/meta.js';
import type { LabelSelector } from '../types/meta-v1.generated.js';

/** A text of a type of its own, such as a policy or an operator. */
export function printedWord(text: string): unknown {
  return { toJSON: () => text };
}

/** A map of texts; an absent one prints as `null`. */
export function printedMap(map: Readonly<Record<string, string>> | undefined): unknown {
  if (map === undefined) return null;
  const sorted: Record<string, string> = {};
  for (const key of Object.keys(map).sort()) setOwn(sorted, key, map[key]);
  return sorted;
}

/** A selector of labels; an absent one prints as `null`. */
export function printedSelector(selector: Frozen<LabelSelector> | undefined): unknown {
  if (selector === undefined) return null;
  const { matchLabels, matchExpressions } = selector;
  return {
    ...(matchLabels !== undefined && { matchLabels: printedMap(matchLabels) }),
    ...(matchExpressions !== undefined && {
      matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
        key,
        operator,
        ...(values !== undefined && { values }),
      })),
    }),
  };
}
