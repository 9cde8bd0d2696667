// The status of CustomResourceDefinitions: which names are accepted, and the conditions. Pure: the parts of the server
// that write it are in server/custom-resources. As apiextensions-apiserver/pkg/controller: status/naming_controller.go,
// nonstructuralschema, apiapproval, and pkg/apihelpers/helpers.go.
import { fieldErrorsText, fieldInvalid } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import { fieldPath } from '../errors/field-path.js';
import { aggregateText, quote } from '../go/format.js';
import { approvalOf } from '../kinds/apiextensions/api-approval.js';
import { structuralProblem, validateStructural } from '../kinds/apiextensions/structural.js';
import { deepEqual } from '../objects/json.js';
import type { Frozen } from '../objects/meta.js';
import { printTime } from '../objects/time.js';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from '../types/apiextensions-v1.generated.js';

type Definition = Frozen<CustomResourceDefinition>;
type Status = Frozen<CustomResourceDefinitionStatus>;
type Names = Frozen<CustomResourceDefinitionNames>;

/** A condition without its times. */
export type ConditionState = Pick<CustomResourceDefinitionCondition, 'type' | 'status'> & {
  readonly reason: string;
  readonly message: string;
};

/** The finalizer that keeps a definition until its custom resources are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** Returns whether a condition is True. */
export function isDefinitionConditionTrue({ status }: Definition, type: string): boolean {
  return conditionOf(status, type)?.status === 'True';
}

/**
 * Returns the status with a condition set. The time of the last transition changes with its status only. `now` is in
 * milliseconds since 1970.
 */
export function withDefinitionCondition(status: Status | undefined, state: ConditionState, now: number): Status {
  const conditions = status?.conditions ?? [];
  const old = conditionOf(status, state.type);
  const since = old?.status === state.status ? old.lastTransitionTime : undefined;
  const lastTransitionTime = since ?? printTime(now);
  const condition = { ...old, ...state, lastTransitionTime };
  return {
    ...status,
    conditions:
      old === undefined
        ? [...conditions, condition]
        : conditions.map((each) => (each.type === state.type ? condition : each)),
  };
}

/**
 * Returns the status after names were compared with those of the other definitions of the group; undefined where
 * nothing changes.
 */
