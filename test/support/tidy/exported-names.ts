// Exported names: declarations that share a name, and the size of the public entries of the package.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parseSource, readText, root, type Source } from './source.js';

/** A name that several files declare and export. */
export interface Clash {
  readonly name: string;
  readonly files: readonly string[];
}

/**
 * Returns the names that more than one of the files declares and exports. Re-exports are no declarations. All generated
 * files count as one: they hold the versions of one API.
 */
export function clashingNames(sources: readonly Source[]): readonly Clash[] {
  const filesByName = new Map<string, Set<string>>();
  for (const source of sources) {
    const file = source.file.includes('.generated.') ? 'generated types' : source.file;
    for (const name of declaredExports(source)) {
      const files = filesByName.get(name) ?? new Set();
      filesByName.set(name, files.add(file));
    }
  }
  return [...filesByName]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => ({ name, files: [...files].sort() }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Returns the number of names that a file exports, declared there or re-exported from files of the repository. */
export function exportedNameCount(file: string): number {
  return exportedNames(file).size;
}

function exportedNames(file: string): ReadonlySet<string> {
  const source = parseSource(file, readText(file));
  const names = new Set(declaredExports(source));
  for (const statement of source.tree.statements) {
    if (!ts.isExportDeclaration(statement)) continue;
    const { exportClause, moduleSpecifier } = statement;
    if (exportClause === undefined) {
      if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) continue;
      const target = join(file, '..', moduleSpecifier.text.replace(/\.js$/, '.ts'));
      if (existsSync(join(root, target))) for (const name of exportedNames(target)) names.add(name);
    } else if (ts.isNamespaceExport(exportClause)) names.add(exportClause.name.text);
    else for (const { name } of exportClause.elements) names.add(name.text);
  }
  return names;
}

/** Returns the names that the file itself declares with the modifier `export`. */
export function declaredExports({ tree }: Source): readonly string[] {
  return tree.statements.flatMap((statement) => {
    if (!ts.canHaveModifiers(statement)) return [];
    const isExported = ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
    if (!isExported) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
    const isNamed =
      ts.isFunctionDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement);
    return isNamed && statement.name !== undefined ? [statement.name.text] : [];
  });
}
