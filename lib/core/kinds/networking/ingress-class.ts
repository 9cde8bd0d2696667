// IngressClasses: which controller serves Ingresses, with what parameters.
// As pkg/registry/networking/ingressclass/strategy.go and pkg/apis/networking/validation, ValidateIngressClass.
import { fieldForbidden, fieldNotSupported, fieldRequired, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, isDns1123Subdomain, nameIsDnsLabel, nameIsDnsSubdomain } from '../../objects/names.js';
import { deepEqual } from '../../objects/json.js';
import { validateImmutable } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  IngressClass,
  IngressClassParametersReference,
  IngressClassSpec,
} from '../../types/networking-v1.generated.js';
import { validateDomainPrefixedPath } from '../domain-prefixed-path.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateRequiredSegment } from './required-segment.js';

const table: KindTable<IngressClass> = {
  columns: [
    nameColumn,
    textColumn('Controller', 'Who serves the Ingresses of this class.'),
    textColumn('Parameters', 'The object with further settings.'),
    ageColumn,
  ],
  row: (object, now) => {
    const { metadata, spec } = object;
    const suffix =
      metadata?.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true' ? ' (default)' : '';
    return {
      cells: [
        `${metadata?.name ?? ''}${suffix}`,
        spec?.controller ?? '',
        parameters(spec?.parameters),
        age(object, now),
      ],
    };
  },
};

/** The strategy of IngressClasses. */
export const ingressClass: KindStrategy<IngressClass> = {
  nameRule: nameIsDnsSubdomain,
  changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
  validate: ({ spec = {} }) => validateSpec(spec),
  validateUpdate: ({ spec = {} }, old) => [
    ...validateImmutable(spec.controller ?? '', old.spec?.controller ?? '', fieldPath('spec', 'controller')),
    ...validateSpec(spec),
  ],
  table,
};

const controllerBytesMax = 250;
const scopes = ['Cluster', 'Namespace'];

function validateSpec({ controller = '', parameters }: Frozen<IngressClassSpec>): readonly FieldError[] {
  const path = fieldPath('spec', 'controller');
  return [
    ...(utf8Length(controller) > controllerBytesMax ? [fieldTooLong(path, controllerBytesMax)] : []),
    ...validateDomainPrefixedPath(controller, path),
    ...(parameters === undefined ? [] : validateParameters(parameters, fieldPath('spec', 'parameters'))),
  ];
}

function validateParameters(
  reference: Frozen<IngressClassParametersReference>,
  path: FieldPath,
): readonly FieldError[] {
  const { apiGroup, kind, name, scope = '' } = reference;
  return [
    ...(apiGroup === undefined ? [] : invalidEach(path.child('apiGroup'), apiGroup, isDns1123Subdomain(apiGroup))),
    ...validateRequiredSegment(kind, path.child('kind')),
    ...validateRequiredSegment(name, path.child('name')),
    ...(scopes.includes(scope)
      ? validateNamespace(reference, path.child('namespace'))
      : [fieldNotSupported(path.child('scope'), scope, scopes)]),
  ];
}

function validateNamespace(
  { scope, namespace }: Frozen<IngressClassParametersReference>,
  path: FieldPath,
): readonly FieldError[] {
  if (scope === 'Cluster')
    return namespace === undefined ? [] : [fieldForbidden(path, "`parameters.scope` is set to 'Cluster'")];
  if (namespace === undefined) return [fieldRequired(path, "`parameters.scope` is set to 'Namespace'")];
  return invalidEach(path, namespace, nameIsDnsLabel(namespace, false));
}

function parameters(reference: Frozen<IngressClassParametersReference> | undefined): string {
  if (reference === undefined) return '<none>';
  const { apiGroup, kind, name } = reference;
  return apiGroup === undefined ? `${kind}/${name}` : `${kind}.${apiGroup}/${name}`;
}
