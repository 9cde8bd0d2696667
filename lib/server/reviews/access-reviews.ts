// Access reviews: the authorizers decide as they would for the request itself.
// As pkg/registry/authorization and pkg/apis/authorization/validation.
import { badRequest, fieldInvalid, fieldPath, firstOf, invalid } from '../../core/index.js';
import type { FieldError, Frozen, ObjectMeta } from '../../core/index.js';
import type {
  LocalSubjectAccessReview,
  ResourceAttributes,
  NonResourceAttributes,
  NonResourceRule,
  ResourceRule,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
  UserInfo,
} from '../../core/types/index.js';
import type { AccessAttributes, AccessRules, Authorizer } from '../../auth/index.js';
import type { VirtualResource } from '../routing/route.js';
import { decide } from '../access/access-steps.js';
import type { ReviewParts } from './review.js';
import { reviewResource } from './review.js';
import { reviewSelectors, selectorErrors } from './review-selectors.js';

/** The four reviews of access, by `group/resource`. */
export function accessReviews(
  parts: ReviewParts & { readonly authorizer: Authorizer },
): readonly (readonly [string, VirtualResource])[] {
  const { authorizer } = parts;
  const gvk = (kind: string): { group: string; version: string; kind: string } => ({
    group: reviewGroup,
    version: 'v1',
    kind,
  });
  return [
    [
      `${reviewGroup}/selfsubjectaccessreviews`,
      reviewResource<SelfSubjectAccessReview>(parts, gvk('SelfSubjectAccessReview'), async (review, { user }) => {
        refuse([
          ...attributeErrors(review.spec),
          ...selectorErrors(review.spec.resourceAttributes),
          ...metadataErrors(review.metadata),
        ]);
        return { ...review, status: await statusOf(authorizer, review.spec, user) };
      }),
    ],
    [
      `${reviewGroup}/subjectaccessreviews`,
      reviewResource<SubjectAccessReview>(parts, gvk('SubjectAccessReview'), async (review) => {
        refuse([...subjectErrors(review.spec), ...metadataErrors(review.metadata)]);
        return { ...review, status: await statusOf(authorizer, review.spec, subjectOf(review.spec)) };
      }),
    ],
    [
      `${reviewGroup}/localsubjectaccessreviews`,
      reviewResource<LocalSubjectAccessReview>(parts, gvk('LocalSubjectAccessReview'), async (review) => {
        refuse(localErrors(review));
        return { ...review, status: await statusOf(authorizer, review.spec, subjectOf(review.spec)) };
      }),
    ],
    [
      `${reviewGroup}/selfsubjectrulesreviews`,
      reviewResource<SelfSubjectRulesReview>(parts, gvk('SelfSubjectRulesReview'), async (review, { user }) => {
        const { namespace = '' } = review.spec;
        if (namespace === '') throw badRequest('no namespace on request');
        return { ...review, metadata: {}, spec: {}, status: await rulesOf(authorizer, user, namespace) };
      }),
    ],
  ];
}

const reviewGroup = 'authorization.k8s.io';

