// May somebody do something? The authorizers are asked as they would be for the request itself.
// As pkg/registry/authorization and pkg/apis/authorization/validation.
import { badRequest, fieldInvalid, fieldPath, firstOf, invalid } from '../../core/index.js';
import type { FieldError, Frozen, Scheme } from '../../core/index.js';
import type { LocalSubjectAccessReview, ResourceAttributes, NonResourceAttributes, NonResourceRule, ResourceRule, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview, SubjectAccessReviewSpec, SubjectAccessReviewStatus, UserInfo } from '../../core/types/index.js';
import type { AccessAttributes, AccessRules, Authorizer } from '../../auth/index.js';
import type { VirtualResource } from '../serve.js';
import { decide } from '../steps.js';
import { review } from './review.js';

/** The four reviews of access, by `group/resource`. */
export function accessReviews(scheme: Scheme, authorizer: Authorizer): readonly (readonly [string, VirtualResource])[] {
  const gvk = (kind: string): { group: string; version: string; kind: string } => ({ group: reviewGroup, version: 'v1', kind });
  return [
    [
      `${reviewGroup}/selfsubjectaccessreviews`,
      review<SelfSubjectAccessReview>(scheme, gvk('SelfSubjectAccessReview'), async (question, { user }) => {
        refuse(attributeErrors(question.spec));
        return { ...question, status: await statusOf(authorizer, question.spec, user) };
      }),
    ],
    [
      `${reviewGroup}/subjectaccessreviews`,
      review<SubjectAccessReview>(scheme, gvk('SubjectAccessReview'), async (question) => {
        refuse([...subjectErrors(question.spec), ...metadataErrors(question.metadata)]);
        return { ...question, status: await statusOf(authorizer, question.spec, subjectOf(question.spec)) };
      }),
    ],
    [
      `${reviewGroup}/localsubjectaccessreviews`,
      review<LocalSubjectAccessReview>(scheme, gvk('LocalSubjectAccessReview'), async (question, { request }) => {
        const { namespace } = request.info;
        refuse(localErrors(question, namespace));
        return { ...question, status: await statusOf(authorizer, question.spec, subjectOf(question.spec)) };
      }),
    ],
    [
      `${reviewGroup}/selfsubjectrulesreviews`,
      review<SelfSubjectRulesReview>(scheme, gvk('SelfSubjectRulesReview'), async (question, { user }) => {
        const { namespace = '' } = question.spec;
        if (namespace === '') throw badRequest('no namespace on request');
        return { ...question, spec: {}, status: await rulesOf(authorizer, user, namespace) };
      }),
    ],
  ];
}

const reviewGroup = 'authorization.k8s.io';

interface Asked {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

async function statusOf(authorizer: Authorizer, asked: Asked, user: Frozen<UserInfo>): Promise<SubjectAccessReviewStatus> {
  const { decision, reason, error } = await decide(authorizer, attributesOf(asked, user));
  return {
    allowed: decision === 'allow',
    ...(decision === 'deny' && { denied: true }),
    ...(reason !== '' && { reason }),
    ...(error !== undefined && { evaluationError: error }),
  };
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: Asked, user: Frozen<UserInfo>): AccessAttributes {
  const { verb = '', group = '', version = '', resource = '', subresource = '', namespace = '', name = '' } = resourceAttributes ?? {};
  const place = { group, version, resource, subresource, namespace, name };
  if (nonResourceAttributes === undefined) return { user, verb, isResource: true, path: '', ...place };
  return { user, verb: nonResourceAttributes.verb ?? '', isResource: false, path: nonResourceAttributes.path ?? '', ...place };
}

function subjectOf({ user = '', uid = '', groups = [], extra = {} }: Frozen<SubjectAccessReviewSpec>): Frozen<UserInfo> {
  return { username: user, uid, groups, extra };
}

function attributeErrors({ resourceAttributes, nonResourceAttributes }: Asked): readonly FieldError[] {
  const spec = fieldPath('spec');
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const { path = '', verb = '' } = nonResourceAttributes;
    return [fieldInvalid(spec.child('nonResourceAttributes'), { Path: path, Verb: verb }, 'cannot be specified in combination with resourceAttributes')];
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    return [fieldInvalid(spec.child('resourceAttributes'), null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')];
  }
  return [];
}

function subjectErrors(asked: Asked & Pick<SubjectAccessReviewSpec, 'user' | 'groups'>): readonly FieldError[] {
  const isNobody = (asked.user ?? '') === '' && (asked.groups ?? []).length === 0;
  const errors = isNobody ? [fieldInvalid(fieldPath('spec', 'user'), asked.user ?? '', 'at least one of user or group must be specified')] : [];
  return [...attributeErrors(asked), ...errors];
}

function metadataErrors(metadata: object | undefined): readonly FieldError[] {
  return Object.keys(metadata ?? {}).length === 0 ? [] : [fieldInvalid(fieldPath('metadata'), metadata, 'must be empty')];
}

function localErrors({ metadata: { namespace: own, ...metadata } = {}, spec }: LocalSubjectAccessReview, namespace: string): readonly FieldError[] {
  if (own !== undefined && own !== '' && own !== namespace) throw badRequest('namespace does not match');
  const errors = [...subjectErrors(spec), ...metadataErrors(metadata)];
  const asked = spec.resourceAttributes?.namespace ?? '';
  if (spec.resourceAttributes !== undefined && asked !== namespace) {
    errors.push(fieldInvalid(fieldPath('spec', 'resourceAttributes', 'namespace'), asked, 'must match metadata.namespace'));
  }
  if (spec.nonResourceAttributes !== undefined) errors.push(fieldInvalid(fieldPath('spec', 'nonResourceAttributes'), spec.nonResourceAttributes, 'disallowed on this kind of request'));
  return errors;
}

async function rulesOf(authorizer: Authorizer, user: Frozen<UserInfo>, namespace: string): Promise<NonNullable<SelfSubjectRulesReview['status']>> {
  const found = await firstOf(authorizer.rules?.(user, namespace) ?? [], unlisted);
  return {
    resourceRules: found.resourceRules as ResourceRule[],
    nonResourceRules: found.nonResourceRules as NonResourceRule[],
    incomplete: found.incomplete,
    ...(found.error !== undefined && { evaluationError: found.error }),
  };
}

const unlisted: AccessRules = { resourceRules: [], nonResourceRules: [], incomplete: true };

/** Kubernetes forgets to name the kind in these refusals. */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: reviewGroup, kind: '' }, '', errors);
}

