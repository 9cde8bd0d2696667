// System objects while the server runs: those that Kubernetes keeps in existence are created again after they were
// deleted, and FlowSchemas get their condition `Dangling`. Driven by the commits of this server, so a cluster in which
// none of these objects changes has no timer and no watch for them.
// As pkg/controlplane/controller/{kubernetesservice,systemnamespaces,legacytokentracking} and
// apiserver/pkg/util/flowcontrol/apf_controller.go, which look at their objects in fixed intervals instead.
import type { Client } from '../../client/index.js';
import { isApiError, mandatoryPriorityLevels } from '../../core/index.js';
import type { ApiObject, Frozen, ResourceRef } from '../../core/index.js';
import type { FlowSchema, FlowSchemaCondition, Service } from '../../core/types/index.js';
import { after } from '../http/deadlines.js';
import { danglingCondition } from './flow-control.js';
import type { BootstrapObject, BootstrapTools } from './write-bootstrap.js';
import { writeBootstrap } from './write-bootstrap.js';

/** Dependencies of the maintenance of system objects. */
export interface SystemObjectTools extends BootstrapTools {
  /** The client of the server itself. */
  readonly client: Client;
  /** Returns the bootstrap objects as they are now, those with `restoreEveryMs` among them. */
  readonly objects: () => readonly BootstrapObject[];
}

/** Maintains the system objects of a server. */
export class SystemObjects {
  readonly #tools: SystemObjectTools;
  readonly #startMs: number;
  /** Cancels pending restorations, by object. */
  readonly #timers = new Map<string, () => void>();
  #restorable: ReadonlyMap<string, BootstrapObject> | undefined;
  #sync: Promise<void> | undefined;
  #isClosed = false;

  constructor(tools: SystemObjectTools) {
    this.#tools = tools;
    this.#startMs = tools.clock.now();
  }

  /** Reacts to a commit: `object` was written, or removed. */
  committed({ group, resource }: ResourceRef, object: Frozen<ApiObject>, isRemoved: boolean): void {
    if (followedResources.get(resource) !== group) return;
    if (group === flowControlGroup) this.#syncDangling();
    if (!isRemoved) return;
    this.#restorable ??= restorableOf(this.#tools.objects());
    const key = keyOf(object);
    if (this.#restorable.has(key)) this.#schedule(key);
  }

  /** Cancels what is pending. */
  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  /** Restores the object at the next multiple of its interval since the start. */
  #schedule(key: string): void {
    if (this.#isClosed || this.#timers.has(key)) return;
    const { clock } = this.#tools;
    const everyMs = this.#restorable?.get(key)?.restoreEveryMs ?? 0;
    const delayMs = everyMs === 0 ? 0 : everyMs - ((clock.now() - this.#startMs) % everyMs);
    const restore = (): void => {
      this.#timers.delete(key);
      this.#restore(key).catch(() => this.#schedule(key));
    };
    this.#timers.set(key, after(clock, delayMs, restore));
  }

  async #restore(key: string): Promise<void> {
    // Looked up now: the address of the server may have changed meanwhile.
    this.#restorable = restorableOf(this.#tools.objects());
    const given = this.#restorable.get(key);
    if (given === undefined) return;
    if (given.object.kind !== 'Service') return writeBootstrap([given], this.#tools);
    // As a request, which allocates the address.
    const services = this.#tools.client.kind('v1', 'Service').in(given.object.metadata?.namespace ?? '');
    await services.create(given.object as Service).catch((error: unknown) => {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    });
  }

  /** Writes the condition of all FlowSchemas where it is out of date; once more where something changes meanwhile. */
  #syncDangling(): void {
    const run = (this.#sync ?? Promise.resolve()).then(() => this.#writeDangling());
    this.#sync = run.catch(() => undefined); // the next change of a FlowSchema or level tries again
  }

  async #writeDangling(): Promise<void> {
    if (this.#isClosed) return;
    const { client, clock } = this.#tools;
    const flowSchemas = client.kind('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema');
    const levels = await client.kind('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration').list();
    const names = new Set([...mandatoryPriorityLevels().keys(), ...levels.items.map(({ metadata }) => metadata.name)]);
    for (const schema of (await flowSchemas.list()).items) {
      const level = schema.spec?.priorityLevelConfiguration.name ?? '';
      const wanted = danglingCondition(level, names.has(level), clock.now());
      const conditions = conditionsWith(schema, wanted);
      if (conditions === undefined) continue;
      const patch = { merge: { status: { conditions } } };
      await flowSchemas.status.patch(schema.metadata.name, patch, { fieldManager }).catch((error: unknown) => {
        if (!isApiError(error, 'NotFound')) throw error;
      });
    }
  }
}

const flowControlGroup = 'flowcontrol.apiserver.k8s.io';
const fieldManager = 'api-priority-and-fairness-config-consumer-v1';

/** The resources of system objects that are restored, and their groups. */
const followedResources: ReadonlyMap<string, string> = new Map([
  ['services', ''],
  ['endpoints', ''],
  ['endpointslices', 'discovery.k8s.io'],
  ['namespaces', ''],
  ['configmaps', ''],
  ['leases', 'coordination.k8s.io'],
  ['apiservices', 'apiregistration.k8s.io'],
  ['flowschemas', flowControlGroup],
  ['prioritylevelconfigurations', flowControlGroup],
]);

function restorableOf(objects: readonly BootstrapObject[]): ReadonlyMap<string, BootstrapObject> {
  const restored = objects.filter(({ restoreEveryMs }) => restoreEveryMs !== undefined);
  return new Map(restored.map((each) => [keyOf(each.object), each]));
}

function keyOf({ kind = '', metadata: { namespace = '', name = '' } = {} }: Frozen<ApiObject>): string {
  return `${kind}/${namespace}/${name}`;
}

/** The conditions with the wanted one; undefined where it is there already. */
function conditionsWith(
  { status }: Frozen<FlowSchema>,
  wanted: FlowSchemaCondition,
): readonly Frozen<FlowSchemaCondition>[] | undefined {
  const existing = status?.conditions ?? [];
  const current = existing.find(({ type }) => type === wanted.type);
  const isSame =
    current?.status === wanted.status && current?.reason === wanted.reason && current?.message === wanted.message;
  return isSame ? undefined : [...existing.filter((each) => each !== current), wanted];
}
