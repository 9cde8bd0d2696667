// PriorityLevelConfigurations: how many requests of a level run at once, and what becomes of the others.
// As pkg/registry/flowcontrol/prioritylevelconfiguration/strategy.go and pkg/apis/flowcontrol/validation.
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type {
  ExemptPriorityLevelConfiguration,
  LimitResponse,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../types/flowcontrol-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import type { Loose } from '../loose.js';
import { printedWord } from '../printed-values.js';
import { keepMetadata } from '../status-metadata.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateConditionTypes } from './condition-types.js';
import { printFlowControl } from './internal-form.js';
import { mandatoryPriorityLevels } from './mandatory.js';

const none = '<none>';

const table: KindTable<PriorityLevelConfiguration> = {
  columns: [
    nameColumn,
    textColumn('Type', 'Whether the level has limits.'),
    textColumn('NominalConcurrencyShares', 'Its share of what the server can do at once.'),
    textColumn('Queues', 'How many queues it has.'),
    textColumn('HandSize', 'How many queues a flow may use.'),
    textColumn('QueueLengthLimit', 'How many requests fit a queue.'),
    ageColumn,
  ],
  row: (object, now) => {
    const { type = '', limited }: Loose<PriorityLevelConfigurationSpec> = object.spec ?? {};
    const queuing = limited?.limitResponse?.queuing;
    const shares = limited === undefined ? none : (limited.nominalConcurrencyShares ?? 0);
    const queues =
      queuing === undefined
        ? [none, none, none]
        : [queuing.queues ?? 0, queuing.handSize ?? 0, queuing.queueLengthLimit ?? 0];
    return { cells: [object.metadata?.name ?? '', type, shares, ...queues, age(object, now)] };
  },
};

/** The strategy of PriorityLevelConfigurations. */
export const priorityLevelConfiguration: KindStrategy<PriorityLevelConfiguration> = {
  nameRule: nameIsDnsSubdomain,
  changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
  validate,
  validateUpdate: validate,
  subresources: {
    status: {
      prepareForUpdate: keepMetadata,
      validateUpdate: ({ status }) => validateConditionTypes(status?.conditions ?? [], conditionsPath),
    },
  },
  table,
};

/** Zeros of a queue mean the usual; they are always printed, so the schema cannot say this. */
export function priorityLevelConfigurationDefaults({ spec }: PriorityLevelConfiguration): void {
  const queuing = spec?.limited?.limitResponse?.queuing;
  if (queuing === undefined) return;
  if (queuing.queues === 0) queuing.queues = 64;
  if (queuing.handSize === 0) queuing.handSize = 8;
  if (queuing.queueLengthLimit === 0) queuing.queueLengthLimit = 50;
}

type FieldErrors = readonly FieldError[];

const conditionsPath = fieldPath('status', 'conditions');
const zeroSharesAnnotation = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';
const queuesMax = 10_000_000;
const entropyBitsMax = 60;

function validate({ metadata, spec, status }: Frozen<PriorityLevelConfiguration>): FieldErrors {
  const name = metadata?.name ?? '';
  const path = fieldPath('spec');
  const annotated = Object.hasOwn(metadata?.annotations ?? {}, zeroSharesAnnotation);
  return [
    ...(annotated
      ? [fieldForbidden(fieldPath('metadata', 'annotations'), `annotation '${zeroSharesAnnotation}' is forbidden`)]
      : []),
    ...validateSpec(spec ?? {}, name, path),
    ...validateMandatory(spec ?? {}, name, path),
    ...validateConditionTypes(status?.conditions ?? [], conditionsPath),
  ];
}

/** How much of the whole the exempt level takes may be changed, nothing else of the mandatory ones. */
function validateMandatory(spec: Loose<PriorityLevelConfigurationSpec>, name: string, path: FieldPath): FieldErrors {
  const mandatory = mandatoryPriorityLevels().get(name);
  if (mandatory === undefined) return [];
  const exempt = name === 'exempt';
  const { exempt: fixed } = mandatory;
  if (deepEqual(exempt && fixed !== undefined ? { ...spec, exempt: fixed } : spec, mandatory)) return [];
  const except = exempt ? " except the 'spec.exempt' field" : '';
  return [
    fieldInvalid(
      path,
      printFlowControl('PriorityLevelConfigurationSpec', spec),
      `spec of '${name}'${except} must equal the fixed value`,
    ),
  ];
}

function validateSpec(
  { type = '', limited, exempt }: Loose<PriorityLevelConfigurationSpec>,
  name: string,
  path: FieldPath,
): FieldErrors {
  const at = path.child('type');
  const mismatch =
    (name === 'exempt') === (type === 'Exempt')
      ? []
      : [fieldInvalid(at, printedWord(type), "must be 'Exempt' if and only if `name` is 'exempt'")];
  switch (type) {
    case 'Exempt':
      return [
        ...mismatch,
        ...(limited === undefined
          ? []
          : [fieldForbidden(path.child('limited'), 'must be nil if the type is not Limited')]),
        ...(exempt === undefined ? [] : validateExempt(exempt, path.child('exempt'))),
      ];
    case 'Limited':
      return [
        ...mismatch,
        ...(exempt === undefined ? [] : [fieldForbidden(path.child('exempt'), 'must be nil if the type is Limited')]),
        ...(limited === undefined
          ? [fieldRequired(path.child('limited'), 'must not be empty when type is Limited')]
          : validateLimited(limited, path.child('limited'))),
      ];
    default:
      return [
        ...mismatch,
        type === '' ? fieldRequired(at) : fieldNotSupported(at, printedWord(type), ['Exempt', 'Limited']),
      ];
  }
}

function validateLimited(limited: Loose<LimitedPriorityLevelConfiguration>, path: FieldPath): FieldErrors {
  const {
    nominalConcurrencyShares: shares = 0,
    limitResponse = {},
    lendablePercent,
    borrowingLimitPercent: borrowing = 0,
  } = limited;
  return [
    ...validateShares(shares, path),
    ...validateResponse(limitResponse, path.child('limitResponse')),
    ...validatePercent(lendablePercent, path),
    ...(borrowing < 0
      ? [fieldInvalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

function validateExempt(
  { nominalConcurrencyShares: shares = 0, lendablePercent }: Loose<ExemptPriorityLevelConfiguration>,
  path: FieldPath,
): FieldErrors {
  return [...validateShares(shares, path), ...validatePercent(lendablePercent, path)];
}

function validateShares(shares: number, path: FieldPath): FieldErrors {
  return shares < 0
    ? [fieldInvalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer')]
    : [];
}

function validatePercent(percent: number | undefined, path: FieldPath): FieldErrors {
  if (percent === undefined || (percent >= 0 && percent <= 100)) return [];
  return [fieldInvalid(path.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive')];
}

function validateResponse({ type = '', queuing }: Loose<LimitResponse>, path: FieldPath): FieldErrors {
  const at = path.child('queuing');
  switch (type) {
    case 'Reject':
      return queuing === undefined
        ? []
        : [fieldForbidden(at, 'must be nil if limited.limitResponse.type is not Limited')];
    case 'Queue':
      return queuing === undefined
        ? [fieldRequired(at, 'must not be empty if limited.limitResponse.type is Limited')]
        : validateQueuing(queuing, at);
    default:
      return [
        type === ''
          ? fieldRequired(path.child('type'))
          : fieldNotSupported(path.child('type'), printedWord(type), ['Queue', 'Reject']),
      ];
  }
}

function validateQueuing(
  { queues = 0, handSize = 0, queueLengthLimit = 0 }: Loose<QueuingConfiguration>,
  path: FieldPath,
): FieldErrors {
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0)
    errors.push(fieldInvalid(path.child('queueLengthLimit'), queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(fieldInvalid(path.child('queues'), queues, 'must be positive'));
  else if (queues > queuesMax)
    errors.push(fieldInvalid(path.child('queues'), queues, `must not be greater than ${queuesMax}`));
  const sentence = handProblem(queues, handSize);
  if (sentence !== undefined) errors.push(fieldInvalid(path.child('handSize'), handSize, sentence));
  return errors;
}

/** Choosing a hand of queues takes bits of a hash; there are only so many. As shufflesharding.RequiredEntropyBits. */
function handProblem(queues: number, handSize: number): string | undefined {
  if (handSize <= 0) return 'must be positive';
  if (handSize > queues) return `should not be greater than queues (${queues})`;
  if (Math.ceil(Math.log2(queues) * handSize) <= entropyBitsMax) return undefined;
  return `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${entropyBitsMax}`;
}
