// binding: the decision of a scheduler, written into the pod once. Also served as the resource `bindings`, for old
// clients. As pkg/registry/core/pod/storage/storage.go, BindingREST: the pod is not validated.
import {
  badRequest,
  conflict,
  fieldErrorsText,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  printTime,
  unclassifiedError,
} from '../../core/index.js';
import type { FieldError, Frozen } from '../../core/index.js';
import type { Binding, Pod, PodCondition, PodStatus } from '../../core/types/index.js';
import type { StoredObject } from '../registry/stored-kind.js';
import type { Write } from '../writes/write.js';
import { changeAction } from './action.js';
import type { ActionSubresource } from './action.js';

/** Binds the pod that the path names, or, for `bindings`, the one that the body names. */
export const bindingSubresource: ActionSubresource<Binding> = changeAction<Binding, Pod>({
  kind: { group: '', version: 'v1', kind: 'Binding' },
  complete: checkedBinding,
  checkParent: checkPreconditions,
  into(pod, body, { now }) {
    const name = body.metadata?.name ?? '';
    const refusal = refusalOf(pod, name);
    if (refusal !== undefined) throw conflict({ group: '', resource: 'pods/binding', name }, refusal);
    return bindPod(pod, body, now);
  },
  failure: (error, name) => conflict({ group: '', resource: 'pods/binding', name }, String(error)),
});

function checkedBinding(body: Binding, { exchange }: Write): Binding {
  const { subresource, name } = exchange.request.info;
  if (subresource !== '' && name !== (body.metadata?.name ?? ''))
    throw badRequest('name in URL does not match name in Binding object');
  const errors = bindingErrors(body);
  // Kubernetes does not wrap these errors in an Invalid status.
  if (errors.length > 0) throw unclassifiedError(fieldErrorsText(errors));
  return body;
}

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

function checkPreconditions({ metadata: current = {} }: StoredObject, { metadata = {} }: Binding, key: string): void {
  const { uid = '', resourceVersion = '', name = '' } = metadata;
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

function bindPod(pod: Frozen<Pod>, { metadata = {}, target }: Binding, now: number): Frozen<Pod> {
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

/** Sets a condition; lastTransitionTime is kept where the status does not change. */
export function withCondition(
  conditions: readonly Frozen<PodCondition>[],
  condition: PodCondition,
): readonly Frozen<PodCondition>[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const isSame = old?.status === condition.status && old.lastTransitionTime !== undefined;
  const next = isSame ? { ...condition, lastTransitionTime: old.lastTransitionTime } : condition;
  return old === undefined ? [...conditions, next] : conditions.map((each) => (each === old ? next : each));
}
