// Random histories of controllers on virtual time: a family acts on a cluster whose controllers crash before and after
// writes, lose leadership, meet conflicts and expired watches. Invariants are checked after every revision of the
// store, in their order; at the end the connection is reliable again, and the state must be what the specs demand. The
// same seed leads to the same bytes.
import process from 'node:process';
import type { Test } from 'tap';
import type { Client, Stored } from '../../lib/client/index.js';
import { badRequest, errorText, isApiError, random, virtualClock } from '../../lib/core/index.js';
import type { Activity, ApiObject, Frozen, Random } from '../../lib/core/index.js';
import type { Deployment, Job, Node, Pod, ReplicaSet } from '../../lib/core/types/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Batch } from '../../lib/storage/index.js';
import { FaultyControllers } from './faulty-controllers.js';
import type { AccountController } from './faulty-controllers.js';
import { observe } from './observe.js';
import { runs, seed as firstSeed } from './properties.js';
import { simulatedKubelet } from './simulated-kubelet.js';

/** An object as it is stored. */
export type StoredObject = Frozen<ApiObject> & { readonly metadata: { readonly name: string; readonly uid: string } };

/** A change of one object: without `now` it was deleted, without `before` created. */
export interface ObjectChange<T = StoredObject> {
  readonly kind: string;
  readonly before: T | undefined;
  readonly now: T | undefined;
}

/** The kinds that histories look at. */
export interface ObservedKinds {
  readonly ConfigMap: StoredObject;
  readonly Deployment: Stored<Deployment>;
  readonly Job: Stored<Job>;
  readonly Node: Stored<Node>;
  readonly PersistentVolumeClaim: StoredObject;
  readonly Pod: Stored<Pod>;
  readonly ReplicaSet: Stored<ReplicaSet>;
}

/** A history under way. */
export interface History {
  readonly world: FaultyControllers;
  /** The administrator's client, which is reliable. */
  readonly client: Client;
  /** Decides about actions. */
  readonly random: Random;
  /** Returns the objects of a kind at the newest revision that was checked. */
  objects<Kind extends keyof ObservedKinds>(kind: Kind): readonly ObservedKinds[Kind][];
  /** Returns the name of a random object of a kind. Throws an ApiError, which ends the action, if there is none. */
  anyName(kind: string): string;
  /** Milliseconds of virtual time since the start. */
  elapsedMs(): number;
}

/** What a family does in one history. */
export interface Plot {
  /** Creates what the history is about, with a reliable connection. */
  begin(): Promise<void>;
  /** Does one random thing. API errors are ignored. */
  act(): Promise<void>;
  /** Returns what is wrong after a change; undefined if nothing is. Called in the order of revisions. */
  check(change: ObjectChange): string | undefined;
  /** Returns what is wrong at the end. */
  end(): readonly string[] | Promise<readonly string[]>;
}

/** A family of controllers. */
export interface Family {
  readonly controllers: readonly AccountController[];
  readonly nodes: number;
  /** The number of actions. Default 12. */
  readonly actions?: number;
  /** The longest time between two actions. Default 15 s. */
  readonly pauseMsMax?: number;
  /** The time without faults at the end. Default 10 minutes. */
  readonly healMs?: number;
  plot(history: History): Plot;
}

/** The outcome of a history. */
export interface HistoryResult {
  readonly problems: readonly string[];
  /** All that is stored at the end. */
  readonly bytes: string;
  readonly crashes: number;
  readonly revisions: number;
}

