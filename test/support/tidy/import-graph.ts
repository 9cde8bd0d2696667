// Which files of the repository import which, by their relative import paths.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { readText, root } from './source.js';

/** Returns every file that `roots` import, directly or not, or start as a worker by `new URL('./file.js', …)`. */
export function reachableFrom(roots: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const target of importsOf(file)) visit(target);
  };
  for (const each of roots) visit(each);
  return reached;
}

function importsOf(file: string): readonly string[] {
  const text = readText(file);
  const imported = ts.preProcessFile(text, true, false).importedFiles.map(({ fileName }) => fileName);
  const workers = Array.from(text.matchAll(/new URL\('(\.[^']+)'/g), ([, path = '']) => path);
  return [...imported, ...workers]
    .filter((path) => path.startsWith('.'))
    .map((path) => join(file, '..', path.replace(/\.js$/, '.ts')))
    .filter((path) => existsSync(join(root, path)));
}
