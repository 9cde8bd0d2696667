// What the name of a resource says about it: `cpu`, `requests.storage`, `hugepages-2Mi`, `vendor.example/gpu`, and
// which of them a container, a quota or a limit may name. For validation of pods, quotas, limits and nodes.
// As pkg/apis/core/helper/helpers.go and the validators of names in pkg/apis/core/validation/validation.go.
import { fieldInvalid } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { isQualifiedName } from '../objects/names.js';

/** Memory pages of a size, such as `hugepages-2Mi`. */
export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Names without a prefix, or with one of kubernetes.io. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Resources of vendors: a prefix of their own, and room for `requests.` before it. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(requestsPrefix)) return false;
  return isQualifiedName(`${requestsPrefix}${name}`).length === 0;
}

/** Returns whether more may be promised than there is. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** Counted in whole numbers. */
export function isIntegerResource(name: string): boolean {
  return objectCounts.has(name) || isExtendedResource(name);
}

/** What a container may request, vendors' resources aside. */
export function isStandardContainerResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || isHugePages(name);
}

/** What a quota may limit, vendors' resources and counts of objects aside. */
export function isStandardQuotaResource(name: string): boolean {
  return objectCounts.has(name) || amounts.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
}

/** A qualified name, and without a prefix one that Kubernetes knows. */
export function validateResourceName(name: string, path: FieldPath): readonly FieldError[] {
  const wrong = isQualifiedName(name);
  if (wrong.length > 0) return wrong.map((sentence) => fieldInvalid(path, name, sentence));
  if (name.includes('/') || name === 'storage' || isStandardQuotaResource(name)) return [];
  return [fieldInvalid(path, name, 'must be a standard resource type or fully qualified')];
}

/** A resource that a container can have. */
export function validateContainerResourceName(name: string, path: FieldPath): readonly FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes('/')) {
    return isStandardContainerResource(name)
      ? errors
      : [...errors, fieldInvalid(path, name, 'must be a standard resource for containers')];
  }
  if (isNativeResource(name) || isExtendedResource(name)) return errors;
  return [...errors, fieldInvalid(path, name, "doesn't follow extended resource name standard")];
}

/** A resource that a quota can limit. */
export function validateQuotaResourceName(name: string, path: FieldPath): readonly FieldError[] {
  const errors = validateResourceName(name, path);
  if (name.includes('/') || isStandardQuotaResource(name)) return errors;
  return [...errors, fieldInvalid(path, name, 'must be a standard resource for quota')];
}

const requestsPrefix = 'requests.';

const objectCounts: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

const amounts: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);
