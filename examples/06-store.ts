// A store with history: compare before writing, watch without missing anything, read the past, fork for a what-if.
import { virtualClock } from 'vivarium';
import { isStoreError, memoryStore } from 'vivarium/storage';

const store = memoryStore({ clock: virtualClock() });
const subscription = store.watch('/registry/pods/').subscribe(({ revision, changes }) => {
  for (const { type, key } of changes) console.log(`revision ${revision}: ${type} ${key}`);
});

const key = '/registry/pods/default/web';
const created = await store.commit({ compare: [{ key, modRevision: 0 }], put: [{ key, value: { phase: 'Pending' } }] });
await store.commit({ compare: [{ key, modRevision: created.revision }], put: [{ key, value: { phase: 'Running' } }] });

const late = await store.commit({
  compare: [{ key, modRevision: created.revision }],
  put: [{ key, value: { phase: 'Failed' } }],
});
if (!late.committed) console.log('another writer was faster:', late.found[0]?.value);

const before = await store.get(key, { revision: created.revision });
console.log('it was', before.entry?.value);

const branch = store.fork();
await branch.commit({ delete: [key] });
console.log('in the fork:', (await branch.get(key)).entry, '- here:', (await store.get(key)).entry?.value);

await store.compact(await store.revision());
await store.get(key, { revision: created.revision }).catch((error: unknown) => {
  if (isStoreError(error, 'compacted')) console.log(error.message);
});
subscription.unsubscribe();
await Promise.all([store.close(), branch.close()]);

// prints:
// revision 2: put /registry/pods/default/web
// revision 3: put /registry/pods/default/web
// another writer was faster: { phase: 'Running' }
// it was { phase: 'Pending' }
// in the fork: undefined - here: { phase: 'Running' }
// revision 2 is compacted, the oldest left is 3
