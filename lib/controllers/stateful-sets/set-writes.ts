// The writes of the StatefulSet controller for one set, and the Events about them. As
// pkg/controller/statefulset/stateful_pod_control.go.
import type { Client, Stored } from '../../client/index.js';
import {
  aggregateText,
  errorText,
  isApiError,
  isTerminating,
  namespacedName,
  objectReference,
  printNamespacedName,
} from '../../core/index.js';
import type { Frozen, Snapshot } from '../../core/index.js';
import type { PersistentVolumeClaim, Pod, StatefulSet } from '../../core/types/index.js';
import type { CallContext, EventSink } from '../workloads/pod-control.js';
import type { WriteBarrier } from '../workloads/write-barrier.js';
import { desiredOwners, hasDesiredOwners, hasForeignController } from './claim-retention.js';
import {
  claimsOf,
  hasIdentity,
  hasStorage,
  ordinalOf,
  statefulSetKind,
  withIdentity,
  withStorage,
} from './pod-identity.js';
import type { SetStep } from './set-plan.js';

/** The resources whose writes are waited for. */
export type WrittenResource = 'sets' | 'pods' | 'claims';

/** The dependencies of the writes. */
export interface SetWritesOptions {
  readonly client: Client;
  readonly recorder: EventSink;
  readonly pods: Pick<Snapshot<Stored<Pod>>, 'get'>;
  readonly claims: Pick<Snapshot<Stored<PersistentVolumeClaim>>, 'get'>;
  readonly barrier: WriteBarrier<WrittenResource>;
}

/** Performs the steps of a plan, each with its Events. */
export class SetWrites {
  readonly #options: SetWritesOptions;
  readonly #set: Stored<StatefulSet>;
  readonly #context: CallContext;

  constructor(set: Stored<StatefulSet>, options: SetWritesOptions, context: CallContext) {
    this.#set = set;
    this.#options = options;
    this.#context = context;
  }

  /** Performs a step. Rejects with the first error, after recording it. */
  async perform(step: SetStep): Promise<void> {
    switch (step.type) {
      case 'create':
        return this.#create(step.pod);
      case 'delete':
        return this.#delete(step.pod);
      case 'correct':
        return this.#correct(step.pod);
      case 'create-claims':
        await this.#createClaims(step.pod);
        return this.#recordFailure('Update', step.pod, () => this.#correctClaims(step.pod));
      case 'correct-claims':
        return this.#correctClaims(step.pod);
    }
  }

