// Words that comments and documents do without: parts and data are their subject, not people, and a function returns,
// an observable emits, a handler logs. CONTRIBUTING.md has the rules of the language.
import ts from 'typescript';
import { visitNodes, type Source } from './source.js';

/** The words. */
export const dialect = /\b(?:nobody|somebody|whoever|everybody|told|tells)\b/i;

/** Returns the lines of a file that are comments or parts of them, as `file:line: text`. */
export function commentLines(source: Source): readonly string[] {
  const { file, tree } = source;
  const literalEnds = literals(source);
  const found: string[] = [];
  for (let at = 0; at < tree.text.length; at++) {
    const end = literalEnds.get(at) ?? commentEnd(tree.text, at);
    if (end === undefined) continue;
    if (!literalEnds.has(at)) {
      const { line } = tree.getLineAndCharacterOfPosition(at);
      for (const [index, text] of tree.text.slice(at, end).split('\n').entries())
        found.push(`${file}:${line + index + 1}: ${text}`);
    }
    at = end - 1;
  }
  return found;
}

/** Returns the names and assertion messages of the tests in a file, as `file:line: text`. */
export function testTexts({ file, tree }: Source): readonly string[] {
  const found: string[] = [];
  visitNodes({ file, tree }, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const first = firstTexts.get(node.expression.name.text) ?? 2;
    for (const text of node.arguments.slice(first)) {
      const isText = ts.isStringLiteralLike(text) || ts.isTemplateExpression(text);
      // A single word is data, such as the name of a user.
      if (!isText || !text.getText(tree).includes(' ')) continue;
      const { line } = tree.getLineAndCharacterOfPosition(text.getStart(tree));
      found.push(`${file}:${line + 1}: ${text.getText(tree)}`);
    }
  });
  return found;
}

/** The position of the name or message among the arguments; of other assertions it is the third. */
const firstTexts: ReadonlyMap<string, number> = new Map([
  ['test', 0],
  ['pass', 0],
  ['fail', 0],
  ['ok', 1],
  ['notOk', 1],
]);

/** The texts in which slashes do not begin a comment: ends by starts. */
function literals(source: Source): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  visitNodes(source, (node) => {
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isRegularExpressionLiteral(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node);
    if (isText) ends.set(node.getStart(source.tree), node.end);
  });
  return ends;
}

function commentEnd(text: string, at: number): number | undefined {
  if (text[at] !== '/') return undefined;
  const end = text[at + 1] === '/' ? text.indexOf('\n', at) : text[at + 1] === '*' ? text.indexOf('*/', at) + 2 : 0;
  return end === 0 ? undefined : end < 0 ? text.length : end;
}