export function acceptNames(definition: Definition, others: Iterable<Definition>, now: number): Status | undefined {
  const { spec, status } = definition;
  const accepted = status?.acceptedNames;
  if (accepted !== undefined && deepEqual(spec.names, accepted)) return undefined;
  const { names, naming } = judgeNames(spec.names, accepted, usedNames(definition, others));
  const old = conditionOf(status, 'NamesAccepted');
  if (deepEqual(names, accepted) && isEquivalent(naming, old)) return undefined;
  const known = conditionOf(status, 'Established');
  const isEstablished = known?.status === 'True';
  const established: ConditionState | undefined =
    naming.status === 'True' && !isEstablished
      ? installing
      : known === undefined
        ? { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
        : undefined;
  const named = withDefinitionCondition({ ...status, acceptedNames: names }, naming, now);
  return established === undefined ? named : withDefinitionCondition(named, established, now);
}

const installing: ConditionState = {
  type: 'Established',
  status: 'False',
  reason: 'Installing',
  message: 'the initial names have been accepted',
};

/** The condition of a definition that is served. */
export const establishedState: ConditionState = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

/** Returns the condition `NonStructuralSchema`; undefined where all schemas are structural. */
export function nonStructuralState({ spec }: Definition): ConditionState | undefined {
  const errors: FieldError[] = [];
  if (spec.preserveUnknownFields === true)
    errors.push(fieldInvalid(fieldPath('spec', 'preserveUnknownFields'), true, 'must be false'));
  for (const [index, { name, schema }] of spec.versions.entries()) {
    const root = schema?.openAPIV3Schema;
    if (root === undefined) continue;
    const problem = structuralProblem(root);
    if (problem !== undefined) {
      const message = `failed to check validation schema for version ${name}: ${problem}`;
      return { type: 'NonStructuralSchema', status: 'Unknown', reason: 'StructuralError', message };
    }
    const path = fieldPath('spec', 'versions').index(index).child('schema').child('openAPIV3Schema');
    errors.push(...validateStructural(root, path));
  }
  if (errors.length === 0) return undefined;
  return { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message: fieldErrorsText(errors) };
}

/** Returns the condition `KubernetesAPIApprovalPolicyConformant`; undefined for groups that need no approval. */
export function approvalState(definition: Definition): ConditionState | undefined {
  const approval = approvalOf(definition);
  if (approval === undefined) return undefined;
  const reasons = {
    missing: 'MissingAnnotation',
    invalid: 'InvalidAnnotation',
    approved: 'ApprovedAnnotation',
    bypassed: 'UnapprovedAnnotation',
  } as const;
  return {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: approval.state === 'approved' ? 'True' : 'False',
    reason: reasons[approval.state],
    message: approval.reason,
  };
}

/** Returns the status with the conditions about schemas and approval; undefined where nothing changes. */
export function judgeSchemas(definition: Definition, now: number): Status | undefined {
  const { status } = definition;
  let next: Status | undefined;
  const structural = nonStructuralState(definition);
  if (structural === undefined) {
    const conditions = status?.conditions?.filter(({ type }) => type !== 'NonStructuralSchema');
    if (conditions !== undefined && conditions.length !== status?.conditions?.length) next = { ...status, conditions };
  } else if (!isEquivalent(structural, conditionOf(status, structural.type)))
    next = withDefinitionCondition(status, structural, now);
  const approval = approvalState(definition);
  if (approval !== undefined && !isEquivalent(approval, conditionOf(status, approval.type)))
    next = withDefinitionCondition(next ?? status, approval, now);
  return next;
}

function conditionOf(status: Status | undefined, type: string): Frozen<CustomResourceDefinitionCondition> | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

function isEquivalent(state: ConditionState, old: Frozen<CustomResourceDefinitionCondition> | undefined): boolean {
  return old?.status === state.status && old.reason === state.reason && old.message === state.message;
}

interface UsedNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** The accepted names of all definitions of the group, the definition itself included. */
function usedNames({ spec, metadata }: Definition, others: Iterable<Definition>): UsedNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { spec: each, status, metadata: meta } of others) {
    const names = status?.acceptedNames;
    if (each.group !== spec.group || names === undefined || meta?.name === metadata?.name) continue;
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])])
      if (name !== undefined) resources.add(name);
    for (const kind of [names.kind, names.listKind]) if (kind !== undefined) kinds.add(kind);
  }
  return { resources, kinds };
}

/** Accepts each name that is free; the last conflict is the one reported. */
function judgeNames(
  requested: Names,
  accepted: Names | undefined,
  used: UsedNames,
): { readonly names: Names; readonly naming: ConditionState } {
  const names: Record<string, unknown> = { plural: '', kind: '', ...accepted };
  let naming: ConditionState = {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  };
  const judge = (key: keyof Names, reason: string, conflicts: readonly string[]): void => {
    if (conflicts.length > 0) naming = { type: 'NamesAccepted', status: 'False', reason, message: inUse(conflicts) };
    else if (requested[key] === undefined) delete names[key];
    else names[key] = requested[key];
  };
  const taken = (name: string | undefined, mine: string | undefined, others: ReadonlySet<string>): readonly string[] =>
    name === undefined || name === mine || !others.has(name) ? [] : [name];
  judge('plural', 'PluralConflict', taken(requested.plural, accepted?.plural, used.resources));
  judge('singular', 'SingularConflict', taken(requested.singular, accepted?.singular, used.resources));
  const own = accepted?.shortNames ?? [];
  const shortNames = (requested.shortNames ?? []).filter((name) => !own.includes(name) && used.resources.has(name));
  judge('shortNames', 'ShortNamesConflict', shortNames);
  judge('kind', 'KindConflict', taken(requested.kind, accepted?.kind, used.kinds));
  judge('listKind', 'ListKindConflict', taken(requested.listKind, accepted?.listKind, used.kinds));
  judge('categories', '', []);
  return { names: names as unknown as Names, naming };
}

function inUse(names: readonly string[]): string {
  return aggregateText(names.map((name) => `${quote(name)} is already in use`));
}
