// scale: how many pods a workload has and shall have, in one form for all kinds of workloads. Read from the workload
// and written into it, so that everything that holds for an update of the workload holds here too. As the ScaleREST of
// pkg/registry/apps/*/storage and their scaleUpdatedObjectInfo.
import {
  conflict,
  decodeValue,
  deepFreeze,
  invalid,
  methodNotAllowed,
  notFound,
  scaleOf,
  scaleTable,
  validateScale,
  withReplicas,
} from '../../core/index.js';
import type { ApiObject, GroupVersionKind, Scalable } from '../../core/index.js';
import type { Scale } from '../../core/types/index.js';
import type { ApiResponse } from '../../client/index.js';
import { checkUpdateOptions, fieldValidationOf } from '../requests/check-options.js';
import { decodeBody } from '../requests/decode-body.js';
import type { Exchange } from '../requests/exchange.js';
import { objectOffer } from '../requests/form.js';
import { patchRequestOf } from '../requests/patch-request.js';
import type { Endpoint } from '../registry/endpoint.js';
import type { Stored } from '../registry/stored-kind.js';
import type { SpecialResource } from '../routing/route.js';
import { get } from '../verbs/get.js';
import { decodedPatch, readPatch, translated } from '../verbs/patch.js';
import { checkName, updateObject } from '../verbs/update.js';
import type { WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';

/** The subresource of every workload that has one. */
export function scaleSubresource(tools: WriteTools): SpecialResource {
  return {
    table: scaleTable,
    answer(exchange, endpoint) {
      switch (exchange.request.info.verb) {
        case 'get':
          return getScale(endpoint, exchange);
        case 'update':
          return updateScale(endpoint, exchange, tools);
        case 'patch':
          return patchScale(endpoint, exchange, tools);
        default:
          throw methodNotAllowed();
      }
    },
  };
}

const scaleKind: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

async function getScale(endpoint: Endpoint, exchange: Exchange): Promise<ApiResponse> {
  const response = await get(endpoint, exchange);
  return { ...response, object: printed(response.object) };
}

async function updateScale(endpoint: Endpoint, exchange: Exchange, tools: WriteTools): Promise<ApiResponse> {
  const { request } = exchange;
  const form = request.negotiate(objectOffer);
  const body = await request.body();
  const options = request.options();
  checkUpdateOptions(options);
  const { object, warnings } = await decodeBody(body, {
    scheme: endpoint.scheme,
    gvk: scaleKind,
    validation: fieldValidationOf(options),
  });
  for (const warning of warnings) exchange.warn(warning);
  exchange.recorder?.object(object);
  checkName(object, request.info.name);
  const { object: workload } = await updateObject(new Write(endpoint, exchange, options, tools), (old) =>
    scaled(endpoint, old, () => object as Scale),
  );
  return { type: 'object', code: 200, object: printed(workload), form };
}

async function patchScale(endpoint: Endpoint, exchange: Exchange, tools: WriteTools): Promise<ApiResponse> {
  const { body, patchType, form, options, validation } = await patchRequestOf(exchange, objectOffer);
  const type = endpoint.scheme.typeOf(scaleKind);
  const change = translated(() => readPatch(patchType, body, type));
  const write = new Write(endpoint, exchange, options, tools);
  const { object: workload } = await updateObject(write, (old) =>
    scaled(endpoint, old, (scale) => {
      const document = translated(() => change.apply(deepFreeze({ ...scale }) as never));
      return decodedPatch(
        exchange,
        { type, gvk: scaleKind, scheme: endpoint.scheme },
        document,
        change,
        validation,
      ) as Scale;
    }),
  );
  return { type: 'object', code: 200, object: printed(workload), form };
}

/** The workload with the replicas that its new scale says. */
function scaled(endpoint: Endpoint, old: Stored | undefined, next: (scale: Scale) => Scale): ApiObject {
  const name = old?.metadata?.name ?? '';
  if (old === undefined) throw notFound({ group: endpoint.gvr.group, resource: endpoint.gvr.resource, name });
  const workload = endpoint.fromHub(old) as Scalable;
  const scale = next(scaleOf(workload));
  scale.metadata ??= {};
  scale.metadata.namespace ??= workload.metadata?.namespace ?? '';
  const errors = validateScale(scale);
  if (errors.length > 0) throw invalid(scaleKind, name, errors);
  const { uid = '', resourceVersion = '' } = scale.metadata;
  if (uid !== '' && uid !== workload.metadata?.uid) {
    throw conflict(
      { group: endpoint.gvr.group, resource: `${endpoint.gvr.resource}/scale`, name },
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${workload.metadata?.uid ?? ''}`,
    );
  }
  // Decoding makes a copy that may be changed on its way.
  const { object } = decodeValue(endpoint.served.type(), withReplicas(workload, scale.spec?.replicas ?? 0));
  const draft: ApiObject = object;
  if (draft.metadata !== undefined) draft.metadata.resourceVersion = resourceVersion;
  return draft;
}

function printed(workload: Stored): Stored {
  return deepFreeze(scaleOf(workload as Scalable));
}
