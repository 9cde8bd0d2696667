// Groups of the Kubernetes community: definitions in them name the review that approved them, or why none did.
// As apiextensions-apiserver/pkg/apihelpers/helpers.go, GetAPIApprovalState, and validateAPIApproval.
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { CustomResourceDefinition } from '../../types/apiextensions-v1.generated.js';
import { quote } from '../../go/format.js';
import { parseGoRequestUri } from '../../go/url.js';

/** Validates the approval; what was wrong before may stay so. */
export function validateApproval(
  definition: Frozen<CustomResourceDefinition>,
  old: Frozen<CustomResourceDefinition> | undefined,
): readonly FieldError[] {
  const approval = approvalOf(definition);
  if (approval === undefined || (old !== undefined && approvalOf(old)?.state === approval.state)) return [];
  const path = fieldPath('metadata', 'annotations').key(annotation);
  switch (approval.state) {
    case 'missing':
      return [fieldRequired(path, approval.reason)];
    case 'invalid':
      return [fieldInvalid(path, annotationOf(definition), approval.reason)];
    case 'approved':
    case 'bypassed':
      return [];
  }
}

/** The approval of a definition, and a sentence about it; undefined for groups that need none. */
export function approvalOf(
  definition: Frozen<CustomResourceDefinition>,
): { readonly state: Approval; readonly reason: string } | undefined {
  if (!isProtected(definition.spec.group)) return undefined;
  const state = stateOf(definition);
  const needed = `protected groups must have approval annotation "${annotation}"`;
  const review = 'see https://github.com/kubernetes/enhancements/pull/1111';
  const reasons: Readonly<Record<Approval, string>> = {
    missing: `${needed}, ${review}`,
    invalid: `${needed} with either a URL or a reason starting with "unapproved", ${review}`,
    approved: `approved in ${annotationOf(definition)}`,
    bypassed: `not approved: ${quote(annotationOf(definition))}`,
  };
  return { state, reason: reasons[state] };
}

const annotation = 'api-approved.kubernetes.io';

/** What the annotation says. */
export type Approval = 'approved' | 'bypassed' | 'invalid' | 'missing';

function isProtected(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`));
}

function stateOf(definition: Frozen<CustomResourceDefinition>): Approval {
  const value = annotationOf(definition);
  if (value === '') return 'missing';
  if (value.startsWith('unapproved')) return 'bypassed';
  const parsed = parseGoRequestUri(value);
  return 'url' in parsed && parsed.url.host !== '' && parsed.url.scheme !== '' ? 'approved' : 'invalid';
}

function annotationOf({ metadata }: Frozen<CustomResourceDefinition>): string {
  const annotations = metadata?.annotations ?? {};
  return Object.hasOwn(annotations, annotation) ? (annotations[annotation] ?? '') : '';
}
