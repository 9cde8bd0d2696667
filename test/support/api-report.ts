// The public surface as text: one report per entry of `exports` in package.json, each exported name with its
// declaration, without bodies and comments. The reports are in api/; `npm run api-report` writes them and
// test/entries.ts compares them, so that a change of the public surface shows in review. Works on syntax trees: an
// exported declaration states its types.
import { join } from 'node:path';
import ts from 'typescript';

/** One public name of an entry. */
export interface PublicName {
  readonly name: string;
  /** The declaration; members of interfaces and classes have a line each. */
  readonly declaration: string;
  /** The text of its doc comment; empty if it has none. */
  readonly doc: string;
  /** Where it is declared, `file:line`. */
  readonly place: string;
}

/** Reads a file of the repository, by its path from the root. */
export type ReadFile = (file: string) => string;

/** Returns the source file of each entry, by its subpath. The generated types are not an entry of the reports. */
export function reportedEntries(read: ReadFile): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, string | { default: string }> };
  return new Map(
    Object.entries(exports).flatMap(([subpath, entry]) =>
      typeof entry === 'string' || subpath === './types'
        ? []
        : [[subpath, entry.default.replace(/^\.\/dist/, 'lib').replace(/js$/, 'ts')]],
    ),
  );
}

/** Returns the file of an entry's report: `api/core.txt` for `./core`, `api/vivarium.txt` for `.`. */
export function reportFile(subpath: string): string {
  return `api/${subpath === '.' ? 'vivarium' : subpath.slice(2).replaceAll('/', '-')}.txt`;
}

/** Returns the report of an entry: a line of its size, then its names in alphabetical order. */
export function apiReport(subpath: string, names: readonly PublicName[]): string {
  const lines = names.map(({ declaration }) => declaration);
  return `vivarium${subpath.slice(1)}: ${names.length} names\n\n${lines.join('\n')}\n`;
}

