// LimitRanges: bounds and defaults for what containers, pods and claims may request. Between the bounds of one resource
// min ≤ defaultRequest ≤ default ≤ max. As pkg/registry/core/limitrange/strategy.go, ValidateLimitRange in
// pkg/apis/core/validation and SetDefaults_LimitRangeItem.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isQualifiedName, nameIsDnsSubdomain } from '../../objects/names.js';
import { compareQuantities, quantityToInteger, quantityToMilli } from '../../objects/quantity-arithmetic.js';
import { parseQuantity } from '../../objects/quantity.js';
import type { LimitRange, LimitRangeItem } from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { KindStrategy } from '../kind-strategy.js';
import { printedWord } from '../printed-values.js';
import { fillResourceList, roundResourceList } from '../resource-list.js';
import type { ResourceList } from '../resource-list.js';
import { isOvercommitAllowed, validateContainerResourceName, validateResourceName } from '../resource-names.js';

/** The strategy of LimitRanges. */
export const limitRange: KindStrategy<LimitRange> = {
  nameRule: nameIsDnsSubdomain,
  prepareForCreate: (object, { random }) => {
    const { name = '' } = object.metadata ?? {};
    if (name === '') object.metadata = { ...object.metadata, name: random.uuid() };
  },
  validate: validateLimits,
  validateUpdate: validateLimits,
  createsOnUpdate: true,
};

/** For containers: what is not defaulted takes the bound, and requests follow limits. */
export function limitRangeDefaults({ spec }: LimitRange): void {
  for (const item of spec?.limits ?? []) {
    if (item.type === 'Container') containerDefaults(item);
    for (const part of parts) roundResourceList(item[part]);
  }
}

const parts = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type Part = (typeof parts)[number];

