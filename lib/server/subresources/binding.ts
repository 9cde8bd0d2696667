// binding: a scheduler's decision, written into the pod once and for all. Also served on its own, as `bindings`, by
// clients of old. As pkg/registry/core/pod/storage/storage.go, BindingREST: the pod's own validation is not asked.
import {
  badRequest,
  conflict,
  fieldErrorsText,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  isApiError,
  notFound,
  printTime,
  successStatus,
  unclassifiedError,
} from '../../core/index.js';
import type { ApiObject, FieldError, Frozen } from '../../core/index.js';
import type { Binding, Pod, PodCondition, PodStatus } from '../../core/types/index.js';
import type { ApiResponse } from '../../client/index.js';
import { checkCreateOptions, fieldValidationOf } from '../requests/check-options.js';
import { decodeBody } from '../requests/decode-body.js';
import type { Exchange } from '../requests/exchange.js';
import { objectOffer } from '../requests/form.js';
import type { Endpoint } from '../registry/endpoint.js';
import type { Stored } from '../registry/stored-kind.js';
import { guaranteedUpdate } from '../writes/guaranteed-update.js';
import { ensureNamespace } from '../writes/metadata.js';
import type { WriteForm, WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';

/**
 * Binds the pod that the path names, or, for `bindings`, the one that the body names. `pods` is the endpoint of pods.
 */
export async function bind(pods: Endpoint, exchange: Exchange, tools: WriteTools): Promise<ApiResponse> {
  const { request } = exchange;
  const form = request.negotiate(objectOffer);
  const given = request.body();
  const body = given instanceof Promise ? await given : given;
  const options = request.options();
  checkCreateOptions(options);
  const decoded = decodeBody(body, { scheme: pods.scheme, gvk: bindingKind, validation: fieldValidationOf(options) });
  const { object, warnings } = decoded instanceof Promise ? await decoded : decoded;
  for (const warning of warnings) exchange.warn(warning);
  exchange.recorder?.object(object);
  ensureNamespace(object, request.info.namespace, pods.stored);
  const write = new Write(pods, exchange, options, tools, bindingForm);
  const binding = (await write.mutate('CREATE', object)) as Binding;
  const name = binding.metadata?.name ?? '';
  if (request.info.subresource !== '' && request.info.name !== name)
    throw badRequest('name in URL does not match name in Binding object');
  const errors = bindingErrors(binding);
  // Kubernetes forgets to make this an Invalid.
  if (errors.length > 0) throw unclassifiedError(fieldErrorsText(errors));
  await write.admit('CREATE', binding);
  await assign(write, binding, name);
  return { type: 'object', code: 201, object: successStatus(undefined, 201), form };
}

const bindingKind = { group: '', version: 'v1', kind: 'Binding' };
const bindingForm: WriteForm = { gvk: bindingKind, fromHub: (object) => object };

function bindingErrors({ target }: Frozen<Binding>): readonly FieldError[] {
  const { kind = '', name = '' } = target;
  if ((kind === '' || kind === 'Node') && name !== '') return [];
  return [
    ...(kind === '' || kind === 'Node'
      ? []
      : [fieldNotSupported(fieldPath('target', 'kind'), kind, ['Node', '<empty>'])]),
    ...(name === '' ? [fieldRequired(fieldPath('target', 'name'))] : []),
  ];
}

async function assign(write: Write, binding: Binding, name: string): Promise<void> {
  const { stored, context } = write;
  const key = stored.keyOf(binding.metadata?.namespace ?? '', name);
  try {
    await guaranteedUpdate(write, key, (old) => {
      if (old === undefined) throw notFound({ group: '', resource: 'pods', name });
      checkPreconditions(binding, old, name, stored.prefix + key);
      const pod = old as Frozen<Pod>;
      const refusal = refusalOf(pod, name);
      if (refusal !== undefined) throw conflict({ group: '', resource: 'pods/binding', name }, refusal);
      return { put: bound(pod, binding, context.now) as ApiObject };
    });
  } catch (error) {
    throw isApiError(error) ? error : conflict({ group: '', resource: 'pods/binding', name }, String(error));
  }
}

function checkPreconditions(
  { metadata = {} }: Binding,
  { metadata: current = {} }: Stored,
  name: string,
  key: string,
): void {
  const { uid = '', resourceVersion = '' } = metadata;
  const unmet =
    uid !== '' && uid !== current.uid
      ? `UID in precondition: ${uid}, UID in object meta: ${current.uid ?? ''}`
      : resourceVersion !== '' && resourceVersion !== current.resourceVersion
        ? `ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${current.resourceVersion ?? ''}`
        : undefined;
  if (unmet === undefined) return;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${unmet}`;
  throw conflict({ group: '', resource: 'pods', name }, why);
}

function refusalOf({ metadata, spec }: Frozen<Pod>, name: string): string | undefined {
  if (metadata?.deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  const nodeName = spec?.nodeName ?? '';
  if (nodeName !== '') return `pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`;
  return (spec?.schedulingGates ?? []).length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : undefined;
}

function bound(pod: Frozen<Pod>, { metadata = {}, target }: Binding, now: number): Frozen<Pod> {
  const { annotations, labels } = metadata;
  const conditions = withCondition(pod.status?.conditions ?? [], {
    type: 'PodScheduled',
    status: 'True',
    lastTransitionTime: printTime(now),
  });
  return {
    ...pod,
    ...((annotations ?? labels) && {
      metadata: {
        ...pod.metadata,
        ...(annotations && { annotations: { ...pod.metadata?.annotations, ...annotations } }),
        ...(labels && { labels: { ...pod.metadata?.labels, ...labels } }),
      },
    }),
    spec: { ...pod.spec, nodeName: target.name ?? '' } as Frozen<NonNullable<Pod['spec']>>,
    status: { ...withoutNomination(pod.status), conditions },
  };
}

function withoutNomination(status: Frozen<PodStatus> = {}): Frozen<PodStatus> {
  if (status.nominatedNodeName === undefined) return status;
  const { nominatedNodeName: _nominated, ...rest } = status;
  return rest;
}

/** Conditions with one of them set; its time of transition stays where its status does. */
export function withCondition(
  conditions: readonly Frozen<PodCondition>[],
  condition: PodCondition,
): readonly Frozen<PodCondition>[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const since =
    old?.status === condition.status && old.lastTransitionTime !== undefined
      ? { lastTransitionTime: old.lastTransitionTime }
      : {};
  const next = { ...condition, ...since };
  return old === undefined ? [...conditions, next] : conditions.map((each) => (each === old ? next : each));
}
