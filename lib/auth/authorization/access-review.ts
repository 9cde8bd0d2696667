// Converts access attributes to the spec of a SubjectAccessReview, for webhooks and for match conditions. As
// apiserver/plugin/pkg/authorizer/webhook/webhook.go, resourceAttributesFrom.
import type { FieldSelector, JsonObject, LabelOperator, Selector } from '../../core/index.js';
import type {
  FieldSelectorRequirement,
  LabelSelectorRequirement,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from '../../core/types/index.js';
import type { AccessAttributes, AccessSelectors } from '../authorizer.js';
import type { ReviewVersion } from '../review-call.js';

/** Returns the spec in v1, without empty fields. */
export function accessReviewSpec(attributes: AccessAttributes): SubjectAccessReviewSpec {
  const { user, isResource, path, verb } = attributes;
  const { username = '', uid = '', groups = [], extra } = user;
  return {
    ...(isResource
      ? { resourceAttributes: resourceAttributes(attributes) }
      : { nonResourceAttributes: present({ path, verb }) }),
    ...present({ user: username }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(extra !== undefined && {
      extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
    }),
    ...present({ uid }),
  };
}

/** Returns the spec as it is sent; v1beta1 names the groups `group`. */
export function specIn(version: ReviewVersion, spec: SubjectAccessReviewSpec): JsonObject {
  const { groups, ...rest } = spec;
  // A spec contains JSON values only; TypeScript interfaces lack the index signature.
  return { ...rest, ...(groups && { [version === 'v1' ? 'groups' : 'group']: groups }) } as unknown as JsonObject;
}

/** Returns the spec for expressions: empty fields are present, so that expressions do not need `has()`. */
export function specForExpressions(spec: SubjectAccessReviewSpec): JsonObject {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const labels = resourceAttributes?.labelSelector?.requirements;
  const whole = {
    user: '',
    groups: [],
    uid: '',
    extra: {},
    ...spec,
    ...(resourceAttributes && {
      resourceAttributes: {
        ...{ namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' },
        ...resourceAttributes,
        ...(labels && { labelSelector: { requirements: labels.map((each) => ({ values: [], ...each })) } }),
      },
    }),
    ...(nonResourceAttributes && { nonResourceAttributes: { path: '', verb: '', ...nonResourceAttributes } }),
  };
  return whole as unknown as JsonObject; // as above
}

function resourceAttributes({
  namespace,
  verb,
  group,
  version,
  resource,
  subresource,
  name,
  selectors = {},
}: AccessAttributes): ResourceAttributes {
  return {
    ...present({ namespace, verb, group, version, resource, subresource, name }),
    ...selectorAttributes(selectors),
  };
}

/** Omits requirements that have no equivalent in a review; requirements only restrict the request. */
function selectorAttributes({
  field,
  label,
}: AccessSelectors): Pick<ResourceAttributes, 'fieldSelector' | 'labelSelector'> {
  const fields = fieldRequirements(field);
  const labels = labelRequirements(label);
  return {
    ...(fields.length > 0 && { fieldSelector: { requirements: fields } }),
    ...(labels.length > 0 && { labelSelector: { requirements: labels } }),
  };
}

function fieldRequirements(selector: FieldSelector | undefined): FieldSelectorRequirement[] {
  return (selector?.requirements ?? []).map(({ field, operator, value }) => ({
    key: field,
    operator: operator === '=' ? 'In' : 'NotIn',
    values: [value],
  }));
}

function labelRequirements(selector: Selector | undefined): LabelSelectorRequirement[] {
  return (selector?.requirements ?? []).flatMap(({ key, operator, values }) => {
    const named = labelOperators[operator];
    return named === undefined ? [] : [{ key, operator: named, ...(values.length > 0 && { values: [...values] }) }];
  });
}

const labelOperators: Readonly<Record<LabelOperator, LabelSelectorRequirement['operator'] | undefined>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
  gt: undefined,
  lt: undefined,
};

function present<T extends Readonly<Record<string, string>>>(texts: T): Partial<T> {
  // The same names and types, fewer of them.
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')) as Partial<T>;
}
