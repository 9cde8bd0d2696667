// The text of an expression, and issues as Kubernetes prints them: position, line and a marker below the place.
import type { Issue } from '../environment.js';

/** Collects the issues of one text. Places are UTF-16 units; columns count code points from 1. */
export class Source {
  readonly text: string;
  readonly #issues: (Issue & { readonly at: number })[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** Returns whether an issue was reported. */
  get isBroken(): boolean {
    return this.#issues.length > 0;
  }

  /** Reports an issue at a place. */
  report(at: number, message: string): void {
    const before = this.text.slice(0, at);
    const lineStart = before.lastIndexOf('\n') + 1;
    // The reference gives an empty text the column 0.
    const column = this.text === '' ? 0 : codePoints(before.slice(lineStart)) + 1;
    this.#issues.push({ at, line: before.split('\n').length, column, message });
  }

  /** Reports an issue of the expression as a whole. */
  reportWhole(message: string): void {
    this.#issues.push({ at: -1, line: -1, column: 0, message });
  }

  /** Returns the issues by place, each once. */
  issues(): readonly Issue[] {
    const seen = new Set<string>();
    return this.#issues
      .filter(({ line, column, message }) => {
        const key = `${line}:${column}:${message}`;
        return !seen.has(key) && seen.add(key);
      })
      .sort((a, b) => a.line - b.line || a.column - b.column);
  }

  /** Returns all issues as one text, at most 100 of them. */
  message(): string {
    const issues = this.issues();
    const lines = this.text.split('\n');
    const shown = issues.slice(0, issuesMax).map((issue) => printIssue(issue, lines[issue.line - 1] ?? ''));
    const rest = issues.length - shown.length;
    return shown.join('\n') + (rest > 0 ? `\n${rest} more errors not shown` : '');
  }
}

const issuesMax = 100;
const snippetMax = 16_384;

function printIssue({ line, column, message }: Issue, text: string): string {
  const head = `ERROR: <input>:${line}:${column}: ${message}`;
  if (line < 1 || text === '' || text.length > snippetMax) return head;
  const shown = text.replaceAll('\t', ' ');
  // Characters beyond ASCII get a wide dot or caret.
  const characters = Array.from(shown);
  const dots = characters
    .slice(0, column - 1)
    .map((character) => (character.length > 1 || character > '\x7f' ? '．' : '.'))
    .join('');
  const under = characters[column - 1] ?? '';
  return `${head}\n | ${shown}\n | ${dots}${under > '\x7f' ? '＾' : '^'}`;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