interface ReviewedAttributes {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

async function statusOf(
  authorizer: Authorizer,
  spec: ReviewedAttributes,
  user: Frozen<UserInfo>,
): Promise<SubjectAccessReviewStatus> {
  const { selectors, ignored } = reviewSelectors(spec.resourceAttributes);
  const attributes = attributesOf(spec, user);
  const { decision, reason, error } = await decide(
    authorizer,
    selectors === undefined ? attributes : { ...attributes, selectors },
  );
  const problems = error === undefined ? ignored : [error, ...ignored];
  return {
    allowed: decision === 'allow',
    ...(decision === 'deny' && { denied: true }),
    ...(reason !== '' && { reason }),
    ...(problems.length > 0 && { evaluationError: problems.join('; ') }),
  };
}

/** Returns the attributes to decide about. A review that names no version is about all versions. */
function attributesOf(
  { resourceAttributes, nonResourceAttributes }: ReviewedAttributes,
  user: Frozen<UserInfo>,
): AccessAttributes {
  if (resourceAttributes === undefined) {
    const { verb = '', path = '' } = nonResourceAttributes ?? {};
    return {
      user,
      verb,
      isResource: false,
      path,
      group: '',
      version: '',
      resource: '',
      subresource: '',
      namespace: '',
      name: '',
    };
  }
  const {
    verb = '',
    group = '',
    version = '',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
  } = resourceAttributes;
  return {
    user,
    verb,
    isResource: true,
    path: '',
    group,
    version: version === '' ? '*' : version,
    resource,
    subresource,
    namespace,
    name,
  };
}

function subjectOf({
  user = '',
  uid = '',
  groups = [],
  extra = {},
}: Frozen<SubjectAccessReviewSpec>): Frozen<UserInfo> {
  return { username: user, uid, groups, extra };
}

function attributeErrors({ resourceAttributes, nonResourceAttributes }: ReviewedAttributes): readonly FieldError[] {
  const spec = fieldPath('spec');
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    return [
      fieldInvalid(
        spec.child('nonResourceAttributes'),
        printed(nonResourceAttributes),
        'cannot be specified in combination with resourceAttributes',
      ),
    ];
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    return [
      fieldInvalid(
        spec.child('resourceAttributes'),
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    ];
  }
  return [];
}

/** Prints the attributes as Go does. */
function printed({ path = '', verb = '' }: NonResourceAttributes): object {
  return { Path: path, Verb: verb };
}

function subjectErrors(
  spec: ReviewedAttributes & Pick<SubjectAccessReviewSpec, 'user' | 'groups'>,
): readonly FieldError[] {
  const hasNoSubject = (spec.user ?? '') === '' && (spec.groups ?? []).length === 0;
  const errors = hasNoSubject
    ? [fieldInvalid(fieldPath('spec', 'user'), spec.user ?? '', 'at least one of user or group must be specified')]
    : [];
  return [...attributeErrors(spec), ...errors, ...selectorErrors(spec.resourceAttributes)];
}

/** Checks that a review has no metadata but managed fields; a local one has its namespace. */
function metadataErrors(
  { name, generateName, namespace, managedFields: _fields, ...rest }: ObjectMeta = {},
  isLocal = false,
): readonly FieldError[] {
  const found = Object.entries({ name, generateName, namespace, ...rest }).filter(([, value]) => !isEmpty(value));
  if (found.every(([key]) => isLocal && key === 'namespace')) return [];
  return [
    fieldInvalid(
      fieldPath('metadata'),
      Object.fromEntries(found),
      isLocal ? 'must be empty except for namespace' : 'must be empty',
    ),
  ];
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === 0;
}

function localErrors({ metadata = {}, spec }: LocalSubjectAccessReview): readonly FieldError[] {
  const errors = [...subjectErrors(spec), ...metadataErrors(metadata, true)];
  const { resourceAttributes, nonResourceAttributes } = spec;
  const namespace = resourceAttributes?.namespace ?? '';
  if (resourceAttributes !== undefined && namespace !== metadata.namespace) {
    errors.push(
      fieldInvalid(fieldPath('spec', 'resourceAttributes', 'namespace'), namespace, 'must match metadata.namespace'),
    );
  }
  if (nonResourceAttributes !== undefined)
    errors.push(
      fieldInvalid(
        fieldPath('spec', 'nonResourceAttributes'),
        printed(nonResourceAttributes),
        'disallowed on this kind of request',
      ),
    );
  return errors;
}

async function rulesOf(
  authorizer: Authorizer,
  user: Frozen<UserInfo>,
  namespace: string,
): Promise<NonNullable<SelfSubjectRulesReview['status']>> {
  const found = await firstOf(authorizer.rules?.(user, namespace) ?? [], unlisted);
  return {
    resourceRules: found.resourceRules as ResourceRule[],
    nonResourceRules: found.nonResourceRules as NonResourceRule[],
    incomplete: found.incomplete,
    ...(found.error !== undefined && { evaluationError: found.error }),
  };
}

const unlisted: AccessRules = { resourceRules: [], nonResourceRules: [], incomplete: true };

/** Throws ApiError 422. Kubernetes leaves the kind empty in these refusals. */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: reviewGroup, kind: '' }, '', errors);
}
