// What validating and mutating admission policies, and their bindings, have in common: parameters, variables and
// tables. As pkg/apis/admissionregistration/validation/validation.go and pkg/printers/internalversion/printers.go.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1035Label, isDns1123Subdomain, isPathSegment, nameIsDnsSubdomain } from '../../objects/names.js';
import { printStructuredSelector } from '../../objects/structured-selector.js';
import type { ParamKind, ParamRef, Variable } from '../../types/admissionregistration-v1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import { printedWord } from '../printed-values.js';
import { isBlank } from '../../go/trim-space.js';

/** The kind of a policy's parameters. */
export function validateParamKind(
  { apiVersion = '', kind = '' }: Frozen<ParamKind>,
  path: FieldPath,
): readonly FieldError[] {
  const errors = [...validateApiVersion(apiVersion, path.child('apiVersion'))];
  if (kind === '') return [...errors, fieldRequired(path.child('kind'))];
  const wrong = isDns1035Label(kind.toLowerCase());
  if (wrong.length > 0)
    errors.push(
      fieldInvalid(path.child('kind'), kind, `may have mixed case, but should otherwise match: ${wrong.join(',')}`),
    );
  return errors;
}

/** Where a binding takes parameters from; an absent reference names none. */
export function validateParamRef(reference: Frozen<ParamRef> | undefined, path: FieldPath): readonly FieldError[] {
  if (reference === undefined) return [];
  const { name = '', selector, parameterNotFoundAction: action = '' } = reference;
  const exclusive = 'name and selector are mutually exclusive';
  const errors = isPathSegment(name).map((wrong) => fieldInvalid(path.child('name'), name, wrong));
  if (name !== '' && selector !== undefined) errors.push(fieldForbidden(path.child('name'), exclusive));
  errors.push(...validateLabelSelector(selector, path.child('selector')));
  if (name !== '' && selector !== undefined) errors.push(fieldForbidden(path.child('selector'), exclusive));
  if (name === '' && selector === undefined)
    errors.push(fieldRequired(path, 'one of name or selector must be specified'));
  if (action === '') errors.push(fieldRequired(path.child('parameterNotFoundAction')));
  else if (!notFoundActions.includes(action)) {
    errors.push(fieldNotSupported(path.child('parameterNotFoundAction'), printedWord(action), notFoundActions));
  }
  return errors;
}

/** The policy a binding binds. */
export function validatePolicyName(name: string | undefined, path: FieldPath): readonly FieldError[] {
  if (name === undefined || name === '') return [fieldRequired(path)];
  return nameIsDnsSubdomain(name, false).map((wrong) => fieldInvalid(path, name, wrong));
}

/** What the expressions of a policy may refer to, and how they are checked. */
export interface PolicyScope {
  readonly check: ExpressionCheck;
  readonly hasParams: boolean;
  readonly variables: readonly Frozen<Variable>[];
}

/** The variables, each of which may use those before it. */
export function validateVariables(
  path: FieldPath,
  scope: PolicyScope,
  stored: ReadonlySet<string>,
): readonly FieldError[] {
  const { check, hasParams, variables } = scope;
  return collect(variables, ({ name, expression }, index) => {
    const at = path.index(index);
    const errors: FieldError[] = [];
    if (isBlank(name)) errors.push(fieldRequired(at.child('name'), 'name is not specified'));
    else if (!isCelIdentifier(name))
      errors.push(fieldInvalid(at.child('name'), name, 'must be a valid CEL identifier'));
    if (isBlank(expression)) return [...errors, fieldRequired(at.child('expression'), 'expression is not specified')];
    const earlier = variables.slice(0, index);
    const place = { path: at.child('expression'), stored: stored.has(expression) };
    return [
      ...errors,
      ...check({ kind: 'admission', use: 'variable', expression, hasParams, variables: earlier, ...place }),
    ];
  });
}

/** The cell of a policy's parameters. */
export function paramKindCell(kind: Frozen<ParamKind> | undefined): string {
  return kind === undefined ? '<unset>' : `${kind.apiVersion ?? ''}/${kind.kind ?? ''}`;
}

/** The cell of a binding's parameters. */
export function paramRefCell(reference: Frozen<ParamRef> | undefined): string {
  const { name = '', namespace = '*', selector } = reference ?? {};
  if (name !== '') return `${namespace}/${name}`;
  return selector === undefined ? '<unset>' : printStructuredSelector(selector);
}

const notFoundActions = ['Deny', 'Allow'];

function validateApiVersion(apiVersion: string, path: FieldPath): readonly FieldError[] {
  if (apiVersion === '') return [fieldRequired(path)];
  const parts = apiVersion.split('/', 3);
  if (parts.length > 2) return [fieldInvalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [version = '', group = ''] = parts.reverse();
  const errors: FieldError[] = [];
  const wrongGroup = group === '' ? [] : isDns1123Subdomain(group);
  if (wrongGroup.length > 0) errors.push(fieldInvalid(path, group, wrongGroup.join(',')));
  const wrongVersion = version === '' ? [] : isDns1035Label(version);
  if (version === '') errors.push(fieldInvalid(path, apiVersion, 'version must be specified'));
  else if (wrongVersion.length > 0) errors.push(fieldInvalid(path, version, wrongVersion.join(',')));
  return errors;
}

/** As the grammar of CEL. */
function isCelIdentifier(name: string): boolean {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name);
}

const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
