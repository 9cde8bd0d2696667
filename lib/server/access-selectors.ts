// The selectors of a request as authorizers see them. They are read a second time when the request is served: who may
// not list is told so whatever the selector says, and a selector that makes no sense narrows nothing. As
// apiserver/pkg/endpoints/filters/authorization.go, GetAuthorizerAttributes.
import type { AccessSelectors } from '../auth/index.js';
import type { SelectorTexts } from '../client/index.js';
import { isParseError, parseFieldSelector, parseLabelSelector } from '../core/index.js';

/** The verbs that heed selectors. */
export const selectingVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** Reads selectors; undefined where they ask for everything. */
export function readSelectors({ fieldSelector = '', labelSelector = '' }: SelectorTexts): AccessSelectors | undefined {
  if (fieldSelector === '' && labelSelector === '') return undefined;
  const field = parsed(parseFieldSelector, fieldSelector);
  const label = parsed(parseLabelSelector, labelSelector);
  const problems = [field, label].flatMap((each) => ('problem' in each ? each.problem : []));
  const selectors: AccessSelectors = {
    ...('requirements' in field && field.requirements.length > 0 && { field }),
    ...('requirements' in label && label.requirements.length > 0 && { label }),
    ...(problems.length > 0 && { problem: problems.join('; ') }),
  };
  return Object.keys(selectors).length === 0 ? undefined : selectors;
}

function parsed<T>(parse: (text: string) => T, text: string): T | { readonly problem: string } {
  try {
    return parse(text);
  } catch (error) {
    if (isParseError(error)) return { problem: error.message };
    throw error;
  }
}
