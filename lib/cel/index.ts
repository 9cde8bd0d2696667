// CEL, the expression language of Kubernetes: what other folders may import.
export type {
  CelType,
  FieldDeclaration,
  ListType,
  MapType,
  ObjectType,
  OpaqueType,
  SimpleType,
  TypeParameter,
  TypeType,
} from './cel-type.js';
export {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  errorType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  optionalType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from './cel-type.js';
export type { CelValue } from './cel-value.js';
export {
  Double,
  Duration,
  FieldsValue,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  double,
  int,
} from './cel-value.js';
export { printType, typeName } from './check/type-names.js';
export { literalType } from './check/literal-type.js';
export { createEnvironment } from './compile.js';
export type {
  Compilation,
  CompiledExpression,
  Environment,
  EnvironmentOptions,
  Evaluation,
  EvaluationOptions,
  Issue,
  Variables,
} from './environment.js';
export type { Expression } from './expression.js';
export type {
  CallEstimate,
  CallFacts,
  EstimateRange,
  FunctionDeclaration,
  Library,
  Overload,
  ValueEstimate,
} from './library.js';
export { EvaluationError } from './library.js';
export type { ExpressionMaker, MacroDeclaration } from './macro.js';
export { MacroError } from './macro.js';
export { standardLibrary, twoVariableLibrary } from './standard/library.js';
export { optionalLibrary } from './standard/optionals.js';
export { equalValues } from './values/equality.js';
export { KeyedMap, MapBuilder } from './values/keyed-map.js';
export { elementAt, elementsOf, isList, sizeOf } from './values/lists.js';
export { isMap, mapGet, mapKeys, mapSize } from './values/maps.js';
export { parseTimestamp, printTimestamp } from './values/time.js';
export { AccessDecisions, evaluateWithDecisions } from './libraries/access-decisions.js';
export type { AccessCheck, AccessDecision, DecideAccess } from './libraries/authorizer.js';
export { authorizerType, authorizerValue, requestResourceValue, resourceCheckType } from './libraries/authorizer.js';
export type { ExpressionAge } from './libraries/environments.js';
export { admissionEnvironment, baseEnvironment, mutationEnvironment } from './libraries/environments.js';
export { schemaExpressionCheck } from './rules/rule-check.js';
export { ruleCompiler } from './rules/rule-validator.js';
export type { DeviceValue } from './devices.js';
export { DeviceDomains, deviceExpressionCheck, deviceSelectors } from './devices.js';
export { quantityValue } from './libraries/quantities.js';
export { semverValue } from './libraries/semver.js';
