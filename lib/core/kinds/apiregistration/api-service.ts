// APIServices: who serves a version of an API group, this server itself or another one behind a Service.
// As kube-aggregator/pkg/registry/apiservice/{strategy.go,etcd/etcd.go} and pkg/apis/apiregistration/validation.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import { decodeBase64 } from '../../go/base64.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1035Label, isDns1123Subdomain, isPathSegment, isPortNumber } from '../../objects/names.js';
import { printTime } from '../../objects/time.js';
import type {
  APIService,
  APIServiceCondition,
  APIServiceSpec,
  APIServiceStatus,
  ServiceReference,
} from '../../types/apiregistration-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import { printedWord } from '../printed-values.js';
import { keepMetadata } from '../status-metadata.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';

const table: KindTable<APIService> = {
  columns: [
    nameColumn,
    textColumn('Service', 'Who serves it.'),
    textColumn('Available', 'Whether it is served now.'),
    ageColumn,
  ],
  row: (object, now) => {
    const { metadata, spec, status } = object;
    const service =
      spec?.service === undefined ? 'Local' : `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}`;
    return { cells: [metadata?.name ?? '', service, availability(status), age(object, now)] };
  },
};

/** The strategy of APIServices. */
export const apiService: KindStrategy<APIService> = {
  nameRule: (name) => isPathSegment(name),
  prepareForCreate: (object, { now }) => {
    if (object.spec?.service === undefined) object.status = { conditions: [localApiServiceCondition(now)] };
  },
  validate,
  validateUpdate: validate,
  requiresResourceVersion: true,
  subresources: {
    status: {
      prepareForUpdate: keepMetadata,
      validateUpdate: ({ status }) => validateConditions(status, fieldPath('status', 'conditions')),
    },
  },
  table,
};

/** What this server says of the versions it serves itself. */
export function localApiServiceCondition(now: number): APIServiceCondition {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: printTime(now),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

const statuses = ['True', 'False', 'Unknown'];
const groupPriorityMax = 20_000;
const versionPriorityMax = 1000;

function validate({ metadata = {}, spec = noSpec }: Frozen<APIService>): readonly FieldError[] {
  const { group = '', version = '', groupPriorityMinimum, versionPriority, service } = spec;
  const path = fieldPath('spec');
  const { name = '', generateName = '' } = metadata;
  const required = `${version}.${group}`;
  return [
    ...validateName(generateName, required, fieldPath('metadata', 'generateName')),
    ...validateName(name, required, fieldPath('metadata', 'name')),
    ...(group === '' && version !== 'v1'
      ? [fieldRequired(path.child('group'), 'only v1 may have an empty group and it better be legacy kube')]
      : []),
    ...(group === '' ? [] : invalidEach(path.child('group'), group, isDns1123Subdomain(group))),
    ...invalidEach(path.child('version'), version, isDns1035Label(version)),
    ...validatePriority(groupPriorityMinimum, groupPriorityMax, path.child('groupPriorityMinimum')),
    ...validatePriority(versionPriority, versionPriorityMax, path.child('versionPriority')),
    ...(service === undefined ? validateLocal(spec, path) : validateService(spec, service, path)),
  ];
}

const noSpec: Frozen<APIServiceSpec> = { groupPriorityMinimum: 0, versionPriority: 0 };

/** Names that are not valid at all are reported by the validation of metadata. */
function validateName(name: string, required: string, path: FieldPath): readonly FieldError[] {
  if (name === '' || name === required || isPathSegment(name).length > 0) return [];
  return [fieldInvalid(path, name, `must be \`spec.version+"."+spec.group\`: ${quote(required)}`)];
}

function validatePriority(value: number, max: number, path: FieldPath): readonly FieldError[] {
  return value <= 0 || value > max ? [fieldInvalid(path, value, `must be positive and less than ${max}`)] : [];
}

function validateLocal(
  { caBundle = '', insecureSkipTLSVerify = false }: Frozen<APIServiceSpec>,
  path: FieldPath,
): readonly FieldError[] {
  return [
    ...(caBundle === ''
      ? []
      : [
          fieldInvalid(
            path.child('caBundle'),
            `${decodeBase64(caBundle).length} bytes`,
            'local APIServices may not have a caBundle',
          ),
        ]),
    ...(insecureSkipTLSVerify
      ? [
          fieldInvalid(
            path.child('insecureSkipTLSVerify'),
            true,
            'local APIServices may not have insecureSkipTLSVerify',
          ),
        ]
      : []),
  ];
}

function validateService(
  spec: Frozen<APIServiceSpec>,
  { namespace = '', name = '', port = 0 }: Frozen<ServiceReference>,
  path: FieldPath,
): readonly FieldError[] {
  const at = path.child('service');
  const wrongPort = isPortNumber(port);
  const unchecked = spec.insecureSkipTLSVerify === true && (spec.caBundle ?? '') !== '';
  return [
    ...(namespace === '' ? [fieldRequired(at.child('namespace'))] : []),
    ...(name === '' ? [fieldRequired(at.child('name'))] : []),
    ...(wrongPort.length > 0
      ? [fieldInvalid(at.child('port'), port, `port is not valid: ${wrongPort.join(', ')}`)]
      : []),
    ...(unchecked
      ? [fieldInvalid(path.child('insecureSkipTLSVerify'), true, 'may not be true if caBundle is present')]
      : []),
  ];
}

function validateConditions(status: Frozen<APIServiceStatus> | undefined, path: FieldPath): readonly FieldError[] {
  return collect(status?.conditions ?? [], ({ status: value }, index) =>
    statuses.includes(value)
      ? []
      : [fieldNotSupported(path.index(index).child('status'), printedWord(value), statuses)],
  );
}

function availability(status: Frozen<APIServiceStatus> | undefined): string {
  const condition = (status?.conditions ?? []).find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  const { status: value, reason = '' } = condition;
  return value === 'True' || reason === '' ? value : `${value} (${reason})`;
}
