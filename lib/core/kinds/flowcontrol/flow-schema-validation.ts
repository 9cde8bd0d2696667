// Validation of a FlowSchema. As pkg/apis/flowcontrol/validation/validation.go, ValidateFlowSchema.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Subdomain, nameIsDnsLabel, nameIsDnsSubdomain } from '../../objects/names.js';
import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from '../../types/flowcontrol-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { Loose } from '../loose.js';
import { printedWord } from '../printed-values.js';
import { validateConditionTypes } from './condition-types.js';
import { printFlowControl } from './internal-form.js';
import { mandatoryFlowSchemas } from './mandatory.js';

type FieldErrors = readonly FieldError[];

/** Validates a FlowSchema. */
export function validateFlowSchema({ metadata, spec, status }: Frozen<FlowSchema>): FieldErrors {
  const name = metadata?.name ?? '';
  const path = fieldPath('spec');
  const mandatory = mandatoryFlowSchemas().get(name);
  return [
    ...validateSpec(spec ?? {}, name, path),
    ...(mandatory === undefined || deepEqual(spec, mandatory)
      ? []
      : [fieldInvalid(path, printFlowControl('FlowSchemaSpec', spec), `spec of '${name}' must equal the fixed value`)]),
    ...validateConditionTypes(status?.conditions ?? [], fieldPath('status', 'conditions')),
  ];
}

const precedenceMax = 10_000;
const methods = ['ByNamespace', 'ByUser'];
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

function validateSpec(spec: Loose<FlowSchemaSpec>, name: string, path: FieldPath): FieldErrors {
  const { distinguisherMethod: method, priorityLevelConfiguration: level, rules = [] } = spec;
  const levelPath = path.child('priorityLevelConfiguration').child('name');
  const levelName = level?.name ?? '';
  return [
    ...validatePrecedence(spec.matchingPrecedence ?? 0, name, path.child('matchingPrecedence')),
    ...(method === undefined || methods.includes(method.type ?? '')
      ? []
      : [
          fieldNotSupported(
            path.child('distinguisherMethod').child('type'),
            printFlowControl('DistinguisherMethod', method),
            methods,
          ),
        ]),
    ...(levelName === ''
      ? [fieldRequired(levelPath, 'must reference a priority level')]
      : invalidEach(levelPath, levelName, isDns1123Subdomain(levelName))),
    ...collect(rules, (rule, index) => validateRules(rule, path.child('rules').index(index))),
  ];
}

function validatePrecedence(value: number, name: string, path: FieldPath): FieldErrors {
  const sentences = [
    ...(value <= 0 ? ['must be a positive value'] : []),
    ...(value > precedenceMax ? [`must not be greater than ${precedenceMax}`] : []),
    ...(value === 1 && name !== 'exempt' ? ["only the schema named 'exempt' may have matchingPrecedence 1"] : []),
  ];
  return invalidEach(path, value, sentences);
}

