// The decision of the Deployment controller: which writes bring a Deployment one step further, from what the informers
// show. Pure: the driver in deployments.ts carries out the writes in order and then writes the status; their events
// cause the next step. A step either grows the new ReplicaSet or shrinks old ones, so that every step starts from
// sizes that were written. As pkg/controller/deployment, syncDeployment.
import type { EventDetails, Stored } from '../../client/index.js';
import { deepEqual, isTerminating } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Deployment, ReplicaSet } from '../../core/types/index.js';
import {
  conditionOf,
  countedStatus,
  hasDeadline,
  isComplete,
  newCondition,
  progressCheckMs,
  rolloutStatus,
  withDeploymentCondition,
} from './deployment-status.js';
import { isScaled, scaling } from './proportional-scaling.js';
import {
  currentSet,
  isSameTemplate,
  newSet,
  revised,
  revisionAnnotation,
  setRevision,
  rollbackToAnnotation,
  rolledBackAnnotations,
  sizeAnnotations,
  withoutHash,
} from './revisions.js';
import { byCreation, newSetSize, reducedSets, totalReplicas } from './rolling-update.js';
import { replicasOf } from '../workloads/replicas.js';
import type { SetSize } from './rolling-update.js';

/** What is known of a Deployment. */
export interface ObservedDeployment {
  readonly deployment: Stored<Deployment>;
  /** Its ReplicaSets. */
  readonly sets: readonly Stored<ReplicaSet>[];
  /** Returns whether a ReplicaSet has pods that have not ended. */
  readonly runsPods: (set: Stored<ReplicaSet>) => boolean;
  readonly nowMs: number;
}

/** An Event about the Deployment, without the reference to it. */
export type PlannedEvent = Omit<EventDetails, 'regarding'>;

/** A write, and the Event that is recorded when it succeeds. */
export type PlannedWrite = { readonly event?: PlannedEvent } & (
  | { readonly type: 'create'; readonly set: Frozen<ReplicaSet> }
  | { readonly type: 'update'; readonly set: Stored<ReplicaSet> }
  | { readonly type: 'delete'; readonly set: Stored<ReplicaSet> }
  | { readonly type: 'roll-back'; readonly deployment: Stored<Deployment> }
);

/** The next step of a Deployment. */
export interface DeploymentPlan {
  readonly writes: readonly PlannedWrite[];
  /** The Deployment with the status and the revision to write; undefined if it has them. */
  readonly status?: Stored<Deployment>;
  /** After how long the progress deadline is to be checked. */
  readonly requeueAfterMs?: number;
}

/** Returns the next step. */
export function planDeployment(observed: ObservedDeployment): DeploymentPlan {
  const { deployment } = observed;
  if (isTerminating(deployment)) return new Planner(observed).revise().finish('counts');
  const planner = new Planner(observed).notePause();
  if (deployment.spec?.paused === true) {
    planner.revise().scale();
    if (rollbackTo(deployment) === undefined) planner.cleanUp();
    return planner.finish('counts');
  }
  if (rollbackTo(deployment) !== undefined) return planner.revise({ creates: true }).rollBack().finish('none');
  planner.revise();
  if (planner.isScaled()) return planner.scale().finish('counts');
  return (deployment.spec?.strategy?.type === 'Recreate' ? planner.recreate() : planner.roll()).finish('rollout');
}

/** Collects the writes of a step. */
class Planner {
  readonly #observed: ObservedDeployment;
  readonly #old: readonly Stored<ReplicaSet>[];
  /** With the changes of its status and annotations. */
  #deployment: Stored<Deployment>;
  /** The ReplicaSet of the current template. */
  #new: Stored<ReplicaSet> | undefined;
  readonly #writes = new Map<string, PlannedWrite>();

  constructor(observed: ObservedDeployment) {
    this.#observed = observed;
    this.#deployment = observed.deployment;
    this.#new = currentSet(observed.deployment, observed.sets);
    this.#old = observed.sets.filter((set) => set !== this.#new).toSorted(byCreation);
  }

