// The error of a scheme for a kind that it does not have, in Kubernetes' words, since a server passes them on
// to its clients. As apimachinery/pkg/runtime/error.go. Recognised by name, so that two copies of the package agree.
import { quote } from '../go/format.js';
import type { GroupVersion, GroupVersionKind } from '../objects/gvk.js';
import { printGroupVersion } from '../objects/gvk.js';

/** A kind, or a version of it, that the scheme does not have. */
export class NotRegisteredError extends Error {
  override readonly name = 'NotRegisteredError';
}

/** Returns whether a caught value is a NotRegisteredError, by its name. */
export function isNotRegisteredError(error: unknown): error is NotRegisteredError {
  return error instanceof Error && error.name === 'NotRegisteredError';
}

/** The kind is not registered, or, for an empty kind, the version. */
export function kindNotRegistered(scheme: string, gvk: GroupVersionKind): NotRegisteredError {
  const version = quote(printGroupVersion(gvk));
  if (gvk.kind === '')
    return new NotRegisteredError(`no version ${version} has been registered in scheme ${quote(scheme)}`);
  return new NotRegisteredError(
    `no kind ${quote(gvk.kind)} is registered for version ${version} in scheme ${quote(scheme)}`,
  );
}

/** The kind is known, but not in that version. `goType` is the name of its type in messages, such as `v1.Pod`. */
export function notConvertible(scheme: string, goType: string, target: GroupVersion): NotRegisteredError {
  return new NotRegisteredError(
    `${goType} is not suitable for converting to ${quote(printGroupVersion(target))} in scheme ${quote(scheme)}`,
  );
}
