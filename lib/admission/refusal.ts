// The refusal that most plugins make: 403 with the name of the object. As apiserver/pkg/admission/errors.go,
// NewForbidden.
import { forbidden } from '../core/index.js';
import type { ApiError } from '../core/index.js';
import type { AdmissionReview } from './plugin.js';

/** 403. Names are generated after mutating admission: until then an object is known by its `generateName`. */
export function refusal(review: Pick<AdmissionReview, 'resource' | 'name' | 'object'>, why: string): ApiError {
  return forbidden({ ...review.resource, name: reviewedName(review) }, why);
}

/** The name of the object, or what it begins with; empty where the request has neither. */
export function reviewedName({ name, object }: Pick<AdmissionReview, 'name' | 'object'>): string {
  if (name !== '') return name;
  const { name: own = '', generateName = '' } = object?.metadata ?? {};
  return own === '' ? generateName : own;
}
