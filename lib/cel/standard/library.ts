// The standard declarations of CEL as libraries: the language itself, and the loops over two variables.
import type { CelType } from '../cel-type.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  timestampType,
  uintType,
} from '../cel-type.js';
import { TypeValue } from '../cel-value.js';
import { bareType } from '../check/type-names.js';
import type { Library } from '../library.js';
import { conversions } from './conversions.js';
import { functions } from './functions.js';
import { standardMacros, twoVariableMacros } from './macros.js';
import { operators } from './operators.js';
import { timeFunctions } from './time-functions.js';

const typeNames: readonly (readonly [string, CelType])[] = [
  ['bool', boolType],
  ['bytes', bytesType],
  ['double', doubleType],
  ['int', intType],
  ['list', listType(dynType)],
  ['map', mapType(dynType, dynType)],
  ['null_type', nullType],
  ['string', stringType],
  ['uint', uintType],
  ['google.protobuf.Timestamp', timestampType],
  ['google.protobuf.Duration', durationType],
  ['type', { kind: 'type', of: bareType }],
];

/** The operators, functions, types and macros of the language. */
export const standardLibrary: Library = {
  name: 'standard',
  functions: [...operators, ...functions, ...conversions, ...timeFunctions],
  macros: standardMacros,
  constants: Object.fromEntries(
    typeNames.map(([name, type]) => [name, { type: { kind: 'type', of: type }, value: new TypeValue(type) }]),
  ),
};

/** The loops over two variables. */
export const twoVariableLibrary: Library = { name: 'two-variable-comprehensions', macros: twoVariableMacros };
