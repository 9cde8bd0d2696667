// One source file as a syntax tree, and what the rules of test/tidy.ts report about it.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** The root of the repository; every path in a finding is relative to it. */
export const root = join(import.meta.dirname, '../../..');

/** A parsed file. Nodes know their parents. */
export interface Source {
  readonly file: string;
  readonly tree: ts.SourceFile;
}

/** One violation: the line on which the node starts. `toString()` returns `file:line: code`. */
export class Finding {
  readonly file: string;
  readonly line: number;
  readonly code: string;

  constructor({ file, tree }: Source, node: ts.Node) {
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
    this.file = file;
    this.line = line + 1;
    this.code = tree.text.split('\n')[line]?.trim() ?? '';
  }

  toString(): string {
    return `${this.file}:${this.line}: ${this.code}`;
  }
}

/** Returns the paths of all TypeScript files below `folder`, sorted. */
export function typescriptFiles(folder: string): readonly string[] {
  return filesBelow(folder, '.ts');
}

/** Returns the paths of all files below `folder` whose names end in `ending`, sorted. */
export function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** Returns the text of a file of the repository. */
export function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Parses `text` as the contents of `file`. */
export function parseSource(file: string, text: string): Source {
  return { file, tree: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS) };
}

/** Calls `visit` for every node of `source`, in the order of the text. */
export function visitNodes(source: Source, visit: (node: ts.Node) => void): void {
  const walk = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, walk);
  };
  walk(source.tree);
}

/** Returns a finding for every node of `source` that `matches` accepts. */
export function findNodes(source: Source, matches: (node: ts.Node) => boolean): readonly Finding[] {
  const found: Finding[] = [];
  visitNodes(source, (node) => {
    if (matches(node)) found.push(new Finding(source, node));
  });
  return found;
}
