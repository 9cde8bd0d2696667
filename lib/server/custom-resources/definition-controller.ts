// The controller of CustomResourceDefinitions: accepts names, sets the conditions, publishes the group-versions as
// APIServices, and deletes the custom resources of a definition before the definition itself. Every server runs it; its
// writes are idempotent, so that several servers on one store agree. Each reconcile makes at most one step: the event
// of its own write brings the next. As apiextensions-apiserver/pkg/controller: status, establish, nonstructuralschema,
// apiapproval and finalizer.
import { merge } from 'rxjs';
import type { Observable } from 'rxjs';
import { awaitChange, controller, requeueAfter, watching } from '../../client/index.js';
import type { Action, Client, ControllerActivity, ObjectEvent } from '../../client/index.js';
import {
  acceptNames,
  cleanupFinalizer,
  deepEqual,
  establishedState,
  isDefinitionConditionTrue,
  isApiError,
  judgeSchemas,
  withDefinitionCondition,
} from '../../core/index.js';
import type { Clock, ConditionState, Frozen, Informer } from '../../core/index.js';
import type { CustomResourceDefinition } from '../../core/types/index.js';
import { apiServiceController } from './custom-api-services.js';
import type { GroupVersionItem } from './custom-api-services.js';
import { resourceOf } from './definition-kinds.js';
import { deleteInstances } from './instances.js';
import type { InstanceStore } from './instances.js';

type Definition = Frozen<CustomResourceDefinition>;

/** A definition to reconcile. */
export interface DefinitionItem {
  readonly name: string;
}

/** An activity of the controllers of definitions. */
export type DefinitionActivity = ControllerActivity<DefinitionItem> | ControllerActivity<GroupVersionItem>;

/** Dependencies of the controller. */
export interface DefinitionParts extends InstanceStore {
  readonly definitions: Informer<Definition>;
  readonly client: Client;
  readonly clock: Clock;
}

/** Runs the controllers while subscribed. Emits what they did. */
export function runDefinitionControllers(parts: DefinitionParts): Observable<DefinitionActivity> {
  const { definitions, clock, client } = parts;
  const naming = controller<DefinitionItem>({
    name: 'custom-resource-definitions',
    clock,
    watches: [watching(definitions, (event) => itemsOf(event, definitions.list()))],
    keyOf: ({ name }) => name,
    reconcile: ({ name }) => reconcile(definitions.get(name), parts),
  });
  return merge(naming.run(), apiServiceController({ definitions, clock, client }).run());
}

/** The definition itself, and those of its group that may wait for a name which it released. */
function* itemsOf({ object, type }: ObjectEvent<Definition>, all: readonly Definition[]): Generator<DefinitionItem> {
  if (type !== 'deleted') yield { name: object.metadata?.name ?? '' };
  if (type === 'listed') return;
  for (const other of all) {
    const isWaiting =
      other.spec.group === object.spec.group && !deepEqual(other.spec.names, other.status?.acceptedNames);
    if (isWaiting) yield { name: other.metadata?.name ?? '' };
  }
}

async function reconcile(definition: Definition | undefined, parts: DefinitionParts): Promise<Action> {
  if (definition === undefined) return awaitChange;
  const { definitions, clock } = parts;
  const now = clock.now();
  const isDeleting =
    definition.metadata?.deletionTimestamp !== undefined &&
    definition.metadata.finalizers?.includes(cleanupFinalizer) === true;
  if (isDeleting) return finalize(definition, parts);
  const status =
    acceptNames(definition, definitions.list(), now) ?? judgeSchemas(definition, now) ?? establish(definition, now);
  if (status !== undefined) await writeStatus({ ...definition, status }, parts);
  return awaitChange;
}

/** The status with the condition `Established`; undefined where that is decided, or names are not accepted. */
function establish(definition: Definition, now: number): Definition['status'] {
  if (!isDefinitionConditionTrue(definition, 'NamesAccepted') || isDefinitionConditionTrue(definition, 'Established'))
    return undefined;
  return withDefinitionCondition(definition.status, establishedState, now);
}

/** Deletes the custom resources, then releases the definition. */
async function finalize(definition: Definition, parts: DefinitionParts): Promise<Action> {
  const now = parts.clock.now();
  const known = definition.status?.conditions?.find(({ type }) => type === 'Terminating');
  if (known?.reason !== inProgress.reason) {
    await writeStatus({ ...definition, status: withDefinitionCondition(definition.status, inProgress, now) }, parts);
    return awaitChange;
  }
  const isEstablished = isDefinitionConditionTrue(definition, 'Established');
  const remaining = isEstablished ? await deleteInstances(resourceOf(definition), parts) : 0;
  if (remaining > 0) return requeueAfter(checkMs);
  const finalizers = definition.metadata?.finalizers?.filter((name) => name !== cleanupFinalizer) ?? [];
  await writeStatus(
    {
      ...definition,
      metadata: { ...definition.metadata, finalizers },
      status: withDefinitionCondition(definition.status, isEstablished ? completed : neverEstablished, now),
    },
    parts,
  );
  return awaitChange;
}

/** How often remaining objects are counted. */
const checkMs = 5000;

const inProgress: ConditionState = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const completed: ConditionState = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
const neverEstablished: ConditionState = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};

/** Writes the status. A definition that was changed or deleted meanwhile is reconciled again by its event. */
async function writeStatus(definition: Definition, { client }: DefinitionParts): Promise<void> {
  try {
    await client.kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition').status.update(definition);
  } catch (error) {
    if (!isApiError(error, 'Conflict') && !isApiError(error, 'NotFound')) throw error;
  }
}
