// Subresources as data. Those that write a part of the object in its own form (status, approval, resize …) are update
// strategies of the kind (core/kinds) and take the path of every update. The two sorts here have a kind of their own;
// what they do beyond one function is the write pipeline.
import {
  deepFreeze,
  groupVersionKindOf,
  isApiError,
  methodNotAllowed,
  notFound,
  successStatus,
} from '../../core/index.js';
import type { ApiObject, Frozen, GroupVersionKind, JsonObject, KindTable, WriteContext } from '../../core/index.js';
import type { ApiResponse, ObjectResponse } from '../../client/index.js';
import type { Exchange } from '../requests/exchange.js';
import { objectOffer } from '../requests/form.js';
import { decodedOnce, fieldValidationOf, openBody, openPatch } from '../requests/open-write.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import type { StoredObject } from '../registry/stored-kind.js';
import type { SpecialResource } from '../routing/route.js';
import { get } from '../verbs/get.js';
import { decodedPatch, readPatch, translated } from '../verbs/patch.js';
import { checkName } from '../verbs/write.js';
import { ensureNamespace } from '../writes/prepare.js';
import type { WriteForm, WriteTools } from '../writes/write.js';
import { Write, bodyForm } from '../writes/write.js';
import { changeObject, updateObject } from '../writes/write-pipeline.js';

/** A subresource that is created: its body says what to do with the object, as a Binding does. */
export interface ActionSubresource<Body extends ApiObject = ApiObject> {
  readonly kind: GroupVersionKind;
  /** Other kinds that are as good, such as an older version. */
  readonly accepts?: (claimed: GroupVersionKind) => boolean;
  /** Checks and completes the body, between mutating and validating admission. Throws or rejects with ApiError. */
  complete?(body: Body, write: Write): Body | Promise<Body>;
  /** Does what the admitted body says; the result is the response. */
  perform(body: Body, write: Write): Promise<Frozen<ApiObject>>;
}

/** Opens, admits and performs an action. */
export async function performAction<Body extends ApiObject>(
  action: ActionSubresource<Body>,
  endpoint: ResourceEndpoint,
  exchange: Exchange,
  tools: WriteTools,
): Promise<ObjectResponse> {
  const { kind: gvk, accepts } = action;
  const { scheme, stored } = endpoint;
  const { form, options, decode } = await openBody(exchange, {
    scheme,
    gvk,
    offer: objectOffer,
    ...(accepts && { accepts }),
  });
  const given = await decode();
  ensureNamespace(given, exchange.request.info.namespace, stored);
  const write = new Write(endpoint, exchange, options, tools, bodyForm(groupVersionKindOf(given)));
  // The decoder made it an object of that kind.
  const mutated = (await write.mutate('CREATE', given)) as Body;
  const body = (await action.complete?.(mutated, write)) ?? mutated;
  await write.admit('CREATE', body);
  return { type: 'object', code: 201, object: await action.perform(body, write), form };
}

/** An action that changes the object under its name: `into` returns the object as the body wants it. */
export interface ChangingAction<Body extends ApiObject, Parent extends ApiObject> extends Pick<
  ActionSubresource<Body>,
  'kind' | 'accepts' | 'complete'
> {
  /** Returns the changed object, sharing what it does not change. Throws ApiError to refuse. */
  into(parent: Frozen<Parent>, body: Body, context: WriteContext): Frozen<Parent>;
  /** Throws ApiError where the body means another object than the stored one. */
  checkParent?(parent: StoredObject, body: Body, key: string): void;
  /** The error for a failure that is no ApiError. */
  failure?(error: unknown, name: string): Error;
}

