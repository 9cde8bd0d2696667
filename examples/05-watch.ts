// A watch that never dies: it lists, watches, survives what the source does to it, and keeps a snapshot with an index.
import { NEVER, concat, of, throwError } from 'rxjs';
import { random, virtualClock } from 'vivarium';
import type { ListWatch } from 'vivarium/core';
import { reflect, resourceExpired, snapshotWriter, watcher } from 'vivarium/core';

interface Fish {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: { readonly tank: string };
}
const fish = (name: string, tank: string, resourceVersion: string): Fish => ({
  metadata: { name, resourceVersion },
  spec: { tank },
});

let lists = 0;
const source: ListWatch<Fish> = {
  list: async () => {
    lists += 1;
    return lists === 1
      ? { items: [fish('nemo', 'reef', '1')], resourceVersion: '1' }
      : { items: [fish('dory', 'deep', '9')], resourceVersion: '9' };
  },
  watch: ({ resourceVersion }) =>
    resourceVersion === '1'
      ? concat(
          of({ type: 'ADDED' as const, object: fish('dory', 'reef', '2') }),
          throwError(() => resourceExpired('too old resource version')),
        )
      : NEVER,
};

const clock = virtualClock();
const writer = snapshotWriter<Fish, 'tank'>({ tank: ({ spec }) => [spec.tank] });
const subscription = watcher(source, { clock, random: random('aquarium') })
  .pipe(reflect(writer))
  .subscribe((event) => console.log('object' in event ? `${event.type} ${event.object.metadata.name}` : event.type));

await clock.advance('1m');
console.log(
  'in the deep:',
  writer.snapshot.by('tank', 'deep').map(({ metadata }) => metadata.name),
);
subscription.unsubscribe();
console.log('timers left:', clock.pending);

// prints:
// init
// listed nemo
// synced
// applied dory
// failed
// init
// deleted nemo
// listed dory
// synced
// in the deep: [ 'dory' ]
// timers left: 0
