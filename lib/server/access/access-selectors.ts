// The selectors of a request, parsed for authorizers. Serving the request parses them again: a request that is not
// allowed is refused before an invalid selector is reported, and an invalid selector narrows nothing. As
// apiserver/pkg/endpoints/filters/authorization.go, GetAuthorizerAttributes.
import type { AccessSelectors } from '../../auth/index.js';
import type { SelectorTexts } from '../../core/index.js';
import { isParseError, parseFieldSelector, parseLabelSelector } from '../../core/index.js';

/** Verbs to which selectors apply. */
export const selectingVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** Parses selectors; undefined where they select everything. Selectors that do not parse are reported in `problem`. */
export function readSelectors({ fieldSelector = '', labelSelector = '' }: SelectorTexts): AccessSelectors | undefined {
  if (fieldSelector === '' && labelSelector === '') return undefined;
  const field = tryParse(parseFieldSelector, fieldSelector);
  const label = tryParse(parseLabelSelector, labelSelector);
  const problems = [field, label].flatMap((each) => ('problem' in each ? each.problem : []));
  const selectors: AccessSelectors = {
    ...('requirements' in field && field.requirements.length > 0 && { field }),
    ...('requirements' in label && label.requirements.length > 0 && { label }),
    ...(problems.length > 0 && { problem: problems.join('; ') }),
  };
  return Object.keys(selectors).length === 0 ? undefined : selectors;
}

function tryParse<T>(parse: (text: string) => T, text: string): T | { readonly problem: string } {
  try {
    return parse(text);
  } catch (error) {
    if (isParseError(error)) return { problem: error.message };
    throw error;
  }
}
