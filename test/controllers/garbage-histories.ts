// Random histories of the garbage collector: objects own each other, some are deleted in the foreground, in the
// background or with orphans, while the collector crashes. No object is collected that has an owner or none at all, no
// dependent that blocks outlives an owner that was deleted in the foreground, and the end is what references demand.
import t from 'tap';
import { garbageCollector } from '../../lib/controllers/index.js';
import { isTerminating } from '../../lib/core/index.js';
import { testHistories } from '../support/controller-histories.js';
import type { Family, History, Plot, StoredObject } from '../support/controller-histories.js';

const foreground = 'foregroundDeletion';

function garbagePlot({ client, random, objects, anyName, world }: History): Plot {
  const maps = client.kind('v1', 'ConfigMap').in('default');
  /** What the history itself deleted, by uid. */
  const deleted = new Set<string>();
  const living = (): readonly StoredObject[] => objects('ConfigMap').filter(isOurs);
  const isOurs = ({ metadata }: StoredObject): boolean => metadata.name.startsWith('m');
  const byUid = (uid: string): StoredObject | undefined => living().find(({ metadata }) => metadata.uid === uid);
  let created = 0;
  const create = async (): Promise<void> => {
    const owners = random.shuffle(living().filter((each) => !isTerminating(each))).slice(0, random.integer(3));
    const ownerReferences = owners.map(({ metadata: { name, uid } }) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name,
      uid,
      ...(random.integer(2) === 0 && { blockOwnerDeletion: true }),
    }));
    created += 1;
    await maps.create({ metadata: { name: `m${created}`, ...(ownerReferences.length > 0 && { ownerReferences }) } });
  };
  const remove = async (): Promise<void> => {
    const name = anyName('ConfigMap');
    const object = living().find(({ metadata }) => metadata.name === name);
    // A second deletion with another policy would end the wait for dependents.
    if (object === undefined || isTerminating(object)) return;
    deleted.add(object.metadata.uid);
    await maps.delete(name, { propagationPolicy: random.pick(['Foreground', 'Background', 'Orphan']) });
  };
  const addOwner = async (): Promise<void> => {
    const [owner, dependent] = random.shuffle(living().filter((each) => !isTerminating(each)));
    if (owner === undefined || dependent === undefined) return;
    const { name, uid } = owner.metadata;
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: random.integer(2) === 0 };
    await maps.modify(dependent.metadata.name, (newest) => ({
      ...newest,
      metadata: { ...newest.metadata, ownerReferences: [...(newest.metadata.ownerReferences ?? []), reference] },
    }));
  };
  return {
    begin: async () => {
      for (let number = 0; number < 8; number += 1) await create();
    },
    act: () => random.pick([create, create, create, remove, remove, addOwner])(),
    check: ({ kind, before, now }) => {
      const object = now ?? before;
      if (kind !== 'ConfigMap' || object === undefined || !isOurs(object)) return undefined;
      if (before === undefined) return undefined;
      const { name, uid } = before.metadata;
      const begins = now !== undefined && isTerminating(now) && !isTerminating(before);
      const owners = before.metadata.ownerReferences ?? [];
      if ((begins || (now === undefined && !isTerminating(before))) && !deleted.has(uid)) {
        if (owners.length === 0) return `${name} is collected, and has no owner`;
        const solid = owners.find((reference) => {
          const owner = byUid(reference.uid);
          return owner !== undefined && !(owner.metadata.finalizers ?? []).includes(foreground);
        });
        if (solid !== undefined) return `${name} is collected, and its owner ${solid.name} lives`;
      }
      if (now === undefined && (before.metadata.finalizers ?? []).includes(foreground)) {
        const left = living().find(({ metadata }) =>
          (metadata.ownerReferences ?? []).some((each) => each.uid === uid && each.blockOwnerDeletion === true),
        );
        if (left !== undefined) return `${left.metadata.name} outlives ${name}, which waited for it`;
      }
      return undefined;
    },
    end: async () => {
      await world.cluster.settled();
      const problems: string[] = [];
      for (const object of living()) {
        const { name, ownerReferences = [], finalizers = [] } = object.metadata;
        if (isTerminating(object) || finalizers.length > 0) problems.push(`${name} is still being deleted`);
        const absent = ownerReferences.filter((reference) => byUid(reference.uid) === undefined);
        if (absent.length > 0) problems.push(`${name} has ${absent.length} owners that are gone`);
      }
      return problems;
    },
  };
}

const family: Family = {
  controllers: [{ account: 'generic-garbage-collector', create: garbageCollector }],
  nodes: 0,
  actions: 16,
  pauseMsMax: 8_000,
  plot: garbagePlot,
};

testHistories(t, 'the garbage collector', family);
