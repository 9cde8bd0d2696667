// scale: the desired and observed number of pods of a workload, in one kind for all workloads. It is a view: read from
// the workload and written into it by an update of the workload, which runs validation and admission. As the ScaleREST
// of pkg/registry/apps/*/storage and their scaleUpdatedObjectInfo.
import {
  FieldOwnership,
  deepFreeze,
  mediaTypes,
  methodNotAllowed,
  notFound,
  objectApplyTypes,
  parentEntries,
  printGroupVersion,
  printTime,
  scaleEntries,
  setOfPath,
} from '../../core/index.js';
import type {
  FieldSet,
  GroupVersionKind,
  JsonObject,
  KindTable,
  ManagedFieldsEntry,
  ScaleOwnership,
  Scheme,
} from '../../core/index.js';
import type { ApiResponse, ObjectResponse } from '../../core/index.js';
import type { Exchange } from '../pipeline.js';
import { objectOffer, refOf } from '../registry/endpoint.js';
import { decodedOnce, fieldValidationOf, openBody, openPatch } from '../requests/open-write.js';
import type { SpecialResource } from '../routing/route.js';
import { applyTo, configReader } from '../verbs/apply.js';
import { checkName } from '../verbs/create-update-delete.js';
import { decodedPatch, readPatch, translated } from '../verbs/patch.js';
import { get } from '../verbs/read.js';
import { updateObject } from '../writes/write-pipeline.js';
import type { WriteForm, WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';
import { conflict, decodeValue, invalid, scaleOf, scaleTable, validateScale, withReplicas } from '../../core/index.js';
import type { ApiObject, Frozen, Scalable } from '../../core/index.js';
import type { Scale } from '../../core/types/index.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';

/** The `scale` of every workload that has one. */
export const scaleSubresource: ViewSubresource<Scale> = {
  kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  table: scaleTable,
  from: (workload) => scaleOf(workload as Scalable),
  into: scaled,
  replicasIn: (apiVersion, { stored }) => (stored.ownership.hasVersion(apiVersion) ? replicasPath : undefined),
};

const replicasPath = setOfPath('spec', 'replicas');

/** Returns the workload with the replicas of a new Scale. Throws ApiError 409 and 422. */
function scaled(parent: Frozen<ApiObject>, proposed: Scale, { gvr, served }: ResourceEndpoint): ApiObject {
  const workload = parent as Scalable;
  const { name = '', namespace = '', uid: actual = '' } = workload.metadata ?? {};
  const metadata = { ...proposed.metadata, namespace: proposed.metadata?.namespace ?? namespace };
  const errors = validateScale({ ...proposed, metadata });
  if (errors.length > 0) throw invalid(scaleSubresource.kind, name, errors);
  const { uid = '', resourceVersion = '' } = metadata;
  if (uid !== '' && uid !== actual) {
    throw conflict(
      { group: gvr.group, resource: `${gvr.resource}/scale`, name },
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`,
    );
  }
  // Decoding makes a copy that the pipeline may change.
  const { object } = decodeValue(served.type(), withReplicas(workload, proposed.spec?.replicas ?? 0));
  const draft: ApiObject = object;
  if (draft.metadata !== undefined) draft.metadata.resourceVersion = resourceVersion;
  return draft;
}

/** A subresource that shows a part of the object in another kind, to be read, updated and patched: a Scale. */
export interface ViewSubresource<View extends ApiObject = ApiObject> {
  readonly kind: GroupVersionKind;
  readonly table: KindTable;
  /** The view of an object in the endpoint's version. */
  from(parent: Frozen<ApiObject>): View;
  /** Returns a new object: the parent with the view applied. Throws ApiError to refuse. */
  into(parent: Frozen<ApiObject>, view: View, endpoint: ResourceEndpoint): ApiObject;
  /** Returns the field of the parent that the view shows as `spec.replicas`, in a version of the parent. */
  replicasIn(apiVersion: string, endpoint: ResourceEndpoint): FieldSet | undefined;
}

/** What serving a view needs. */
interface ViewParts<View extends ApiObject> {
  readonly view: ViewSubresource<View>;
  readonly tools: WriteTools;
  /** Keeps the managed fields of the view while it is written; they are stored with the parent. */
  readonly ownership: (scheme: Scheme) => FieldOwnership;
}

/** Serves get, update and patch of a view. */
export function viewResource<View extends ApiObject>(view: ViewSubresource<View>, tools: WriteTools): SpecialResource {
  const parts: ViewParts<View> = { view, tools, ownership: viewOwnership(view.kind) };
  return {
    table: view.table,
    answer(exchange, endpoint) {
      switch (exchange.request.info.verb) {
        case 'get':
          return getView(view, endpoint, exchange);
        case 'update':
          return updateView(parts, endpoint, exchange);
        case 'patch':
          return patchView(parts, endpoint, exchange);
        default:
          throw methodNotAllowed();
      }
    },
  };
}

/** The kind of a view has one version. */
function viewOwnership(kind: GroupVersionKind): ViewParts<ApiObject>['ownership'] {
  const typeOf = objectApplyTypes();
  const version = printGroupVersion(kind);
  let made: FieldOwnership | undefined;
  return (scheme) =>
    (made ??= new FieldOwnership({
      typeIn: (apiVersion) => (apiVersion === version ? typeOf(scheme.typeOf(kind)) : undefined),
      convert: (object) => object,
    }));
}

async function getView<View extends ApiObject>(
  view: ViewSubresource<View>,
  endpoint: ResourceEndpoint,
  exchange: Exchange,
): Promise<ApiResponse> {
  const response = await get(endpoint, exchange);
  return { ...response, object: deepFreeze<ApiObject>(view.from(response.object)) };
}

async function updateView<View extends ApiObject>(
  parts: ViewParts<View>,
  endpoint: ResourceEndpoint,
  exchange: Exchange,
): Promise<ApiResponse> {
  const { view, tools } = parts;
  const { form, options, decode } = await openBody(exchange, {
    scheme: endpoint.scheme,
    gvk: view.kind,
    offer: objectOffer,
  });
  const first = await decode();
  checkName(first, exchange.request.info.name);
  const write = new Write(endpoint, exchange, options, tools, formOf(view, endpoint));
  const next = decodedOnce(first, decode);
  return changeView(parts, write, form, async (old) => ownedView(parts, write, await next(), old));
}

async function patchView<View extends ApiObject>(
  parts: ViewParts<View>,
  endpoint: ResourceEndpoint,
  exchange: Exchange,
): Promise<ApiResponse> {
  const { view, tools } = parts;
  const { form, options, body, patchType } = await openPatch(exchange, objectOffer);
  const { scheme } = endpoint;
  const type = scheme.typeOf(view.kind);
  const write = new Write(endpoint, exchange, options, tools, formOf(view, endpoint));
  if (patchType === mediaTypes.applyPatch) {
    const read = configReader(write, body);
    const target = { ownership: parts.ownership(scheme), scheme, gvk: view.kind, type };
    return changeView(parts, write, form, async (old) => applyTo(target, write, await read(), old));
  }
  const patch = translated(() => readPatch(patchType, body, type));
  return changeView(parts, write, form, (old) => {
    const document = translated(() => patch.apply(deepFreeze<ApiObject>(old) as JsonObject));
    const target = { type, gvk: view.kind, scheme };
    return ownedView(parts, write, decodedPatch(exchange, target, document, patch, fieldValidationOf(options)), old);
  });
}

/** Assigns the fields of the view that an update or a patch changed to its field manager. */
function ownedView<View extends ApiObject>(
  { view, ownership }: ViewParts<View>,
  { endpoint, exchange, context }: Write,
  object: ApiObject,
  old: Frozen<ApiObject>,
): ApiObject {
  return ownership(endpoint.scheme).update({
    old,
    object,
    manager: context.manager,
    subresource: exchange.request.info.subresource,
    apiVersion: printGroupVersion(view.kind),
    time: printTime(context.now),
  });
}

async function changeView<View extends ApiObject>(
  { view }: ViewParts<View>,
  write: Write,
  form: ObjectResponse['form'],
  next: (old: View) => ApiObject | Promise<ApiObject>,
): Promise<ApiResponse> {
  const { endpoint, exchange } = write;
  const scale: ScaleOwnership = {
    apiVersion: printGroupVersion(endpoint.gvk),
    replicasIn: (apiVersion) => view.replicasIn(apiVersion, endpoint),
  };
  const { object } = await updateObject(write, {
    next(old) {
      if (old === undefined) throw notFound(refOf(endpoint, exchange.request.info.name));
      const parent = endpoint.fromHub(old);
      return next(withEntries(view.from(parent), scaleEntries(parent.metadata?.managedFields, scale)));
    },
    into(proposed, old) {
      const parent = endpoint.fromHub(old);
      // A plugin returns an object of the kind that it was given.
      const written = view.into(parent, proposed as View, endpoint);
      const entries = parentEntries(parent.metadata?.managedFields, proposed.metadata?.managedFields, scale);
      return withEntries(written, entries);
    },
  });
  return { type: 'object', code: 200, object: deepFreeze<ApiObject>(view.from(endpoint.fromHub(object))), form };
}

function withEntries<T extends ApiObject>(object: T, entries: readonly Frozen<ManagedFieldsEntry>[] | undefined): T {
  const { managedFields: _stored, ...metadata } = object.metadata ?? {};
  return { ...object, metadata: entries === undefined ? metadata : { ...metadata, managedFields: [...entries] } };
}

function formOf<View extends ApiObject>(view: ViewSubresource<View>, endpoint: ResourceEndpoint): WriteForm {
  return { gvk: view.kind, fromHub: (object) => view.from(endpoint.fromHub(object)) };
}
