// Recognises state at module level: what one user of the package does would reach another through it.
import ts from 'typescript';

/**
 * True for the name of a module-level variable or static member that can change: `let`, a collection without a readonly
 * type, an instance of a class other than `immutableClasses`.
 */
export function isModuleState(node: ts.Node): boolean {
  if (!ts.isIdentifier(node)) return false;
  const { parent } = node;
  if (ts.isPropertyDeclaration(parent)) return parent.name === node && isStaticState(parent);
  if (!ts.isVariableDeclaration(parent) || parent.name !== node) return false;
  const list = parent.parent;
  if (!ts.isVariableDeclarationList(list) || !ts.isVariableStatement(list.parent)) return false;
  if (!ts.isSourceFile(list.parent.parent)) return false;
  return (list.flags & ts.NodeFlags.Const) === 0 || isChangeable(parent);
}

/** Built-in classes whose instances have no state of their own, or none that a module would share by accident. */
const immutableClasses = ['Error', 'RegExp', 'TextDecoder', 'TextEncoder', 'URL', 'Date', 'DataView'];

const collections = ['Map', 'Set', 'WeakMap', 'WeakSet', 'Array'];

function isStaticState(property: ts.PropertyDeclaration): boolean {
  const modifiers = property.modifiers?.map(({ kind }) => kind) ?? [];
  if (!modifiers.includes(ts.SyntaxKind.StaticKeyword)) return false;
  return !modifiers.includes(ts.SyntaxKind.ReadonlyKeyword) || isChangeable(property);
}

function isChangeable({ initializer, type }: ts.VariableDeclaration | ts.PropertyDeclaration): boolean {
  if (initializer === undefined) return false;
  if (ts.isArrayLiteralExpression(initializer)) return initializer.elements.length === 0 && isMutableType(type);
  if (!ts.isNewExpression(initializer)) return false;
  const { expression } = initializer;
  const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
  if (['Map', 'Set'].includes(name)) return isMutableType(type);
  return !immutableClasses.includes(name) && !/^(Big)?(Ui|I)nt\d+(Clamped)?Array$|Format$|Error$/.test(name);
}

/** True without a type, and for one that names a mutable collection. Other names are trusted to be readonly. */
function isMutableType(type: ts.TypeNode | undefined): boolean {
  if (type === undefined) return true;
  if (ts.isArrayTypeNode(type)) return true;
  return ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName) && collections.includes(type.typeName.text);
}
