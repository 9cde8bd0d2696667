// The `scale` of custom resources: fields of the object by the paths of its definition. As
// apiextensions-apiserver/pkg/registry/customresource/etcd.go, ScaleREST.
import {
  badRequest,
  deepCopy,
  fieldNames,
  internalError,
  nestedInteger,
  nestedText,
  scaleTable,
  setNested,
  setOfPath,
  unclassifiedError,
} from '../../core/index.js';
import type { ApiObject, Frozen, Nested, ScalePaths } from '../../core/index.js';
import type { Scale } from '../../core/types/index.js';
import { scaleSubresource, viewResource } from '../subresources/scale.js';
import type { ViewSubresource } from '../subresources/scale.js';
import type { SpecialResource } from '../routing/route.js';
import type { WriteTools } from '../writes/write.js';

/** Serves `scale` of every kind that has one: workloads by their fields, custom resources by paths. */
export function scaleResource(tools: WriteTools): SpecialResource {
  const workloads = viewResource(scaleSubresource, tools);
  return {
    table: scaleTable,
    answer(exchange, endpoint) {
      const { scale } = endpoint.served.resource;
      if (scale === undefined) return workloads.answer(exchange, endpoint);
      const isRead = exchange.request.info.verb === 'get';
      return viewResource(customScale(scale, isRead), tools).answer(exchange, endpoint);
    },
  };
}

function customScale(paths: ScalePaths, isRead: boolean): ViewSubresource<Scale> {
  const { specReplicasPath: path } = paths;
  return {
    kind: scaleSubresource.kind,
    table: scaleTable,
    replicasIn(apiVersion, { scheme, gvk }) {
      const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
      const found = scheme.kind({ ...gvk, version })?.resource?.scale;
      return found && setOfPath(...fieldNames(found.specReplicasPath));
    },
    from(parent) {
      const replicas = valueOf(nestedInteger(parent, path));
      if (replicas === undefined && isRead)
        throw internalError(`the spec replicas field ${JSON.stringify(path)} does not exist`);
      return scaleOfCustom(parent, replicas ?? unset, paths);
    },
    into(parent, { metadata, spec }) {
      const replicas = spec?.replicas ?? 0;
      if (replicas === unset) throw badRequest(`the spec replicas field ${JSON.stringify(path)} cannot be empty`);
      const object = deepCopy(parent) as ApiObject & Record<string, unknown>;
      const problem = setNested(object, path, replicas);
      if (problem !== undefined) throw unclassifiedError(problem);
      const { resourceVersion = '' } = metadata ?? {};
      object.metadata = { ...object.metadata, resourceVersion };
      return object;
    },
  };
}

/** Stands for replicas that the object does not set, in a Scale that is about to be patched. */
const unset = -(2 ** 31);

function scaleOfCustom(parent: Frozen<ApiObject>, replicas: number, paths: ScalePaths): Scale {
  const { labelSelectorPath = '', statusReplicasPath } = paths;
  const { name = '', namespace, uid, resourceVersion, creationTimestamp } = parent.metadata ?? {};
  const selector = labelSelectorPath === '' ? undefined : valueOf(nestedText(parent, labelSelectorPath));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: valueOf(nestedInteger(parent, statusReplicasPath)) ?? 0,
      ...(selector !== undefined && selector !== '' && { selector }),
    },
  };
}

/** Throws ApiError 500 where the path leads to something else. */
function valueOf<T>(found: Nested<T>): T | undefined {
  if ('error' in found) throw unclassifiedError(found.error);
  return found.value;
}