/** Runs one history. */
export async function runHistory(family: Family, seed: number): Promise<HistoryResult> {
  const clock = virtualClock({ start: startMs });
  const store = memoryStore({ clock });
  const chance = random(seed).stream('history');
  const pod = { startMs: 500 + chance.integer(6_000), stopMs: 200 + chance.integer(4_000) };
  const problems: string[] = [];
  const objects = new Map<string, StoredObject>();
  const running: { plot?: Plot } = {};
  let revisions = 0;
  const take = ({ revision, changes }: Batch): void => {
    revisions = revision;
    for (const each of changes) {
      const before = objects.get(each.key);
      // Values of the store are API objects.
      const now = each.type === 'put' ? (each.entry.value as unknown as StoredObject) : undefined;
      if (now === undefined) objects.delete(each.key);
      else objects.set(each.key, now);
      const problem = running.plot?.check({ kind: (now ?? before)?.kind ?? '', before, now });
      if (problem !== undefined) problems.push(`revision ${revision}: ${problem}`);
    }
  };
  const watching = observe(store.watch('', { after: 0 }), take);
  await using world = await FaultyControllers.start(family.controllers, {
    seed,
    clock,
    store,
    compaction: false,
    // The simulated kubelet below runs the pods.
    nodes: { count: family.nodes, runtime: 'none' },
    scheduler: {},
    parts: [simulatedKubelet(pod)],
  });
  const ofKind = (kind: string): readonly StoredObject[] => [...objects.values()].filter((each) => each.kind === kind);
  const plot = family.plot({
    world,
    client: world.client,
    random: chance,
    // The kind says which type it is.
    objects: <Kind extends keyof ObservedKinds>(kind: Kind) =>
      ofKind(kind) as readonly unknown[] as ObservedKinds[Kind][],
    anyName: (kind) => {
      const all = ofKind(kind);
      if (all.length === 0) throw badRequest(`there is no ${kind}`);
      return chance.pick(all).metadata.name;
    },
    elapsedMs: () => clock.now() - startMs,
  });
  running.plot = plot;
  await plot.begin();
  await world.cluster.advance(chance.integer(20_000));
  world.isFaulty = true;
  for (let action = 0; action < (family.actions ?? 12); action += 1) {
    // Another process leads from now on.
    if (chance.integer(8) === 0) world.restart();
    else await plot.act().catch(ignoreApiError);
    await world.cluster.advance(chance.integer(family.pauseMsMax ?? 15_000));
  }
  await world.heal(family.healMs ?? 600_000);
  await world.cluster.settled();
  problems.push(...(await plot.end()));
  for (const failure of world.failures) {
    const text = 'error' in failure ? errorText(failure.error) : failure.type;
    if (!isRetriedLag(failure) && !text.includes('Operation cannot be fulfilled'))
      problems.push(`a failure that was not injected: ${text}`);
  }
  watching.unsubscribe();
  const bytes = JSON.stringify([...objects].filter(([key]) => !key.includes('/events/')));
  return { problems, bytes, crashes: world.crashes, revisions };
}

const startMs = 1_893_456_000_000;

/**
 * Returns whether a reconcile met an object that is gone, because its informers lag behind (a watch was cut), and is
 * retried. Kubernetes' controllers return such errors too. Conflicts are recognized by their text: controllers wrap the
 * ones that are injected.
 */
function isRetriedLag(failure: Activity): boolean {
  return 'retryInMs' in failure && 'error' in failure && isApiError(failure.error, 'NotFound');
}

function ignoreApiError(error: unknown): void {
  if (!isApiError(error)) throw error;
}

/**
 * Tests a family with as many histories as the run demands: 10, in the long run 50, or HISTORIES. Every tenth history
 * runs twice, to compare the bytes. The first that fails is reported with its seed; HISTORY=SEED repeats only that one.
 */
export function testHistories(t: Test, what: string, family: Family): void {
  t.test(`${what}: every history keeps its invariants and ends as specified`, async (t) => {
    let crashes = 0;
    let revisions = 0;
    const { HISTORIES, HISTORY } = process.env;
    const count = HISTORY === undefined ? Number(HISTORIES ?? runs(25)) : 1;
    for (let number = 0; number < count; number += 1) {
      const seed = Number(HISTORY ?? firstSeed * 10_000 + number);
      const result = await runHistory(family, seed);
      crashes += result.crashes;
      revisions += result.revisions;
      if (!t.strictSame(result.problems.slice(0, 5), [], `history ${seed}`)) return;
      if (number % 10 === 0) t.equal((await runHistory(family, seed)).bytes, result.bytes, `history ${seed} again`);
    }
    t.ok(crashes > 0 || HISTORY !== undefined, `${count} histories, ${revisions} revisions, ${crashes} crashes`);
  });
}
