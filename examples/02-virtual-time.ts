// Time that moves when it is told to: thirty days of heartbeats pass in a moment, in the same order every time.
import { random, virtualClock } from 'vivarium';
import type { BackoffState } from 'vivarium/core';
import { backoffLadders, backoffStep, printTime } from 'vivarium/core';

const clock = virtualClock({ start: Date.parse('2026-01-01T00:00:00Z') });
let heartbeats = 0;
const subscription = clock.interval(10_000).subscribe(() => {
  heartbeats += 1;
});

await clock.advance('30d');
console.log(`${heartbeats} heartbeats, it is ${printTime(clock.now())}`);

subscription.unsubscribe();
console.log(`${clock.pending} timers left`);

const dice = random('example').stream('dice');
console.log(dice.integer(6), dice.integer(6), dice.integer(6));

let state: BackoffState | undefined;
for (let crash = 1; crash <= 6; crash += 1) {
  const step = backoffStep(backoffLadders.crashLoop, state, { nowMs: clock.now(), random: dice });
  console.log(`crash ${crash}: wait ${step.delayMs / 1000} s`);
  state = step.state;
}

// prints:
// 259200 heartbeats, it is 2026-01-31T00:00:00Z
// 0 timers left
// 3 1 5
// crash 1: wait 10 s
// crash 2: wait 20 s
// crash 3: wait 40 s
// crash 4: wait 80 s
// crash 5: wait 160 s
// crash 6: wait 300 s
