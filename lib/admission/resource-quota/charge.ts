// Whether a write fits into the quotas of its namespace, and what is used of them afterwards. A pure function of the
// write and the quotas. As apiserver/pkg/admission/plugin/resourcequota/controller.go, CheckRequest.
import {
  addAmounts,
  amountsText,
  exceededNames,
  increaseOf,
  isInScopes,
  parseAmounts,
  pickAmounts,
  quantitySign,
  scopesOf,
  unclassifiedError,
  withoutZeros,
} from '../../core/index.js';
import type { Frozen, QuotaEvaluator, QuotaAmounts } from '../../core/index.js';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../core/types/index.js';
import type { AdmissionReview } from '../plugin.js';
import { refusal } from '../refusal.js';
import type { LimitedResource } from './configuration.js';

/** A quota and its amounts. */
export interface QuotaAccount {
  readonly quota: Frozen<ResourceQuota>;
  readonly hard: QuotaAmounts;
  readonly used: QuotaAmounts;
}

/** A write that may use more, and how to measure it. */
export interface Charge {
  readonly review: AdmissionReview;
  readonly evaluator: QuotaEvaluator;
}

/** What a charge depends on besides the quotas. */
export interface ChargeRules {
  readonly limited: readonly LimitedResource[];
  readonly nowMs: number;
}

/** Reads a quota. What its status says counts, not what its specification asks for. */
export function quotaAccount(quota: Frozen<ResourceQuota>): QuotaAccount {
  return { quota, hard: parseAmounts(quota.status?.hard), used: parseAmounts(quota.status?.used) };
}

/**
 * Returns the accounts with what the write uses; those that it does not touch are the same values. Throws a refusal if
 * it does not fit into one of them.
 */
export function charge(
  accounts: readonly QuotaAccount[],
  { review, evaluator }: Charge,
  { limited, nowMs }: ChargeRules,
): readonly QuotaAccount[] {
  const { object, oldObject, operation } = review;
  if (object === undefined) return accounts;
  const usage = evaluator.usageOf(object, nowMs);
  const matching = accounts.filter((account) => isLimitedBy(account, { review, evaluator }));
  const negative = [...usage].filter(([, amount]) => quantitySign(amount) < 0).map(([name]) => name);
  if (negative.length > 0)
    throw refusal(review, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);

  // An update is charged with what it adds to a quota, all of it if the quota did not count the object before.
  const increase =
    operation === 'UPDATE' && oldObject !== undefined ? increaseOf(usage, evaluator.usageOf(oldObject, nowMs)) : usage;
  const deltas = new Map<QuotaAccount, QuotaAmounts>();
  for (const account of matching) {
    const counted = oldObject !== undefined && isCounted(account, evaluator, oldObject);
    const delta = withoutZeros(counted ? increase : usage);
    if (delta.size > 0) deltas.set(account, delta);
  }
  if (matching.length > 0 ? deltas.size === 0 : withoutZeros(increase).size === 0) return accounts;
  requireCover(accounts, matching, usage, { review, evaluator }, limited);

  return accounts.map((account) => {
    const delta = deltas.get(account);
    return delta === undefined ? account : charged(account, delta, review);
  });
}

/** Adds to what is used. Throws if that is more than the quota has; a status is only recorded. */
function charged(account: QuotaAccount, delta: QuotaAmounts, review: AdmissionReview): QuotaAccount {
  const { quota, hard, used } = account;
  const requested = pickAmounts(delta, hard.keys());
  const next = addAmounts(used, requested);
  const exceeded = review.subresource === 'status' ? [] : exceededNames(pickAmounts(next, requested.keys()), hard);
  if (exceeded.length === 0) return { quota, hard, used: next };
  const [asked, before, limits] = [requested, used, hard].map((amounts) => amountsText(pickAmounts(amounts, exceeded)));
  throw refusal(review, `exceeded quota: ${nameOf(account)}, requested: ${asked}, used: ${before}, limited: ${limits}`);
}

/** Whether a quota counts the object under review. Throws if it cannot: the object or the quota lacks something. */
function isLimitedBy(account: QuotaAccount, { review, evaluator }: Charge): boolean {
  const { object } = review;
  if (object === undefined || !isCounted(account, evaluator, object)) return false;
  const names = measuredNames(account, evaluator);
  const missing = evaluator.missing?.(object, names);
  if (missing !== undefined) throw refusal(review, `failed quota: ${nameOf(account)}: ${missing}`);
  if (names.some((name) => !account.used.has(name)))
    throw refusal(review, `status unknown for quota: ${nameOf(account)}, resources: ${[...names].sort().join(',')}`);
  return true;
}

function isCounted(
  account: QuotaAccount,
  evaluator: QuotaEvaluator,
  object: NonNullable<AdmissionReview['object']>,
): boolean {
  return measuredNames(account, evaluator).length > 0 && isInScopes(evaluator, object, scopesOf(account.quota.spec));
}

function measuredNames({ hard }: QuotaAccount, evaluator: QuotaEvaluator): readonly string[] {
  return [...hard.keys()].filter((name) => evaluator.measures(name));
}

/** Throws if something that may be consumed only under a quota has none. */
function requireCover(
  accounts: readonly QuotaAccount[],
  matching: readonly QuotaAccount[],
  usage: QuotaAmounts,
  { review, evaluator }: Charge,
  limited: readonly LimitedResource[],
): void {
  const { object, resource } = review;
  if (limited.length === 0 || object === undefined) return;
  const isInScope = (scope: Frozen<ScopedResourceSelectorRequirement>): boolean =>
    evaluator.isInScope?.(object, scope) === true;
  const covered = new Set(matching.flatMap((account) => measuredNames(account, evaluator)));
  const consumed = [...usage].filter(([, amount]) => quantitySign(amount) > 0).map(([name]) => name);
  const uncovered = consumed.filter(
    (name) =>
      !covered.has(name) &&
      limited.some(
        ({ apiGroup = '', resource: plural, matchContains = [] }) =>
          apiGroup === resource.group &&
          plural === resource.resource &&
          matchContains.some((part) => name.includes(part)),
      ),
  );
  if (uncovered.length > 0) throw refusal(review, `insufficient quota to consume: ${uncovered.sort().join(',')}`);
  const coveredScopes = new Set(
    accounts.flatMap(({ quota }) => scopesOf(quota.spec).filter(isInScope)).map(({ scopeName }) => scopeName),
  );
  const scopes = limited
    .flatMap(({ matchScopes = [] }) => matchScopes.filter(isInScope))
    .filter(({ scopeName }) => !coveredScopes.has(scopeName));
  // Kubernetes makes no refusal of this one: it reaches the client as an error without a reason.
  if (scopes.length > 0)
    throw unclassifiedError(`insufficient quota to match these scopes: [${scopes.map(scopeText).join(' ')}]`);
}

/** As Go prints the requirement. */
function scopeText({ scopeName, operator, values = [] }: Frozen<ScopedResourceSelectorRequirement>): string {
  return `{${scopeName} ${operator} [${values.join(' ')}]}`;
}

function nameOf({ quota }: QuotaAccount): string {
  return quota.metadata?.name ?? '';
}
