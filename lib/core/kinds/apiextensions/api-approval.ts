// Groups of the Kubernetes community: definitions in them name the review that approved them, or why none did.
// As apiextensions-apiserver/pkg/apihelpers/helpers.go, GetAPIApprovalState, and validateAPIApproval.
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { CustomResourceDefinition } from '../../types/apiextensions-v1.generated.js';
import { parseGoRequestUri } from '../admissionregistration/go-url.js';

/** What is wrong with the approval; what was wrong before may stay so. */
export function validateApproval(
  definition: Frozen<CustomResourceDefinition>,
  old: Frozen<CustomResourceDefinition> | undefined,
): readonly FieldError[] {
  if (!isProtected(definition.spec.group)) return [];
  const approval = stateOf(definition);
  if (old !== undefined && stateOf(old) === approval) return [];
  const path = fieldPath('metadata', 'annotations').key(annotation);
  const needed = `protected groups must have approval annotation "${annotation}"`;
  const review = 'see https://github.com/kubernetes/enhancements/pull/1111';
  switch (approval) {
    case 'missing':
      return [fieldRequired(path, `${needed}, ${review}`)];
    case 'invalid':
      return [
        fieldInvalid(
          path,
          annotationOf(definition),
          `${needed} with either a URL or a reason starting with "unapproved", ${review}`,
        ),
      ];
    case 'approved':
    case 'bypassed':
      return [];
  }
}

const annotation = 'api-approved.kubernetes.io';

type Approval = 'approved' | 'bypassed' | 'invalid' | 'missing';

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
