// Subresources whose body has a kind of its own and is created, such as a Binding. They are data: the kind of the body
// and a function; the rest is the write pipeline. Subresources that write a part of the object in its own form (status,
// approval, resize …) are update strategies of the kind (core/kinds).
import { groupVersionKindOf, isApiError, notFound, successStatus } from '../../core/index.js';
import type { ApiObject, Frozen, GroupVersionKind, WriteContext, ObjectResponse } from '../../core/index.js';
import type { Exchange } from '../pipeline.js';
import { tablelessOffer } from '../registry/endpoint.js';
import { openBody } from '../requests/open-write.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { ensureNamespace } from '../writes/prepare.js';
import type { WriteTools } from '../writes/write.js';
import { Write, bodyForm } from '../writes/write.js';
import { changeObject } from '../writes/write-pipeline.js';

/** A subresource that is created: its body is an instruction about the object, such as a Binding. */
export interface ActionSubresource<Body extends ApiObject = ApiObject> {
  readonly kind: GroupVersionKind;
  /** Other accepted kinds, such as an older version. */
  readonly accepts?: (claimed: GroupVersionKind) => boolean;
  /** Checks and completes the body, between mutating and validating admission. Throws or rejects with ApiError. */
  complete?(body: Body, write: Write): Body | Promise<Body>;
  /** Performs the action of the admitted body; resolves to the response. */
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
    offer: tablelessOffer,
    ...(accepts && { accepts }),
  });
  const given = await decode();
  ensureNamespace(given, exchange.request.info.namespace, stored);
  const write = new Write(endpoint, exchange, options, tools, bodyForm(groupVersionKindOf(given)));
  // The decoder guarantees the kind.
  const mutated = (await write.mutate('CREATE', given)) as Body;
  const body = (await action.complete?.(mutated, write)) ?? mutated;
  await write.admit('CREATE', body);
  return { type: 'object', code: 201, object: await action.perform(body, write), form };
}

/** An action that changes the object: `into` applies the body. */
export interface ChangingAction<Body extends ApiObject, Parent extends ApiObject> extends Pick<
  ActionSubresource<Body>,
  'kind' | 'accepts' | 'complete'
> {
  /** Returns the changed object, sharing what it does not change. Throws ApiError to refuse. */
  into(parent: Frozen<Parent>, body: Body, context: WriteContext): Frozen<Parent>;
  /** Throws ApiError where preconditions of the body do not hold. */
  checkParent?(parent: StoredObject, body: Body, key: string): void;
  /** Translates a failure that is no ApiError. */
  failure?(error: unknown, name: string): Error;
}

/** Returns the action of a change; it responds with a Status of success. */
export function changeAction<Body extends ApiObject, Parent extends ApiObject>(
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
