// create: a new object under a name of its own. As apiserver/pkg/endpoints/handlers/create.go.
import { deepCopy, generateNameConflict, unclassifiedError } from '../../core/index.js';
import type { ApiObject } from '../../core/index.js';
import type { ObjectResponse } from '../../client/index.js';
import { bodyMediaType, decodeBody } from '../requests/decode-body.js';
import { checkCreateOptions, fieldValidationOf } from '../requests/check-options.js';
import type { Exchange } from '../requests/exchange.js';
import type { Endpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import type { Stored } from '../registry/stored-kind.js';
import { isOutcome, putObject, taken } from '../writes/commit.js';
import { attributeFields } from '../writes/field-ownership.js';
import { dedupeOwners, ensureNamespace, fillSystemFields, metadataOf, wipeSystemFields } from '../writes/metadata.js';
import { prepareCreate, refuseGuarded } from '../writes/prepare.js';
import type { WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';

/** Answers with the object that was stored. */
export async function create(endpoint: Endpoint, exchange: Exchange, tools: WriteTools): Promise<ObjectResponse> {
  const { request } = exchange;
  const form = request.negotiate(endpoint.offer);
  const given = request.body();
  const body = given instanceof Promise ? await given : given;
  if (body !== undefined && 'bytes' in body) bodyMediaType(body.contentType);
  const options = request.options();
  checkCreateOptions(options);
  const decoded = decodeBody(body, {
    scheme: endpoint.scheme,
    gvk: endpoint.gvk,
    validation: fieldValidationOf(options),
  });
  const { object, warnings } = decoded instanceof Promise ? await decoded : decoded;
  for (const warning of warnings) exchange.warn(warning);
  exchange.recorder?.object(object);
  const created = await createObject(new Write(endpoint, exchange, options, tools), object);
  return { type: 'object', code: 201, object: endpoint.fromHub(created), form };
}

/** Stores a decoded object of the endpoint's version, which is this function's to change. */
export async function createObject(write: Write, given: ApiObject): Promise<Stored> {
  const { endpoint, exchange, stored } = write;
  const { namespace } = exchange.request.info;
  wipeSystemFields(given);
  ensureNamespace(given, namespace, stored);
  dedupeOwners(given, exchange);
  attributeFields(given);
  let decoded = given;
  if (write.tools.admission !== undefined) {
    decoded = await write.mutate('CREATE', given);
    dedupeOwners(decoded, exchange, ' after mutating admission happens');
  }
  const object = endpoint.toHub(decoded) as ApiObject;
  const checked = write.guard?.check?.(object, undefined, exchange);
  if (checked !== undefined) await checked;
  const generates = (metadataOf(object).name ?? '') === '' && (metadataOf(object).generateName ?? '') !== '';
  for (let attempt = 1; ; attempt++) {
    // Preparing changes the object: a name that is taken needs a fresh one.
    const draft = generates ? deepCopy(object) : object;
    const result = await tryCreate(write, draft);
    if (!isOutcome(result)) return result;
    const ref = refOf(endpoint, metadataOf(draft).name ?? '');
    if (!generates) throw taken(ref, foundObject(write, result));
    if (attempt === generateAttemptsMax) throw generateNameConflict(ref);
  }
}

/** Kubernetes tries that many names before it gives up. */
const generateAttemptsMax = 8;

async function tryCreate(write: Write, object: ApiObject): ReturnType<typeof putObject> {
  const { endpoint, stored, context } = write;
  fillSystemFields(object, context);
  const reservation = write.hook && (await write.hook.reserve(object, undefined, context));
  let kept = false;
  try {
    prepareCreate(write, object);
    const refused = refuseGuarded(write, object);
    if (refused !== undefined) await refused;
    if (write.tools.admission !== undefined) await write.admit('CREATE', object);
    const metadata = metadataOf(object);
    if ((metadata.resourceVersion ?? '') !== '')
      throw unclassifiedError('resourceVersion should not be set on objects to be created');
    const key = stored.keyOf(metadata.namespace ?? '', metadata.name ?? '');
    if (context.dryRun) {
      const existing = (await stored.cacher.get(key)).object;
      if (existing !== undefined) throw taken(refOf(endpoint, metadata.name ?? ''), existing);
      return object;
    }
    const result = await putObject(write, key, object, undefined);
    if (isOutcome(result)) return result;
    kept = true;
    reservation?.commit();
    return result;
  } finally {
    if (!kept) reservation?.rollback();
  }
}

function foundObject(write: Write, outcome: Awaited<ReturnType<typeof putObject>>): Stored | undefined {
  const entry = 'found' in outcome ? outcome.found[0] : undefined;
  return entry && write.stored.read(entry);
}