  isScaled(): boolean {
    return isScaled(this.#deployment, this.#all());
  }

  /** While it is paused a Deployment has no deadline: that is noted as progress that is unknown. */
  notePause(): this {
    const progressing = conditionOf(this.#deployment.status?.conditions, 'Progressing');
    if (!hasDeadline(this.#deployment) || progressing?.reason === 'ProgressDeadlineExceeded') return this;
    const isPaused = this.#deployment.spec?.paused === true;
    const isNoted = progressing?.reason === 'DeploymentPaused';
    if (isPaused && !isNoted) this.#setProgress('Unknown', 'DeploymentPaused', 'Deployment is paused');
    if (!isPaused && isNoted) this.#setProgress('Unknown', 'DeploymentResumed', 'Deployment is resumed');
    return this;
  }

  /** Brings the revision up to date; with `creates` also a ReplicaSet that is missing. */
  revise({ creates = false } = {}): this {
    if (this.#new === undefined && !creates) return this;
    const hadNew = this.#new !== undefined;
    const set = this.#new === undefined ? this.#createSet() : this.#reviseSet(this.#new);
    this.#new = set;
    const revision = set.metadata.annotations?.[revisionAnnotation] ?? '';
    const { annotations } = this.#deployment.metadata;
    if (annotations?.[revisionAnnotation] !== revision) {
      const revisionOfSet = { [revisionAnnotation]: revision };
      this.#deployment = {
        ...this.#deployment,
        metadata: { ...this.#deployment.metadata, annotations: { ...annotations, ...revisionOfSet } },
      };
    }
    if (!hasDeadline(this.#deployment)) return this;
    const { name } = set.metadata;
    if (!hadNew) this.#setProgress('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
    else if (conditionOf(this.#deployment.status?.conditions, 'Progressing') === undefined)
      this.#setProgress('True', 'FoundNewReplicaSet', `Found new replica set "${name}"`);
    return this;
  }

  /** Scales in proportion, after `spec.replicas` changed. */
  scale(): this {
    const { sizes, always } = scaling(this.#deployment, this.#new, this.#old);
    for (const size of sizes) this.#resize(size, always);
    return this;
  }

  /** A rolling update: grows the new ReplicaSet if possible, otherwise shrinks old ones, at the end deletes them. */
  roll(): this {
    const { set, total } = this.revise({ creates: true }).#newAndTotal();
    const replicas = newSetSize(this.#deployment, replicasOf(set), total);
    if (this.#resize({ set, replicas })) return this;
    const reduced = reducedSets(this.#deployment, this.#activeOld(), set);
    for (const size of reduced) this.#resize(size);
    if (reduced.length === 0 && isComplete(this.#deployment, this.#deployment.status)) this.cleanUp();
    return this;
  }

  /** Removes all old pods, and starts new ones when none of them runs. */
  recreate(): this {
    const active = this.#activeOld();
    for (const set of active) this.#resize({ set, replicas: 0 });
    const { runsPods } = this.#observed;
    const hasOldPods = this.#old.some((set) => (set.status?.replicas ?? 0) > 0 || runsPods(set));
    if (active.length > 0 || hasOldPods) return this;
    const { set } = this.revise({ creates: true }).#newAndTotal();
    this.#resize({ set, replicas: replicasOf(this.#deployment) });
    if (isComplete(this.#deployment, this.#deployment.status)) this.cleanUp();
    return this;
  }

  /** Deletes old ReplicaSets without pods beyond the history limit, lowest revision first. */
  cleanUp(): this {
    const limit = this.#deployment.spec?.revisionHistoryLimit;
    if (limit === undefined || limit === 2 ** 31 - 1) return this;
    const kept = this.#old.filter((set) => !isTerminating(set));
    for (const set of kept.toSorted(byRevision).slice(0, Math.max(0, kept.length - limit))) {
      const { observedGeneration = 0, replicas = 0 } = set.status ?? {};
      const isObserved = (set.metadata.generation ?? 0) <= observedGeneration;
      if (replicas === 0 && replicasOf(set) === 0 && isObserved)
        this.#writes.set(set.metadata.name, { type: 'delete', set });
    }
    return this;
  }

  /** Copies the template of an earlier revision; 0 means the one before. In any case the request is removed. */
  rollBack(): this {
    const all = this.#all();
    const revisions = all.map((set) => setRevision(set) ?? 0).sort((one, other) => other - one);
    const requested = rollbackTo(this.#deployment) ?? 0;
    const wanted = requested === 0 ? (revisions[1] ?? 0) : requested;
    const target = wanted === 0 ? undefined : all.find((set) => setRevision(set) === wanted);
    const { [rollbackToAnnotation]: _request, ...annotations } = this.#deployment.metadata.annotations ?? {};
    const cleared = { ...this.#deployment, metadata: { ...this.#deployment.metadata, annotations } };
    const { name } = cleared.metadata;
    const write = (deployment: Stored<Deployment>, event: PlannedEvent): this => {
      this.#writes.set('', { type: 'roll-back', deployment, event });
      return this;
    };
    if (target === undefined) {
      const message = wanted === 0 ? 'Unable to find last revision.' : 'Unable to find the revision to rollback to.';
      return write(cleared, warning('DeploymentRollbackRevisionNotFound', message));
    }
    if (isSameTemplate(target.spec?.template, cleared.spec?.template)) {
      const message = `The rollback revision contains the same template as current deployment "${name}"`;
      return write(cleared, warning('DeploymentRollbackTemplateUnchanged', message));
    }
    const metadata = { ...cleared.metadata, annotations: rolledBackAnnotations(cleared, target) };
    const spec = { selector: {}, ...cleared.spec, template: withoutHash(target.spec?.template) };
    const message = `Rolled back deployment "${name}" to revision ${wanted}`;
    return write({ ...cleared, metadata, spec }, { type: 'Normal', reason: 'DeploymentRollback', message });
  }

  /** Returns the step, with the counts of ReplicaSets or also the progress of the rollout in the status. */
  finish(status: 'counts' | 'rollout' | 'none'): DeploymentPlan {
    const { deployment: stored, nowMs } = this.#observed;
    const sets = { sets: this.#all(), newSet: this.#new };
    const next =
      status === 'none'
        ? this.#deployment.status
        : (status === 'counts' ? countedStatus : rolloutStatus)(this.#deployment, sets, nowMs);
    const isCurrent =
      deepEqual(next ?? {}, stored.status ?? {}) &&
      deepEqual(this.#deployment.metadata.annotations, stored.metadata.annotations);
    const requeueAfterMs = status === 'rollout' && next ? progressCheckMs(stored, next, nowMs) : undefined;
    return {
      writes: [...this.#writes.values()],
      ...(!isCurrent && status !== 'none' && { status: { ...this.#deployment, ...(next && { status: next }) } }),
      ...(requeueAfterMs !== undefined && { requeueAfterMs }),
    };
  }

  #all(): readonly Stored<ReplicaSet>[] {
    return this.#new === undefined ? this.#old : [...this.#old, this.#new];
  }

  #activeOld(): readonly Stored<ReplicaSet>[] {
    return this.#old.filter((set) => replicasOf(set) > 0);
  }

  #newAndTotal(): { readonly set: Stored<ReplicaSet>; readonly total: number } {
    if (this.#new === undefined) throw new Error('the new ReplicaSet is not planned');
    return { set: this.#new, total: totalReplicas(this.#all()) };
  }

  #createSet(): Stored<ReplicaSet> {
    const set = newSet(this.#deployment, this.#old);
    const { name = '' } = set.metadata ?? {};
    const replicas = set.spec?.replicas ?? 0;
    const message = `Scaled up replica set ${name} from 0 to ${replicas}`;
    this.#writes.set(name, {
      type: 'create',
      set,
      ...(replicas > 0 && { event: { type: 'Normal', reason: 'ScalingReplicaSet', message } }),
    });
    // It has no uid and no status yet; neither is needed to plan.
    const metadata = { ...set.metadata, name, uid: '', resourceVersion: '', creationTimestamp: '' };
    return { ...set, metadata };
  }

  #reviseSet(set: Stored<ReplicaSet>): Stored<ReplicaSet> {
    const changed = revised(this.#deployment, set, this.#old);
    if (changed !== set) this.#writes.set(set.metadata.name, { type: 'update', set: changed });
    return changed;
  }

  /** Returns whether the size changes. Planned changes of the ReplicaSet stay. */
  #resize({ set, replicas }: SetSize, always = false): boolean {
    const { name, annotations = {} } = set.metadata;
    const before = replicasOf(set);
    const sized = { ...annotations, ...sizeAnnotations(this.#deployment) };
    if (before === replicas && (!always || deepEqual(sized, annotations))) return false;
    const message = `Scaled ${before < replicas ? 'up' : 'down'} replica set ${name} from ${before} to ${replicas}`;
    const changed = {
      ...set,
      metadata: { ...set.metadata, annotations: sized },
      spec: { selector: {}, ...set.spec, replicas },
    };
    this.#writes.set(name, {
      type: 'update',
      set: changed,
      ...(before !== replicas && { event: { type: 'Normal', reason: 'ScalingReplicaSet', message } }),
    });
    return before !== replicas;
  }

  #setProgress(status: 'True' | 'Unknown', reason: string, message: string): void {
    const { nowMs } = this.#observed;
    const { conditions = [] } = this.#deployment.status ?? {};
    const condition = newCondition('Progressing', status, { reason, message, nowMs });
    this.#deployment = {
      ...this.#deployment,
      status: { ...this.#deployment.status, conditions: withDeploymentCondition(conditions, condition) },
    };
  }
}

/** Returns the revision to roll back to; undefined if none is requested. */
function rollbackTo({ metadata: { annotations } }: Stored<Deployment>): number | undefined {
  const text = annotations?.[rollbackToAnnotation];
  return text !== undefined && /^[-+]?[0-9]{1,18}$/.test(text) ? Number(text) : undefined;
}

/** By revision, then by creation. */
function byRevision(one: Stored<ReplicaSet>, other: Stored<ReplicaSet>): number {
  const [first, second] = [setRevision(one), setRevision(other)];
  return first === undefined || second === undefined || first === second ? byCreation(one, other) : first - second;
}

function warning(reason: string, message: string): PlannedEvent {
  return { type: 'Warning', reason, message };
}
