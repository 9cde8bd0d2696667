// update: an object takes the place of another, whole or through a subresource. As
// apiserver/pkg/endpoints/handlers/update.go and registry/generic/registry/store.go, Update.
import { badRequest, conflict, fieldInvalid, fieldPath, invalid, nameMismatch, notFound } from '../../core/index.js';
import type { ApiObject } from '../../core/index.js';
import type { ObjectResponse } from '../../client/index.js';
import { decodeBody } from '../requests/decode-body.js';
import { checkUpdateOptions, fieldValidationOf } from '../requests/check-options.js';
import type { Exchange } from '../requests/exchange.js';
import type { Endpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import type { Stored } from '../registry/stored-kind.js';
import { revisionOf } from '../registry/stored-kind.js';
import { attributeFields } from '../writes/field-ownership.js';
import type { Change, Changed } from '../writes/guaranteed-update.js';
import { guaranteedUpdate } from '../writes/guaranteed-update.js';
import { dedupeOwners, ensureNamespace, fillSystemFields, metadataOf } from '../writes/metadata.js';
import { prepareCreate, prepareUpdate, refuseGuarded } from '../writes/prepare.js';
import type { WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';

/** Answers with the object as it is now. */
export async function update(endpoint: Endpoint, exchange: Exchange, tools: WriteTools): Promise<ObjectResponse> {
  const { request } = exchange;
  const form = request.negotiate(endpoint.offer);
  const body = await request.body();
  const options = request.options();
  checkUpdateOptions(options);
  const decoded = async (): Promise<ApiObject> => {
    const { object, warnings } = await decodeBody(body, {
      scheme: endpoint.scheme,
      gvk: endpoint.gvk,
      validation: fieldValidationOf(options),
    });
    for (const warning of warnings) exchange.warn(warning);
    exchange.recorder?.object(object);
    ensureNamespace(object, request.info.namespace, endpoint.stored);
    checkName(object, request.info.name);
    dedupeOwners(object, exchange);
    return object;
  };
  // Preparing changes the object: only a write that is beaten by another one needs it decoded again.
  const first = await decoded();
  let isFirst = true;
  const next = (): ApiObject | Promise<ApiObject> => (isFirst ? ((isFirst = false), first) : decoded());
  const { object: changed, fate } = await updateObject(
    new Write(endpoint, exchange, options, tools),
    next,
    first.metadata?.uid,
  );
  return { type: 'object', code: fate === 'created' ? 201 : 200, object: endpoint.fromHub(changed), form };
}

/** Throws ApiError 400 where an object does not bear the name of the request. */
export function checkName(object: ApiObject, name: string): void {
  const own = object.metadata?.name ?? '';
  if (own === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (own !== name) throw nameMismatch(own, name);
}

/**
 * Replaces the object that the request names with what `next` makes of it, in the endpoint's version and this
 * function's to change; asked anew when another writer was faster. With `uid` only that very object.
 */
export async function updateObject(
  write: Write,
  next: (old: Stored | undefined) => ApiObject | Promise<ApiObject>,
  uid?: string,
): Promise<Changed> {
  const { endpoint, exchange, stored } = write;
  const { namespace, name, subresource } = exchange.request.info;
  const ref = refOf(endpoint, name);
  const key = stored.keyOf(namespace, name);
  return guaranteedUpdate(write, key, async (old) => {
    if (old === undefined && (stored.strategy.createsOnUpdate !== true || subresource !== '')) throw notFound(ref);
    if (uid !== undefined && uid !== '' && old?.metadata?.uid !== uid) {
      // In the words of Kubernetes' storage, which its clients read.
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old?.metadata?.uid ?? ''}`;
      throw conflict(
        ref,
        `StorageError: invalid object, Code: 4, Key: ${stored.prefix}${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
      );
    }
    const made = next(old);
    let decoded = made instanceof Promise ? await made : made;
    attributeFields(decoded);
    if (write.tools.admission !== undefined) {
      decoded = await write.mutate(old === undefined ? 'CREATE' : 'UPDATE', decoded, old);
      dedupeOwners(decoded, exchange, ' after mutating admission happens');
    }
    const object = endpoint.toHub(decoded) as ApiObject;
    const checked = write.guard?.check?.(object, old, exchange);
    if (checked !== undefined) await checked;
    return await (old === undefined ? createdByUpdate(write, object) : replaced(write, object, old));
  });
}

async function replaced(write: Write, given: ApiObject, old: Stored): Promise<Change> {
  const { endpoint, exchange, stored, context } = write;
  const { name, subresource } = exchange.request.info;
  const { resourceVersion = '' } = metadataOf(given);
  if (resourceVersion === '' || resourceVersion === '0') {
    if (stored.strategy.requiresResourceVersion === true) {
      // Kubernetes names the resource here where it otherwise names the kind.
      const { group, resource } = endpoint.gvr;
      throw invalid({ group, kind: resource }, name, [
        fieldInvalid(fieldPath('metadata').child('resourceVersion'), 0, 'must be specified for an update'),
      ]);
    }
  } else if (resourceVersion !== old.metadata?.resourceVersion && Number(resourceVersion) !== revisionOf(old)) {
    throw conflict(refOf(endpoint, name));
  }
  metadataOf(given).resourceVersion = old.metadata?.resourceVersion ?? '';
  const reservation =
    subresource === '' && write.hook !== undefined ? await write.hook.reserve(given, old, context) : undefined;
  let object = given;
  try {
    object = prepareUpdate(write, given, old, subresource);
    const refused = refuseGuarded(write, object, old);
    if (refused !== undefined) await refused;
    if (write.tools.admission !== undefined) await write.admit('UPDATE', object, old);
  } catch (error) {
    reservation?.rollback();
    throw error;
  }
  if (isLastFinalizerGone(object, old) && stored.strategy.holdsDeletion?.(object) !== true)
    return { remove: true, answer: object };
  return reservation === undefined ? { put: object } : { put: object, reservation };
}

async function createdByUpdate(write: Write, object: ApiObject): Promise<Change> {
  const { exchange, context, tools } = write;
  fillSystemFields(object, context);
  const reservation = await write.hook?.reserve(object, undefined, context);
  try {
    prepareCreate(write, object);
    await refuseGuarded(write, object);
    await tools.authorizeCreate(write.endpoint, exchange);
    await write.admit('CREATE', object);
  } catch (error) {
    reservation?.rollback();
    throw error;
  }
  return reservation === undefined ? { put: object } : { put: object, reservation };
}

/** An object whose deletion waited for finalizers goes with the last of them. */
function isLastFinalizerGone(object: ApiObject, old: Stored): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = old.metadata ?? {};
  return (
    (object.metadata?.finalizers ?? []).length === 0 &&
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds === 0
  );
}
