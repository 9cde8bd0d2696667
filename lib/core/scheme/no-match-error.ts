// What a REST mapper answers when nothing has the name it was given, in the words of Kubernetes and of kubectl.
// As apimachinery/pkg/api/meta/errors.go and cli-runtime/pkg/resource/builder.go, mappingFor. Recognised by name.
import { quote } from '../errors/go-format.js';
import type { GroupKind, GroupVersionResource } from '../objects/gvk.js';
import { printGroupVersion, printGroupVersionResource } from '../objects/gvk.js';

/** No kind or resource matches. */
export class NoMatchError extends Error {
  override readonly name = 'NoMatchError';
}

/** Whether a caught value says that nothing matched. */
export function isNoMatchError(error: unknown): error is NoMatchError {
  return error instanceof Error && error.name === 'NoMatchError';
}

/** No such kind in the versions searched, or in the whole group. */
export function noKindMatch({ group, kind }: GroupKind, searched: readonly string[]): NoMatchError {
  const versions = [...new Set(searched.map((version) => printGroupVersion({ group, version })))].sort().map(quote);
  if (versions.length === 0) return new NoMatchError(`no matches for kind ${quote(kind)} in group ${quote(group)}`);
  if (versions.length === 1)
    return new NoMatchError(`no matches for kind ${quote(kind)} in version ${versions.join(' ')}`);
  return new NoMatchError(`no matches for kind ${quote(kind)} in versions [${versions.join(' ')}]`);
}

/** No such resource; parts left out are empty. */
export function noResourceMatch(resource: GroupVersionResource): NoMatchError {
  return new NoMatchError(`no matches for ${printGroupVersionResource(resource)}`);
}

/** What kubectl says of an argument. */
export function unknownResourceType(resource: string): NoMatchError {
  return new NoMatchError(`the server doesn't have a resource type ${quote(resource)}`);
}
