// Names that a later release reserves for configurations it reads from files. Until then they only earn a warning.
// As pkg/apis/admissionregistration/validation/static_suffix.go.
import type { ApiObject, Frozen } from '../../objects/meta.js';

/** What to say of the name of a webhook configuration, a policy or a binding. */
export function warningsForName(object: Frozen<ApiObject>): readonly string[] {
  if (object.metadata?.name?.endsWith(suffix) !== true) return [];
  return [
    `metadata.name: names ending with "${suffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ];
}

const suffix = '.static.k8s.io';
