// Several problems as one text, as Go's aggregates print them (apimachinery/pkg/util/errors): each once, in brackets
// where there are several.

/** The text of them all. */
export function aggregateText(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length > 1 ? `[${distinct.join(', ')}]` : distinct.join('');
}