function validateRules(rules: Loose<PolicyRulesWithSubjects>, path: FieldPath): FieldErrors {
  const { subjects = [], resourceRules = [], nonResourceRules = [] } = rules;
  return [
    ...(subjects.length === 0
      ? [fieldRequired(path.child('subjects'), 'subjects must contain at least one value')]
      : []),
    ...collect(subjects, (subject, index) => validateSubject(subject, path.child('subjects').index(index))),
    ...(resourceRules.length === 0 && nonResourceRules.length === 0
      ? [fieldRequired(path, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...collect(resourceRules, (rule, index) => validateResourceRule(rule, path.child('resourceRules').index(index))),
    ...collect(nonResourceRules, (rule, index) =>
      validateNonResourceRule(rule, path.child('nonResourceRules').index(index)),
    ),
  ];
}

/** Kinds of subjects, in the order in which what does not belong to a kind is complained about. */
const subjectFields = [
  { kind: 'ServiceAccount', field: 'serviceAccount' },
  { kind: 'User', field: 'user' },
  { kind: 'Group', field: 'group' },
] as const;

function validateSubject(subject: Loose<Subject>, path: FieldPath): FieldErrors {
  const own = subjectFields.find(({ kind }) => kind === subject.kind);
  if (own === undefined)
    return [
      fieldNotSupported(path.child('kind'), printedWord(subject.kind ?? ''), ['Group', 'ServiceAccount', 'User']),
    ];
  const at = path.child(own.field);
  const value = subject[own.field];
  return [
    ...(value === undefined
      ? [fieldRequired(at, `${own.field} is required when subject kind is '${own.kind}'`)]
      : validateSubjectName(own.kind, value, at)),
    ...collect(subjectFields, ({ kind, field }) =>
      kind === own.kind || subject[field] === undefined
        ? []
        : [fieldForbidden(path.child(field), `${field} is forbidden when subject kind is not '${kind}'`)],
    ),
  ];
}

function validateSubjectName(
  kind: string,
  { name = '', namespace = '' }: Loose<ServiceAccountSubject>,
  path: FieldPath,
): FieldErrors {
  const missing = name === '' ? [fieldRequired(path.child('name'))] : [];
  if (kind !== 'ServiceAccount') return missing;
  return [
    ...missing,
    ...(name === '' || name === '*' ? [] : invalidEach(path.child('name'), name, nameIsDnsSubdomain(name, false))),
    ...(namespace === ''
      ? [fieldRequired(path.child('namespace'), 'must specify namespace for service account')]
      : invalidEach(path.child('namespace'), namespace, nameIsDnsLabel(namespace, false))),
  ];
}

function validateResourceRule(rule: Loose<ResourcePolicyRule>, path: FieldPath): FieldErrors {
  const { apiGroups = [], resources = [], namespaces = [], clusterScope = false } = rule;
  return [
    ...validateVerbs(rule.verbs ?? [], path.child('verbs')),
    ...validateWildcardList(
      apiGroups,
      path.child('apiGroups'),
      'resource rules must supply at least one api group',
      'api groups',
    ),
    ...validateWildcardList(
      resources,
      path.child('resources'),
      'resource rules must supply at least one resource',
      'resources',
    ),
    ...(clusterScope && namespaces.length === 0 ? [] : validateNamespaces(namespaces, path.child('namespaces'))),
  ];
}

function validateNonResourceRule(
  { verbs: ruleVerbs = [], nonResourceURLs = [] }: Loose<NonResourcePolicyRule>,
  path: FieldPath,
): FieldErrors {
  const at = path.child('nonResourceURLs');
  return [
    ...validateVerbs(ruleVerbs, path.child('verbs')),
    ...validateWildcardList(
      nonResourceURLs,
      at,
      'nonResourceURLs must contain at least one value',
      'non-resource URLs',
    ),
    ...(nonResourceURLs.includes('*')
      ? []
      : collect(nonResourceURLs, (url, index) => validateUrlPath(url, at.index(index)))),
  ];
}

function validateVerbs(given: readonly string[], path: FieldPath): FieldErrors {
  const errors = validateWildcardList(given, path, 'verbs must contain at least one value', 'verbs');
  const known = given.includes('*') || given.every((verb) => verbs.includes(verb));
  return known ? errors : [fieldNotSupported(path, given, verbs)];
}

/** At least one item, and `*` only alone. */
function validateWildcardList(items: readonly string[], path: FieldPath, missing: string, others: string): FieldErrors {
  if (items.length === 0) return [fieldRequired(path, missing)];
  const mixed = items.length > 1 && items.includes('*');
  return mixed ? [fieldInvalid(path, items, `if '*' is present, must not specify other ${others}`)] : [];
}

function validateNamespaces(namespaces: readonly string[], path: FieldPath): FieldErrors {
  const missing = 'resource rules that are not cluster scoped must supply at least one namespace';
  const errors = validateWildcardList(namespaces, path, missing, 'namespaces');
  if (namespaces.includes('*')) return errors;
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  return [
    ...errors,
    ...collect(namespaces, (namespace, index) =>
      invalidEach(
        path.index(index),
        namespace,
        nameIsDnsLabel(namespace, false).map((sentence) => `${intro}${sentence}`),
      ),
    ),
  ];
}

/** As ValidateNonResourceURLPath: a wildcard only as the last segment. */
function validateUrlPath(url: string, path: FieldPath): FieldErrors {
  const sentence = urlProblem(url);
  return sentence === undefined ? [] : [fieldInvalid(path, url, sentence)];
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const wildcard = url.indexOf('*');
  return wildcard < 0 || (wildcard === url.length - 1 && url.endsWith('/*'))
    ? undefined
    : 'wildcard can only do suffix matching';
}