/** Returns the names that a source file exports, in alphabetical order. Re-exports are followed to declarations. */
export function publicNames(file: string, read: ReadFile): readonly PublicName[] {
  const exported = new Exports(read);
  return [...exported.of(file)]
    .map(([name, nodes]) => describe(name, nodes))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

type Declarations = ReadonlyMap<string, readonly ts.Node[]>;

/** Finds the declarations behind exported names, parsing each file once. */
class Exports {
  readonly #read: ReadFile;
  readonly #known = new Map<string, Declarations>();

  constructor(read: ReadFile) {
    this.#read = read;
  }

  of(file: string): Declarations {
    const known = this.#known.get(file);
    if (known !== undefined) return known;
    const found = new Map<string, ts.Node[]>();
    this.#known.set(file, found);
    const tree = ts.createSourceFile(file, this.#read(file), ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
    const imports = importsOf(tree);
    const add = (name: string, nodes: readonly ts.Node[]): void => {
      found.set(name, [...(found.get(name) ?? []), ...nodes]);
    };
    for (const statement of tree.statements) {
      if (ts.isExportDeclaration(statement)) this.#addReexports(file, statement, imports, add);
      else for (const [name, node] of exportedDeclarations(statement)) add(name, [node]);
    }
    return found;
  }

  #addReexports(
    file: string,
    { exportClause, moduleSpecifier }: ts.ExportDeclaration,
    imports: ReadonlyMap<string, readonly [string, string]>,
    add: (name: string, nodes: readonly ts.Node[]) => void,
  ): void {
    const source = moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
    if (exportClause === undefined) {
      for (const [name, nodes] of this.of(target(file, source))) add(name, nodes);
      return;
    }
    if (!ts.isNamedExports(exportClause)) return;
    for (const { name, propertyName } of exportClause.elements) {
      const imported = (propertyName ?? name).text;
      const [from, original] = source === '' ? (imports.get(imported) ?? ['', '']) : [source, imported];
      add(name.text, (from.startsWith('.') ? this.of(target(file, from)).get(original) : undefined) ?? []);
    }
  }
}

function target(file: string, specifier: string): string {
  return join(file, '..', specifier.replace(/\.js$/, '.ts'));
}

/** The imported names of a file: module and original name. */
function importsOf(tree: ts.SourceFile): ReadonlyMap<string, readonly [string, string]> {
  const found = new Map<string, readonly [string, string]>();
  for (const statement of tree.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    for (const { name, propertyName } of bindings.elements)
      found.set(name.text, [statement.moduleSpecifier.text, (propertyName ?? name).text]);
  }
  return found;
}

function exportedDeclarations(statement: ts.Statement): readonly (readonly [string, ts.Node])[] {
  if (!ts.canHaveModifiers(statement)) return [];
  if (ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap((each) =>
      ts.isIdentifier(each.name) ? [[each.name.text, each] as const] : [],
    );
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [[statement.name.text, statement]] : [];
}

function describe(name: string, nodes: readonly ts.Node[]): PublicName {
  const [first] = nodes;
  if (first === undefined) return { name, declaration: `${name} (of another package)`, doc: ' ', place: '' };
  const file = first.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(first.getStart());
  // Of overloads the signatures count, not the implementation.
  const overloads = nodes.filter((node) => !(ts.isFunctionDeclaration(node) && node.body !== undefined));
  const declarations = (overloads.length > 0 ? overloads : nodes).map((node) => declarationText(name, node));
  return {
    name,
    declaration: declarations.join('; '),
    doc: nodes.map(docText).find((text) => text !== '') ?? '',
    place: `${file.fileName}:${line + 1}`,
  };
}

function docText(node: ts.Node): string {
  const documented = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return ts
    .getJSDocCommentsAndTags(documented)
    .filter(ts.isJSDoc)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ')
    .trim();
}

function declarationText(name: string, node: ts.Node): string {
  if (ts.isVariableDeclaration(node)) {
    const text = node.type === undefined ? '' : `: ${oneLine(node.type)}`;
    return `const ${name}${text}`;
  }
  if (ts.isFunctionDeclaration(node)) return `function ${signature(node)}`;
  if (ts.isClassDeclaration(node)) {
    return block(
      `class ${name}${typeParameters(node)}${heritage(node)}`,
      node.members.filter(isVisible).map(memberText),
    );
  }
  if (ts.isInterfaceDeclaration(node))
    return block(`interface ${name}${typeParameters(node)}${heritage(node)}`, node.members.map(oneLine));
  return oneLine(node).replace(/^export (.*);$/, '$1');
}

function heritage({
  heritageClauses = [],
}: {
  readonly heritageClauses?: Iterable<ts.HeritageClause> | undefined;
}): string {
  return [...heritageClauses].map((clause) => ` ${oneLine(clause).trim()}`).join('');
}

/** A line for each member, so that a change of one shows as a change of one line. */
function block(head: string, members: readonly string[]): string {
  return [`${head} {`, ...members.map((member) => `  ${member.replace(/;$/, '')}`), '}'].join('\n');
}

function isVisible(member: ts.ClassElement): boolean {
  if (member.name !== undefined && ts.isPrivateIdentifier(member.name)) return false;
  const hidden = [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.OverrideKeyword];
  return !(ts.canHaveModifiers(member) && ts.getModifiers(member)?.some(({ kind }) => hidden.includes(kind)) === true);
}

function memberText(member: ts.ClassElement): string {
  if (ts.isPropertyDeclaration(member))
    return `${modifiers(member)}${member.name.getText()}${member.type === undefined ? '' : `: ${oneLine(member.type)}`}`;
  if (ts.isConstructorDeclaration(member)) return `constructor${parameters(member)}`;
  if (ts.isGetAccessorDeclaration(member))
    return `${modifiers(member)}get ${member.name.getText()}: ${member.type === undefined ? '' : oneLine(member.type)}`;
  return ts.isMethodDeclaration(member) ? `${modifiers(member)}${signature(member)}` : oneLine(member);
}

function modifiers(node: ts.ClassElement): string {
  const found = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  return found
    .filter(({ kind }) => kind !== ts.SyntaxKind.AsyncKeyword)
    .map((modifier) => `${modifier.getText()} `)
    .join('');
}

function signature(node: ts.FunctionDeclaration | ts.MethodDeclaration): string {
  const result = node.type === undefined ? '' : `: ${oneLine(node.type)}`;
  return `${node.name?.getText() ?? ''}${typeParameters(node)}${parameters(node)}${result}`;
}

function typeParameters({
  typeParameters: found,
}: {
  readonly typeParameters?: Iterable<ts.TypeParameterDeclaration> | undefined;
}): string {
  return found === undefined ? '' : `<${[...found].map(oneLine).join(', ')}>`;
}

/** Parameters by name and type; one that is a pattern is `options`, one with a default is optional. */
function parameters({ parameters: found }: ts.SignatureDeclaration): string {
  const texts = found.map(({ name, type, dotDotDotToken, questionToken, initializer }) => {
    const label = ts.isIdentifier(name) ? name.text : 'options';
    const isOptional = questionToken !== undefined || initializer !== undefined;
    const typeText = type === undefined ? literalType(initializer) : oneLine(type);
    return `${dotDotDotToken === undefined ? '' : '...'}${label}${isOptional ? '?' : ''}: ${typeText}`;
  });
  return `(${texts.join(', ')})`;
}

function literalType(initializer: ts.Expression | undefined): string {
  if (initializer === undefined) return 'unknown';
  if (ts.isStringLiteral(initializer)) return 'string';
  if (ts.isNumericLiteral(initializer)) return 'number';
  const isBoolean = [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword].includes(initializer.kind);
  return isBoolean ? 'boolean' : `typeof ${oneLine(initializer)}`;
}

const printer = ts.createPrinter({ removeComments: true });

function oneLine(node: ts.Node): string {
  return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/\s+/g, ' ');
}
