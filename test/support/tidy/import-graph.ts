// The import graph of the repository, by relative import paths.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { declaredExports } from './exported-names.js';
import { readText, root, type Source } from './source.js';

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

/**
 * Returns the files of `sources` that have at most `linesMax` lines and one importer, as `file <- importer`. Index
 * files and public entries pass names on: a file that imports a name from one of them counts as an importer of the
 * file that declares it.
 */
export function smallFilesWithOneImporter(sources: readonly Source[], linesMax: number): readonly string[] {
  const known = new Set(sources.map(({ file }) => file));
  const declaringFile = new Map<string, string>();
  for (const source of sources) for (const name of declaredExports(source)) declaringFile.set(name, source.file);
  const importers = new Map<string, Set<string>>(sources.map(({ file }) => [file, new Set()]));
  for (const { file, tree } of sources) {
    if (isEntry(file)) continue;
    for (const statement of tree.statements) {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
      const target = join(file, '..', statement.moduleSpecifier.text.replace(/\.js$/, '.ts'));
      if (!known.has(target)) continue;
      const bindings = statement.importClause?.namedBindings;
      const names = bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : [];
      for (const { name, propertyName } of names) {
        const declared = isEntry(target) ? declaringFile.get((propertyName ?? name).text) : target;
        if (declared !== undefined && declared !== file) importers.get(declared)?.add(file);
      }
    }
  }
  return sources
    .filter(({ file, tree }) => !isEntry(file) && tree.text.split('\n').length - 1 <= linesMax)
    .flatMap(({ file }) => {
      const [importer, ...others] = importers.get(file) ?? [];
      return importer === undefined || others.length > 0 ? [] : [`${file} <- ${importer}`];
    });
}

function isEntry(file: string): boolean {
  return /\/(?:index|public)\.ts$/.test(file);
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
