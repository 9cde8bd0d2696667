// The environments of Kubernetes v1.36: which libraries the expressions of each use may call. A new expression may use
// what the previous release understood, so that a rollback does not break it; a stored one everything. All libraries
// of v1.36 came with 1.34 or earlier, so both sets are the same in this release.
import { createEnvironment } from '../compile.js';
import type { Environment } from '../environment.js';
import type { Library } from '../library.js';
import { standardLibrary, twoVariableLibrary } from '../standard/library.js';
import { optionalLibrary } from '../standard/optionals.js';
import { authorizerLibrary, authorizerSelectorsLibrary } from './authorizer.js';
import { cidrLibrary } from './cidr.js';
import { extendedListsLibrary } from './extended-lists.js';
import { formatsLibrary } from './formats.js';
import { ipLibrary } from './ip.js';
import { jsonPatchLibrary } from './json-patch.js';
import { listsLibrary } from './lists.js';
import { quantityLibrary } from './quantities.js';
import { regexLibrary } from './regex.js';
import { semverLibrary } from './semver.js';
import { setsLibrary } from './sets.js';
import { stringsLibrary } from './strings.js';
import { urlsLibrary } from './urls.js';

/** Who wrote the expression: the request, or an earlier one whose object is stored. */
export type ExpressionAge = 'new' | 'stored';

/** The libraries of every use. */
const baseLibraries: readonly Library[] = [
  standardLibrary,
  optionalLibrary,
  twoVariableLibrary,
  stringsLibrary,
  setsLibrary,
  listsLibrary,
  extendedListsLibrary,
  regexLibrary,
  urlsLibrary,
  quantityLibrary,
  ipLibrary,
  cidrLibrary,
  formatsLibrary,
  semverLibrary,
];

/** Returns the environment of validation rules, authentication, authorization and device selectors. */
export function baseEnvironment(_age: ExpressionAge = 'stored'): Environment {
  return createEnvironment({ libraries: baseLibraries, variables: {} });
}

/** Returns the environment of admission: match conditions and validating policies, which may check access. */
export function admissionEnvironment(age: ExpressionAge = 'stored'): Environment {
  return baseEnvironment(age).extend({ libraries: [authorizerLibrary, authorizerSelectorsLibrary] });
}

/** Returns the environment of mutating policies, which also write patches. */
export function mutationEnvironment(age: ExpressionAge = 'stored'): Environment {
  return admissionEnvironment(age).extend({ libraries: [jsonPatchLibrary] });
}
