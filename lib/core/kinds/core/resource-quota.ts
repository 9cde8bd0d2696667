// ResourceQuotas: how much of what a namespace may hold, for all objects or those of some scopes.
// As pkg/registry/core/resourcequota/strategy.go and ValidateResourceQuota… in pkg/apis/core/validation.
import { collect } from '../../errors/collect.js';
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import { compareQuantities } from '../../objects/quantity-arithmetic.js';
import { parseQuantity } from '../../objects/quantity.js';
import type { ResourceQuota } from '../../types/core-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { validateResourceQuantity } from '../quantity-validation.js';
import { roundResourceList } from '../resource-list.js';
import { validateQuotaResourceName } from '../resource-names.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateScopeSelector, validateScopes } from './resource-quota-scopes.js';

/** The strategy of ResourceQuotas. */
export const resourceQuota: KindStrategy<ResourceQuota> = {
  nameRule: nameIsDnsSubdomain,
  validate: (object) => [...validateSpec(object), ...validateStatus(object)],
  validateUpdate: (object, old) => [...validateSpec(object), ...validateSameScopes(object, old)],
  warningsOnCreate: ({ spec }) => requestWarnings(spec?.hard ?? {}),
  subresources: { status: { validateUpdate: validateStatus } },
  answersDeleted: true,
  table: {
    columns: [
      nameColumn,
      textColumn('Request', 'What is used of what may be requested.'),
      textColumn('Limit', 'What is used of what limits may add up to.'),
      ageColumn,
    ],
    row: (object, now) => ({
      cells: [object.metadata?.name ?? '', printUsage(object, false), printUsage(object, true), age(object, now)],
    }),
  },
};

/** Rounds the amounts. */
export function resourceQuotaDefaults({ spec, status }: ResourceQuota): void {
  roundResourceList(spec?.hard);
  roundResourceList(status?.hard);
  roundResourceList(status?.used);
}

function validateSpec({ spec = {} }: Frozen<ResourceQuota>): readonly FieldError[] {
  const path = fieldPath('spec');
  return [
    ...validateAmounts(spec.hard, path.child('hard')),
    ...validateScopes(spec, path),
    ...validateScopeSelector(spec, path.child('scopeSelector')),
  ];
}

function validateStatus({ status }: Frozen<ResourceQuota>): readonly FieldError[] {
  const path = fieldPath('status');
  return [...validateAmounts(status?.hard, path.child('hard')), ...validateAmounts(status?.used, path.child('used'))];
}

function validateAmounts(amounts: Readonly<Record<string, string>> = {}, path: FieldPath): readonly FieldError[] {
  return collect(Object.entries(amounts), ([name, amount]) => [
    ...validateQuotaResourceName(name, path.key(name)),
    ...validateResourceQuantity(name, amount, path.key(name)),
  ]);
}

function validateSameScopes({ spec }: Frozen<ResourceQuota>, old: Frozen<ResourceQuota>): readonly FieldError[] {
  const scopes = new Set(spec?.scopes);
  const before = new Set(old.spec?.scopes);
  const same = scopes.size === before.size && [...scopes].every((scope) => before.has(scope));
  return same ? [] : [fieldInvalid(fieldPath('spec', 'scopes'), spec?.scopes, 'field is immutable')];
}

/** A quota that lets requests exceed limits can never be used up. */
function requestWarnings(hard: Readonly<Record<string, string>>): readonly string[] {
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((resource) => {
    const bare = resource === 'cpu' || resource === 'memory';
    const name = !Object.hasOwn(hard, `requests.${resource}`) && bare ? resource : `requests.${resource}`;
    const request = Object.hasOwn(hard, name) ? hard[name] : undefined;
    const limit = Object.hasOwn(hard, `limits.${resource}`) ? hard[`limits.${resource}`] : undefined;
    if (
      request === undefined ||
      limit === undefined ||
      compareQuantities(parseQuantity(request), parseQuantity(limit)) <= 0
    )
      return [];
    return [`ResourceQuota ${name} (${request}) should be less than limits.${resource} (${limit})`];
  });
}

/** `cpu: 1/4, …` in order of names, of limits or of the others. */
function printUsage({ status }: Frozen<ResourceQuota>, ofLimits: boolean): string {
  const { hard = {}, used = {} } = status ?? {};
  const names = Object.keys(hard).filter((name) => name.startsWith('limits.') === ofLimits);
  return names
    .sort(byBytes)
    .map((name) => `${name}: ${(Object.hasOwn(used, name) ? used[name] : undefined) ?? '0'}/${hard[name]}`)
    .join(', ');
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : 1;
}