function containerDefaults(item: LimitRangeItem): void {
  const limits: ResourceList = { ...item.default };
  fillResourceList(limits, item.max);
  const requests: ResourceList = { ...item.defaultRequest };
  fillResourceList(requests, limits);
  fillResourceList(requests, item.min);
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

function validateLimits({ spec }: Frozen<LimitRange>): readonly FieldError[] {
  const types = new Set<string>();
  // A document without a list decodes to an object without it.
  const { limits = [] }: { readonly limits?: readonly Frozen<LimitRangeItem>[] } = spec ?? {};
  return collect(limits, (item, index) => {
    const path = fieldPath('spec', 'limits').index(index);
    const duplicate = types.has(item.type) ? [fieldDuplicate(path.child('type'), printedWord(item.type))] : [];
    types.add(item.type);
    return [...validateType(item.type, path.child('type')), ...duplicate, ...validateItem(item, path)];
  });
}

function validateType(type: string, path: FieldPath): readonly FieldError[] {
  const wrong = isQualifiedName(type);
  if (wrong.length > 0) return invalidEach(path, printedWord(type), wrong);
  if (type.includes('/') || type === 'Pod' || type === 'Container' || type === 'PersistentVolumeClaim') return [];
  return [fieldInvalid(path, printedWord(type), 'must be a standard limit type or fully qualified')];
}

function validateItem(item: Frozen<LimitRangeItem>, path: FieldPath): readonly FieldError[] {
  const ofPod = item.type === 'Pod';
  const names = (part: Part): readonly FieldError[] =>
    collect(Object.keys(item[part] ?? {}), (name) => validateName(item.type, name, path.child(part).key(name)));
  const notOfPod = (part: 'default' | 'defaultRequest'): readonly FieldError[] => {
    if (!ofPod) return names(part);
    return item[part] === undefined
      ? []
      : [fieldForbidden(path.child(part), "may not be specified when `type` is 'Pod'")];
  };
  const bounded = ofPod ? (['max', 'min', 'maxLimitRequestRatio'] as const) : parts;
  const keys = new Set(bounded.flatMap((part) => Object.keys(item[part] ?? {})));
  return [
    ...names('max'),
    ...names('min'),
    ...notOfPod('default'),
    ...notOfPod('defaultRequest'),
    ...(hasStorageBound(item)
      ? []
      : [
          fieldRequired(
            path.child('limits'),
            'either minimum or maximum storage value is required, but neither was provided',
          ),
        ]),
    ...names('maxLimitRequestRatio'),
    ...collect(Array.from(keys), (key) => validateBounds(key, item, path)),
  ];
}

function validateName(type: string, name: string, path: FieldPath): readonly FieldError[] {
  return type === 'Pod' || type === 'Container'
    ? validateContainerResourceName(name, path)
    : validateResourceName(name, path);
}

function hasStorageBound({ type, min = {}, max = {} }: Frozen<LimitRangeItem>): boolean {
  return type !== 'PersistentVolumeClaim' || Object.hasOwn(min, 'storage') || Object.hasOwn(max, 'storage');
}

/** The bounds of one resource against each other. Which of two values an error shows is as Kubernetes shows it. */
function validateBounds(key: string, item: Frozen<LimitRangeItem>, path: FieldPath): readonly FieldError[] {
  const read = (part: Part): string | undefined => {
    const list = item[part];
    return list !== undefined && Object.hasOwn(list, key) ? list[key] : undefined;
  };
  const [min, max, ratio] = [read('min'), read('max'), read('maxLimitRequestRatio')];
  const limit = item.type === 'Pod' ? undefined : read('default');
  const request = item.type === 'Pod' ? undefined : read('defaultRequest');
  const errors: FieldError[] = [];
  const refuse = (part: Part, shown: string, detail: string): void => {
    errors.push(fieldInvalid(path.child(part).key(key), shown, detail));
  };

  if (isAbove(min, max)) refuse('min', min, `min value ${min} is greater than max value ${max}`);
  if (isAbove(min, request))
    refuse('defaultRequest', request ?? '', `min value ${min} is greater than default request value ${request}`);
  if (isAbove(request, max))
    refuse('defaultRequest', request, `default request value ${request} is greater than max value ${max}`);
  if (isAbove(request, limit))
    refuse('defaultRequest', request, `default request value ${request} is greater than default limit value ${limit}`);
  if (isAbove(min, limit)) refuse('default', min, `min value ${min} is greater than default value ${limit}`);
  if (isAbove(limit, max)) refuse('default', max ?? '', `default value ${limit} is greater than max value ${max}`);
  if (isAbove('1', ratio)) refuse('maxLimitRequestRatio', ratio ?? '', `ratio ${ratio} is less than 1`);
  const most = widestRatio(ratio, min, max);
  if (ratio !== undefined && most !== undefined)
    refuse('maxLimitRequestRatio', ratio, `ratio ${ratio} is greater than max/min = ${printFloat(most)}`);
  const fixed = !isOvercommitAllowed(key) && limit !== undefined && request !== undefined;
  if (fixed && (isAbove(limit, request) || isAbove(request, limit))) {
    refuse('defaultRequest', request, `default value ${limit} must equal to defaultRequest value ${request} in ${key}`);
  }
  return errors;
}

function isAbove(a: string | undefined, b: string | undefined): a is string {
  return a !== undefined && b !== undefined && compareQuantities(parseQuantity(a), parseQuantity(b)) > 0;
}

/** max/min, if the ratio allows more than that. In thousandths unless that would not fit in 64 bits. */
function widestRatio(ratio: string | undefined, min: string | undefined, max: string | undefined): number | undefined {
  if (ratio === undefined || min === undefined || max === undefined) return undefined;
  const amounts = [ratio, min, max].map(parseQuantity);
  const fits = amounts.every((amount) => quantityToInteger(amount) < milliMax);
  const [r = 0, low = 0, high = 0] = amounts.map((amount) =>
    Number(fits ? quantityToMilli(amount) : quantityToInteger(amount)),
  );
  return (fits ? r / 1000 : r) > high / low ? high / low : undefined;
}

const milliMax = (2n ** 63n - 1n) / 1000n;

/** As `%f`. */
function printFloat(value: number): string {
  return Number.isFinite(value) ? value.toFixed(6) : `${value < 0 ? '-' : '+'}Inf`;
}
