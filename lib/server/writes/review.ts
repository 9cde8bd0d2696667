// Admission of requests: creates the review that plugins receive and runs the plugins that handle it. A request that no
// plugin handles creates no review.
import type { AdmissionChain, AdmissionOperation, AdmissionReview } from '../../admission/index.js';
import { newReinvocation } from '../../admission/index.js';
import { groupVersionKindOf } from '../../core/index.js';
import type { ApiObject, Frozen, GroupVersionKind, RequestOptions } from '../../core/index.js';
import type { DeleteOptions } from '../../core/types/index.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import type { Exchange } from '../pipeline.js';

/** The data of a review besides the objects. */
export interface ReviewSubject {
  readonly endpoint: ResourceEndpoint;
  readonly exchange: Exchange;
  /** The kind of the objects under review: that of the endpoint, or of the body of a subresource. */
  readonly kind: GroupVersionKind;
  /** The name of the object; empty where it has none yet. */
  readonly name: string;
  readonly options: RequestOptions | undefined;
  readonly dryRun: boolean;
}

/** Creates a review. The objects are of the version of `subject.kind`. */
export function reviewOf(
  { endpoint, exchange, kind, name, options, dryRun }: ReviewSubject,
  operation: AdmissionOperation,
  object: Frozen<ApiObject> | undefined,
  oldObject: Frozen<ApiObject> | undefined,
): AdmissionReview {
  const { gvr } = endpoint;
  const { subresource, namespace } = exchange.request.info;
  return {
    operation,
    requestKind: kind,
    kind,
    requestResource: gvr,
    resource: gvr,
    subresource,
    namespace,
    name,
    object,
    oldObject,
    options: options && reviewedOptions(operation, options),
    dryRun,
    user: exchange.user,
    reinvocation: newReinvocation(),
    warn: (text) => exchange.warn(text),
    annotate: (key, value) => exchange.annotate(key, value),
    auditsContent: exchange.recorder?.recordsContent === true,
  };
}

/**
 * Runs both phases of admission for a connection, such as `pods/exec`, as CONNECT. `options` is an object with
 * apiVersion and kind (PodExecOptions, PodProxyOptions …). Resolves to the options to connect with, which plugins may
 * have changed. Rejects with a refusal.
 */
export async function admitConnect<T extends ApiObject>(
  admission: AdmissionChain | undefined,
  endpoint: ResourceEndpoint,
  exchange: Exchange,
  options: T,
): Promise<T> {
  const { subresource, name } = exchange.request.info;
  const steps = admission?.stepsFor(endpoint.gvr, subresource, 'CONNECT');
  if (steps?.mutate === undefined && steps?.validate === undefined) return options;
  const subject = {
    endpoint,
    exchange,
    kind: groupVersionKindOf(options),
    name,
    options: undefined,
    dryRun: false,
  };
  const review = reviewOf(subject, 'CONNECT', options, undefined);
  // A plugin returns an object of the kind that it was given.
  const object = steps.mutate === undefined ? options : ((await steps.mutate(review)) as T);
  await steps.validate?.(object === options ? review : { ...review, object });
  return object;
}

/** The options of a request as an object. Their kind follows the operation, as in the handlers of Kubernetes. */
function reviewedOptions(
  operation: AdmissionOperation,
  options: RequestOptions & Pick<DeleteOptions, 'preconditions'>,
): Frozen<ApiObject> {
  const { dryRun } = options;
  const common = { apiVersion: 'meta.k8s.io/v1', ...(dryRun !== undefined && dryRun.length > 0 && { dryRun }) };
  if (operation !== 'DELETE') {
    const { fieldManager, fieldValidation } = options;
    return {
      kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
      ...common,
      ...(fieldManager !== undefined && fieldManager !== '' && { fieldManager }),
      ...(fieldValidation !== undefined && fieldValidation !== '' && { fieldValidation }),
    };
  }
  const { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy } = options;
  return {
    kind: 'DeleteOptions',
    ...common,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions !== undefined && { preconditions }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
  };
}