/** The action as one to perform; it responds with a Status of success. */
export function changing<Body extends ApiObject, Parent extends ApiObject>(
  action: ChangingAction<Body, Parent>,
): ActionSubresource<Body> {
  return {
    ...action,
    async perform(body, write) {
      const { stored, context } = write;
      const { namespace = '', name = '' } = body.metadata ?? {};
      const key = stored.keyOf(namespace, name);
      try {
        await changeObject(write, key, (old) => {
          if (old === undefined) throw notFound({ ...stored.ref, name });
          action.checkParent?.(old, body, stored.prefix + key);
          return action.into(old as Frozen<Parent>, body, context);
        });
      } catch (error) {
        throw isApiError(error) || action.failure === undefined ? error : action.failure(error, name);
      }
      return successStatus(undefined, 201);
    },
  };
}

/** A subresource that shows a part of the object in a kind of its own, to be read, updated and patched: a Scale. */
export interface ViewSubresource<View extends ApiObject = ApiObject> {
  readonly kind: GroupVersionKind;
  readonly table: KindTable;
  /** The view of an object in the endpoint's version. */
  from(parent: Frozen<ApiObject>): View;
  /** Returns an object of its own that is the parent with what the view says. Throws ApiError to refuse. */
  into(parent: Frozen<ApiObject>, view: View, endpoint: ResourceEndpoint): ApiObject;
}

/** Serves get, update and patch of a view. */
export function viewResource<View extends ApiObject>(view: ViewSubresource<View>, tools: WriteTools): SpecialResource {
  return {
    table: view.table,
    answer(exchange, endpoint) {
      switch (exchange.request.info.verb) {
        case 'get':
          return getView(view, endpoint, exchange);
        case 'update':
          return updateView(view, endpoint, exchange, tools);
        case 'patch':
          return patchView(view, endpoint, exchange, tools);
        default:
          throw methodNotAllowed();
      }
    },
  };
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
  view: ViewSubresource<View>,
  endpoint: ResourceEndpoint,
  exchange: Exchange,
  tools: WriteTools,
): Promise<ApiResponse> {
  const { form, options, decode } = await openBody(exchange, {
    scheme: endpoint.scheme,
    gvk: view.kind,
    offer: objectOffer,
  });
  const first = await decode();
  checkName(first, exchange.request.info.name);
  const write = new Write(endpoint, exchange, options, tools, formOf(view, endpoint));
  return changeView(view, write, form, decodedOnce(first, decode));
}

async function patchView<View extends ApiObject>(
  view: ViewSubresource<View>,
  endpoint: ResourceEndpoint,
  exchange: Exchange,
  tools: WriteTools,
): Promise<ApiResponse> {
  const { form, options, body, patchType } = await openPatch(exchange, objectOffer);
  const { scheme } = endpoint;
  const type = scheme.typeOf(view.kind);
  const patch = translated(() => readPatch(patchType, body, type));
  const write = new Write(endpoint, exchange, options, tools, formOf(view, endpoint));
  return changeView(view, write, form, (old) => {
    const document = translated(() => patch.apply(deepFreeze<ApiObject>(old) as JsonObject));
    return decodedPatch(exchange, { type, gvk: view.kind, scheme }, document, patch, fieldValidationOf(options));
  });
}

async function changeView<View extends ApiObject>(
  view: ViewSubresource<View>,
  write: Write,
  form: ObjectResponse['form'],
  next: (old: View) => ApiObject | Promise<ApiObject>,
): Promise<ApiResponse> {
  const { endpoint, exchange } = write;
  const { object } = await updateObject(write, {
    next(old) {
      if (old === undefined) throw notFound(refOf(endpoint, exchange.request.info.name));
      return next(view.from(endpoint.fromHub(old)));
    },
    // A plugin returns an object of the kind that it was given.
    into: (proposed, old) => view.into(endpoint.fromHub(old), proposed as View, endpoint),
  });
  return { type: 'object', code: 200, object: deepFreeze<ApiObject>(view.from(endpoint.fromHub(object))), form };
}

function formOf<View extends ApiObject>(view: ViewSubresource<View>, endpoint: ResourceEndpoint): WriteForm {
  return { gvk: view.kind, fromHub: (object) => view.from(endpoint.fromHub(object)) };
}
