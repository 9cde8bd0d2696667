// The public surface of `vivarium/cel`: environments of declarations, and expressions that are compiled and evaluated
// in them within a budget.
export type { CelType, FieldDeclaration, ObjectType } from './cel-type.js';
export {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  optionalType,
  stringType,
  timestampType,
  uintType,
} from './cel-type.js';
export type { CelValue } from './cel-value.js';
export {
  FieldsValue,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from './cel-value.js';
export { createEnvironment } from './compile.js';
export type { Compilation, CompiledExpression, Environment, EnvironmentOptions, Evaluation } from './environment.js';
export type { FunctionDeclaration, Library, Overload } from './library.js';
export { EvaluationError } from './library.js';
export { standardLibrary, twoVariableLibrary } from './standard/library.js';
export { optionalLibrary } from './standard/optionals.js';