  async #create(pod: Frozen<Pod>): Promise<void> {
    await this.#recordFailure('Create', pod, () => this.#createClaims(pod));
    let failure: unknown;
    try {
      const created = await this.#pods.create(pod, this.#context);
      this.#options.barrier.wrote(namespacedName(this.#set), 'pods', created);
    } catch (error) {
      // The informer has not received it yet.
      if (isApiError(error, 'AlreadyExists')) throw error;
      failure = error;
    }
    await this.#recordFailure('Update', pod, () => this.#correctClaims(pod));
    this.#record('Create', pod, failure);
    if (failure !== undefined) throw asError(failure);
  }

  async #delete(pod: Stored<Pod>): Promise<void> {
    try {
      const { uid } = pod.metadata;
      const deleted = await this.#pods.delete(pod.metadata.name, { ...this.#context, preconditions: { uid } });
      if ('metadata' in deleted && deleted.kind !== 'Status')
        this.#options.barrier.wrote(namespacedName(this.#set), 'pods', deleted);
    } catch (error) {
      if (!isApiError(error, 'NotFound')) {
        this.#record('Delete', pod, error);
        throw error;
      }
    }
    this.#record('Delete', pod);
  }

  async #correct(pod: Stored<Pod>): Promise<void> {
    for (let tries = 1, observed = pod; ; tries += 1) {
      const hasRightStorage = hasStorage(this.#set, observed);
      const needsUpdate =
        !hasIdentity(this.#set, observed) ||
        !hasRightStorage ||
        !this.#claimsOf(observed).every(this.#isOwned(observed));
      if (!hasRightStorage) await this.#recordFailure('Update', observed, () => this.#createClaims(observed));
      await this.#recordFailure('Update', observed, () => this.#correctClaims(observed));
      if (!needsUpdate) return;
      try {
        const changed = withStorage(this.#set, withIdentity(this.#set, observed));
        this.#options.barrier.wrote(namespacedName(this.#set), 'pods', await this.#pods.update(changed, this.#context));
        this.#record('Update', observed);
        return;
      } catch (error) {
        const newer = this.#options.pods.get(printNamespacedName(namespacedName(pod)));
        const isRetried = isApiError(error, 'Conflict') && tries < conflictsMax && newer !== undefined;
        if (!isRetried || newer === observed) {
          this.#record('Update', observed, error);
          throw error;
        }
        observed = newer;
      }
    }
  }

  /** Creates the claims of a pod that are missing. One that is being deleted is an error: the pod waits. */
  async #createClaims(pod: Frozen<Pod>): Promise<void> {
    const failures: string[] = [];
    for (const claim of claimsOf(this.#set, ordinalOf(pod))) {
      const name = claim.metadata?.name ?? '';
      const found = this.#claim(name);
      if (found !== undefined) {
        if (isTerminating(found)) failures.push(`pvc ${name} is being deleted`);
        continue;
      }
      try {
        const claims = this.#options.client.kind('v1', 'PersistentVolumeClaim').in(this.#namespace);
        const created = await claims.create(claim, this.#context);
        this.#options.barrier.wrote(namespacedName(this.#set), 'claims', created);
        const message = `Create Claim ${name} Pod ${nameOf(pod)} in StatefulSet ${this.#set.metadata.name} success`;
        this.#event('Normal', 'SuccessfulCreate', message);
      } catch (error) {
        failures.push(`failed to create PVC ${name}: ${errorText(error)}`);
        const where = `Create Claim ${name} for Pod ${nameOf(pod)} in StatefulSet ${this.#set.metadata.name}`;
        if (!isApiError(error, 'AlreadyExists'))
          this.#event('Warning', 'FailedCreate', `${where} failed error: ${errorText(error)}`);
      }
    }
    if (failures.length > 0) throw new Error(aggregateText(failures));
  }

  /** Gives the claims of a pod the owners that the retention policy demands. */
  async #correctClaims(pod: Frozen<Pod>): Promise<void> {
    for (const claim of this.#claimsOf(pod)) {
      const ownership = { claim, set: this.#set, pod };
      const { name } = claim.metadata;
      if (hasForeignController(ownership)) {
        // The misspelling is Kubernetes' own.
        const problem = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller`;
        this.#event('Warning', 'ConflictingController', `${problem}, the retention policy is ignored for this claim`);
      }
      if (hasDesiredOwners(ownership)) continue;
      try {
        const ownerReferences = desiredOwners(ownership);
        const claims = this.#options.client.kind('v1', 'PersistentVolumeClaim').in(this.#namespace);
        const updated = await claims.update(
          { ...claim, metadata: { ...claim.metadata, ownerReferences } },
          this.#context,
        );
        this.#options.barrier.wrote(namespacedName(this.#set), 'claims', updated);
      } catch (error) {
        throw new Error(`could not update claim ${name} for delete policy ownerRefs: ${errorText(error)}`, {
          cause: error,
        });
      }
    }
  }

  #claimsOf(pod: Frozen<Pod>): readonly Stored<PersistentVolumeClaim>[] {
    return claimsOf(this.#set, ordinalOf(pod)).flatMap(({ metadata }) => this.#claim(metadata?.name ?? '') ?? []);
  }

  #claim(name: string): Stored<PersistentVolumeClaim> | undefined {
    return this.#options.claims.get(`${this.#namespace}/${name}`);
  }

  #isOwned(pod: Frozen<Pod>): (claim: Stored<PersistentVolumeClaim>) => boolean {
    return (claim) => hasDesiredOwners({ claim, set: this.#set, pod });
  }

  async #recordFailure(verb: Verb, pod: Frozen<Pod>, call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#record(verb, pod, error);
      throw error;
    }
  }

  #record(verb: Verb, pod: Frozen<Pod>, error?: unknown): void {
    const what = `${verb} Pod ${nameOf(pod)} in StatefulSet ${this.#set.metadata.name}`;
    if (error === undefined) this.#event('Normal', `Successful${verb}`, `${what} successful`);
    else this.#event('Warning', `Failed${verb}`, `${what} failed error: ${errorText(error)}`);
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#options.recorder.record({ regarding: objectReference(statefulSetKind, this.#set), type, reason, message });
  }

  get #namespace(): string {
    return this.#set.metadata.namespace ?? '';
  }

  get #pods() {
    return this.#options.client.kind('v1', 'Pod').in(this.#namespace);
  }
}

type Verb = 'Create' | 'Update' | 'Delete';

/** As client-go/util/retry, DefaultBackoff. */
const conflictsMax = 4;

/** Rejections are unknown values, in practice errors. */
function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(errorText(value));
}

function nameOf({ metadata }: Frozen<Pod>): string {
  return metadata?.name ?? '';
}
