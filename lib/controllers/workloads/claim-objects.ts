// Adoption and release: an owner claims the objects that its selector matches. An object of another controller is left
// alone, an own one that no longer matches is released, a matching one without a controller is adopted. Before the
// first adoption the owner is read from the server, because the informer may not know yet that it is being deleted or
// was replaced by another of the same name. Patches name the uid of the object, so one of the same name that was
// created meanwhile is not touched. As pkg/controller/controller_ref_manager.go.
import type { Client, Stored } from '../../client/index.js';
import {
  aggregateText,
  controllerOf,
  errorText,
  isApiError,
  isTerminating,
  matchesLabels,
  namespacedName,
  printNamespacedName,
} from '../../core/index.js';
import type { ApiObject, Selector } from '../../core/index.js';
import { controllerReference } from './pod-control.js';
import type { CallContext, OwnerKind } from './pod-control.js';

/** Options of claiming. */
export interface ClaimOptions<T extends ApiObject> extends CallContext {
  readonly client: Client;
  readonly owner: Stored;
  readonly ownerKind: OwnerKind;
  /** The kind of the objects, such as Pod. */
  readonly kind: OwnerKind;
  readonly selector: Selector;
  /** A further condition for objects that the selector matches. Default: none. */
  readonly matches?: (object: Stored<T>) => boolean;
  /** Finalizers that are added with the adoption and removed with the release. Default: none. */
  readonly finalizers?: readonly string[];
}

/**
 * Returns the objects that belong to the owner, after adopting and releasing what is necessary. Objects that are gone
 * are left out. Rejects after all have been tried if a patch failed.
 */
export async function claimObjects<T extends ApiObject>(
  objects: readonly Stored<T>[],
  options: ClaimOptions<T>,
): Promise<readonly Stored<T>[]> {
  const claimed: Stored<T>[] = [];
  const failures: unknown[] = [];
  let isChecked: Promise<void> | undefined;
  for (const object of objects) {
    const step = claimStep(object, options);
    if (step === 'keep') claimed.push(object);
    if (step === 'keep' || step === 'ignore') continue;
    try {
      if (step === 'release') await release(object, options);
      else {
        await (isChecked ??= checkOwner(options, object));
        claimed.push(await adopt(object, options));
      }
    } catch (error) {
      if (!isApiError(error, 'NotFound')) failures.push(error);
    }
  }
  if (failures.length > 0) throw new Error(aggregateText(failures.map(errorText)), { cause: failures[0] });
  return claimed;
}

/** What a claim does with an object. */
export type ClaimStep = 'keep' | 'adopt' | 'release' | 'ignore';

/** Decides what a claim does with an object. */
export function claimStep<T extends ApiObject>(
  object: Stored<T>,
  { owner, selector, matches = () => true }: Pick<ClaimOptions<T>, 'owner' | 'selector' | 'matches'>,
): ClaimStep {
  const controller = controllerOf(object);
  if (controller !== undefined && controller.uid !== owner.metadata.uid) return 'ignore';
  const isMatch = matchesLabels(selector, object.metadata.labels) && matches(object);
  if (controller !== undefined) {
    if (isMatch) return 'keep';
    return isTerminating(owner) ? 'ignore' : 'release';
  }
  if (!isMatch || isTerminating(owner) || isTerminating(object)) return 'ignore';
  return object.metadata.namespace === owner.metadata.namespace ? 'adopt' : 'ignore';
}

/** Throws if the owner is being deleted, or is gone. */
async function checkOwner<T extends ApiObject>(
  { client, owner, ownerKind, kind, signal }: ClaimOptions<T>,
  object: Stored<T>,
): Promise<void> {
  try {
    const live = await client.resource(ownerKind).get(namespacedName(owner), { signal });
    const text = printNamespacedName(namespacedName(owner));
    if (live.metadata.uid !== owner.metadata.uid) {
      const uids = `got uid ${live.metadata.uid}, wanted ${owner.metadata.uid}`;
      throw new Error(`can't recheck DeletionTimestamp: original ${ownerKind.kind} ${text} is gone: ${uids}`);
    }
    if (live.metadata.deletionTimestamp !== undefined)
      throw new Error(`${text} has just been deleted at ${live.metadata.deletionTimestamp}`);
  } catch (error) {
    // Without the reason NotFound: that would mean that the object is gone.
    const name = `${printNamespacedName(namespacedName(object))} (${object.metadata.uid})`;
    throw new Error(`can't adopt ${kind.kind} ${name}: ${errorText(error)}`, { cause: error });
  }
}

async function adopt<T extends ApiObject>(object: Stored<T>, options: ClaimOptions<T>): Promise<Stored<T>> {
  const { client, owner, ownerKind, kind, finalizers = [], signal, cause } = options;
  const metadata = {
    uid: object.metadata.uid,
    ownerReferences: [{ ...controllerReference(owner, ownerKind) }],
    ...(finalizers.length > 0 && { finalizers }),
  };
  const patch = { strategic: { metadata } };
  const patched = await client.resource(kind).patch(namespacedName(object), patch, { signal, cause });
  // The kind is that of the object.
  return patched as Stored as Stored<T>;
}

/** Errors that mean that the object is gone, or was replaced, are ignored. */
async function release<T extends ApiObject>(object: Stored<T>, options: ClaimOptions<T>): Promise<void> {
  const { client, owner, kind, finalizers = [], signal, cause } = options;
  const metadata = {
    uid: object.metadata.uid,
    ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }],
    ...(finalizers.length > 0 && { '$deleteFromPrimitiveList/finalizers': finalizers }),
  };
  try {
    await client.resource(kind).patch(namespacedName(object), { strategic: { metadata } }, { signal, cause });
  } catch (error) {
    if (!isApiError(error, 'NotFound') && !isApiError(error, 'Invalid')) throw error;
  }
}
