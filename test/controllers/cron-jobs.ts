// The CronJob controller: the times of schedules, compared with a plain reference that tries every minute, which starts
// are made, missed and skipped, and random histories with an unreliable connection.
import t from 'tap';
import type { Stored } from '../../lib/client/index.js';
import { cronTimes } from '../../lib/controllers/cron-jobs/cron-times.js';
import { decideStart } from '../../lib/controllers/cron-jobs/start-decision.js';
import { delayUntilNextStart } from '../../lib/controllers/cron-jobs/missed-starts.js';
import { cronJobs, ttlAfterFinished } from '../../lib/controllers/index.js';
import { parseCronSchedule, parseTime, printTime } from '../../lib/core/index.js';
import type { CronJob, CronJobSpec, Job } from '../../lib/core/types/index.js';
import { FaultyControllers } from '../support/faulty-controllers.js';
import { fc, runs } from '../support/properties.js';

const controllers = [{ account: 'cronjob-controller', create: cronJobs }];
const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i' }] } };
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const start = (): Promise<FaultyControllers> => FaultyControllers.start(controllers);

async function createCronJob({ client }: FaultyControllers, spec: Partial<CronJobSpec> = {}): Promise<Stored<CronJob>> {
  return await client
    .kind('batch/v1', 'CronJob')
    .in('default')
    .create({ metadata: { name: 'c' }, spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec } });
}

async function jobsOf({ client }: FaultyControllers): Promise<readonly Stored<Job>[]> {
  const { items } = await client.kind('batch/v1', 'Job').in('default').list();
  return items.toSorted((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion));
}

/** The minutes since the start of the cluster at which Jobs were due. */
async function startedMinutes(world: FaultyControllers): Promise<readonly number[]> {
  const jobs = await jobsOf(world);
  return jobs.map(({ metadata }) => Number(metadata.name.slice(2)) - worldStartMs / minuteMs);
}

const worldStartMs = Date.UTC(2030, 0, 1);

/** Ends a Job as the Job controller does. */
async function finish({ client, cluster }: FaultyControllers, name: string, type = 'Complete'): Promise<void> {
  const now = printTime(cluster.clock.now());
  const target = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const conditions = [target, type].map((each) => ({ type: each, status: 'True' as const, lastTransitionTime: now }));
  const isComplete = type === 'Complete';
  await client
    .kind('batch/v1', 'Job')
    .in('default')
    .status.patch(name, {
      merge: {
        status: {
          conditions,
          startTime: now,
          ...(isComplete && { completionTime: now, succeeded: 1, uncountedTerminatedPods: {} }),
        },
      },
    });
}

/** The time in UTC of the next start, such as 2030-03-31T00:30. */
function nextOf(schedule: string, zone: string, after: string): string {
  const next = cronTimes(schedule, zone)(parseTime(`${after}:00Z`));
  return next === undefined ? 'never' : printTime(next).slice(0, 16);
}

t.test('daylight saving skips a local time, or repeats it', (t) => {
  const berlin = 'Europe/Berlin';
  t.equal(nextOf('30 2 * * *', berlin, '2030-03-30T00:00'), '2030-03-30T01:30');
  t.equal(nextOf('30 2 * * *', berlin, '2030-03-30T02:00'), '2030-04-01T00:30', 'no 02:30 on March 31');
  t.equal(nextOf('30 2 * * *', berlin, '2030-10-26T12:00'), '2030-10-27T00:30', 'in summer time');
  t.equal(nextOf('30 2 * * *', berlin, '2030-10-27T00:30'), '2030-10-27T01:30', 'once more in winter time');
  t.equal(nextOf('30 2 * * *', berlin, '2030-10-27T01:30'), '2030-10-28T01:30');
  t.equal(nextOf('0 * * * *', 'Australia/Lord_Howe', '2030-04-06T14:20'), '2030-04-06T15:30', 'half an hour');
  t.end();
});

t.test('days follow the rules of cron: either field, unless one of them is open', (t) => {
  t.equal(nextOf('0 0 13 * 5', 'UTC', '2030-01-01T00:00'), '2030-01-04T00:00', 'a Friday');
  t.equal(nextOf('0 0 13 * *', 'UTC', '2030-01-01T00:00'), '2030-01-13T00:00');
  t.equal(nextOf('0 0 */2 * 1', 'UTC', '2030-01-01T00:00'), '2030-01-03T00:00', 'a step is no open field');
  t.equal(nextOf('0 0 29 2 *', 'UTC', '2030-01-01T00:00'), '2032-02-29T00:00');
  t.equal(nextOf('0 0 31 2 *', 'UTC', '2030-01-01T00:00'), 'never');
  t.equal(nextOf('@every 90m', 'UTC', '2030-01-01T00:10'), '2030-01-01T01:40');
  t.equal(nextOf('TZ=Asia/Tokyo 0 9 * * *', 'UTC', '2030-01-01T00:00'), '2030-01-02T00:00');
  t.throws(() => cronTimes('0 0 * * 7'), { message: 'end of range (7) above maximum (6): 7' });
  t.end();
});

/** A plain reference: the local time of every minute, as Intl prints it, is compared with the fields. */
function referenceNext(text: string, zone: string, afterMs: number, untilMs: number): number | undefined {
  const schedule = parseCronSchedule(text);
  if ('everySeconds' in schedule) return afterMs - (afterMs % 1000) + schedule.everySeconds * 1000;
  const { minutes, hours, daysOfMonth, months, daysOfWeek } = schedule;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    month: 'numeric',
    day: 'numeric',
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
  });
  const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  for (let atMs = (Math.floor(afterMs / minuteMs) + 1) * minuteMs; atMs <= untilMs; atMs += minuteMs) {
    const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    if (!minutes.values.includes(Number(parts.minute)) || !hours.values.includes(Number(parts.hour))) continue;
    const isDay = daysOfMonth.values.includes(Number(parts.day));
    const isWeekday = daysOfWeek.values.includes(names.indexOf(parts.weekday ?? ''));
    const isAny = daysOfMonth.any || daysOfWeek.any;
    if (months.values.includes(Number(parts.month)) && (isAny ? isDay && isWeekday : isDay || isWeekday)) return atMs;
  }
  return undefined;
}

const field = (min: number, max: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    fc.integer({ min: 1, max: 5 }).map((step) => `*/${step}`),
    fc.integer({ min, max }).map(String),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map((ends) => {
      const [low, high] = [Math.min(...ends), Math.max(...ends)];
      return `${low}-${high}`;
    }),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map((values) => values.join(',')),
  );

t.test('the next time of a schedule is the first minute whose local time matches', (t) => {
  const schedules = fc
    .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6))
    .map((f) => f.join(' '));
  // Zones whose clocks change at midnight have results of their own: see the header of cron-times.ts.
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'Australia/Lord_Howe'];
  // Around changes of daylight saving time, and anywhere in two years.
  const changes = ['2030-03-10', '2030-03-31', '2030-04-07', '2030-10-06', '2030-10-27', '2030-11-03'];
  const times = fc.oneof(
    fc
      .tuple(fc.constantFrom(...changes), fc.integer({ min: -36 * 60, max: 36 * 60 }))
      .map(([day, minutes]) => parseTime(`${day}T00:00:00Z`) + minutes * minuteMs + 7_000),
    fc.integer({ min: worldStartMs, max: worldStartMs + 2 * 365 * 24 * hourMs }),
  );
  fc.assert(
    fc.property(schedules, fc.constantFrom(...zones), times, (schedule, zone, afterMs) => {
      const untilMs = afterMs + 4 * 24 * hourMs;
      const next = cronTimes(schedule, zone)(afterMs);
      const expected = referenceNext(schedule, zone, afterMs, untilMs);
      if (expected === undefined) t.ok(next === undefined || next > untilMs, `${schedule} ${zone}`);
      else t.equal(next, expected, `${schedule} ${zone} after ${printTime(afterMs)}`);
    }),
    { numRuns: runs(300) },
  );
  t.end();
});

/** A CronJob as the server returns it, created at the beginning of 2030. */
function cronJob(spec: Partial<CronJobSpec>, status: CronJob['status'] = {}): CronJob {
  const metadata = { name: 'c', namespace: 'default', uid: 'u', creationTimestamp: printTime(worldStartMs) };
  return { metadata, spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec }, status };
}

t.test('of missed starts only the latest is made up for, and more than a hundred are worth a warning', (t) => {
  const decide = (spec: Partial<CronJobSpec>, minutes: number): string => {
    const { events, start: found } = decideStart(cronJob(spec), worldStartMs + minutes * minuteMs + 100);
    const at = found === undefined ? '-' : String((found.scheduledMs - worldStartMs) / minuteMs);
    return [at, ...events.map(({ reason }) => reason)].join(' ');
  };
  t.equal(decide({}, 0), '-');
  t.equal(decide({}, 1), '1');
  t.equal(decide({}, 100), '100');
  t.equal(decide({}, 101), '101 TooManyMissedTimes');
  t.equal(decide({ startingDeadlineSeconds: 200 }, 101), '101', 'starts before the deadline do not count');
  t.equal(decide({ schedule: '0 9 * * 1-5' }, 7 * 24 * 60), String(6 * 24 * 60 + 9 * 60), 'an uneven schedule');
  t.equal(decide({ schedule: '0 9 * * 1-5' }, 40 * 24 * 60), '-', 'the estimate of uneven schedules may find none');
  t.equal(decide({ schedule: '@every 45m' }, 100), '90');
  t.equal(decide({ schedule: '0 0 31 2 *' }, 1), '- InvalidSchedule');
  t.equal(decide({ schedule: 'x' }, 1), '- UnparseableSchedule');
  t.equal(decide({ timeZone: 'Mars/Base' }, 1), '- UnknownTimeZone');
  t.equal(decide({ schedule: 'TZ=UTC * * * * *' }, 1), '1 UnsupportedSchedule');
  t.equal(decide({ suspend: true }, 1), '-');
  t.equal(decide({ schedule: '0 1 * * *', startingDeadlineSeconds: 10 }, 61), '-', 'too late');
  t.end();
});

t.test('the latest missed start is that of the reference, and the wait ends at the next one', (t) => {
  // Of even schedules: how many starts were missed is an estimate from the first two.
  const schedules = fc.constantFrom('*/5 * * * *', '0 */3 * * *', '@every 95s', '@daily');
  const ages = fc.integer({ min: 0, max: 40 * 24 * 60 * 60 });
  fc.assert(
    fc.property(schedules, ages, fc.option(ages), (schedule, age, last) => {
      const nowMs = worldStartMs + age * 1000 + 100;
      const status = last === null || last > age ? {} : { lastScheduleTime: printTime(worldStartMs + last * 1000) };
      const object = cronJob({ schedule }, status);
      const times = cronTimes(schedule);
      let expected: number | undefined;
      const sinceMs = 'lastScheduleTime' in status ? parseTime(status.lastScheduleTime) : worldStartMs;
      let atMs = times(sinceMs);
      for (; atMs !== undefined && atMs <= nowMs; atMs = times(atMs)) expected = atMs;
      t.equal(decideStart(object, nowMs).start?.scheduledMs, expected, `${schedule} ${age} ${last ?? ''}`);
      const started = cronJob(
        { schedule },
        expected === undefined ? status : { lastScheduleTime: printTime(expected) },
      );
      t.equal(delayUntilNextStart(started, times, nowMs), (atMs ?? 0) + 100 - nowMs);
    }),
    { numRuns: runs(300) },
  );
  t.end();
});

t.test('a Job is created a tenth of a second after each minute, with its time in its name', async (t) => {
  await using world = await start();
  await createCronJob(world, {
    timeZone: 'Asia/Tokyo',
    jobTemplate: { metadata: { labels: { a: 'b' }, annotations: { n: 'm' } }, spec: { template } },
  });
  await world.cluster.advance(minuteMs + 99);
  t.same(await startedMinutes(world), []);
  await world.cluster.advance(1);
  t.same(await startedMinutes(world), [1]);
  const [job] = await jobsOf(world);
  t.match(job?.metadata, {
    labels: { a: 'b' },
    annotations: { n: 'm', 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2030-01-01T09:01:00+09:00' },
    ownerReferences: [{ kind: 'CronJob', name: 'c', controller: true, blockOwnerDeletion: true }],
  });
  await world.cluster.advance(minuteMs);
  t.same(await startedMinutes(world), [1, 2], 'one runs beside the other');
  const { status } = await world.client.kind('batch/v1', 'CronJob').in('default').get('c');
  t.equal(status?.lastScheduleTime, '2030-01-01T00:02:00Z');
  t.match(status?.active, [
    { apiVersion: 'batch/v1', kind: 'Job', name: job?.metadata.name, uid: job?.metadata.uid },
    {},
  ]);
  t.same(world.failures, []);
  const created = (await world.events('c')).filter((event) => event.includes('SuccessfulCreate'));
  t.equal(created[0], `Normal SuccessfulCreate: Created job ${job?.metadata.name ?? ''}`);
});

t.test('Forbid waits for the Job before, Replace deletes it', async (t) => {
  await using world = await start();
  await createCronJob(world, { concurrencyPolicy: 'Forbid' });
  await world.cluster.advance(2 * minuteMs + 30_000);
  t.same(await startedMinutes(world), [1]);
  const skipped = 'Not starting job because prior execution is running and concurrency policy is Forbid';
  t.ok((await world.events('c')).includes(`Normal JobAlreadyActive: ${skipped}`));
  const [first] = await jobsOf(world);
  await finish(world, first?.metadata.name ?? '');
  await world.cluster.settled();
  t.same(await startedMinutes(world), [1, 2], 'the start that was held back is made up for');
  const cronJobClient = world.client.kind('batch/v1', 'CronJob').in('default');
  const { status } = await cronJobClient.get('c');
  t.equal(status?.lastSuccessfulTime, '2030-01-01T00:02:30Z');
  const events = await world.events('c');
  t.ok(
    events.includes(`Normal SawCompletedJob: Saw completed job: ${first?.metadata.name ?? ''}, condition: Complete`),
  );

  await cronJobClient.patch('c', { merge: { spec: { concurrencyPolicy: 'Replace' } } });
  await world.cluster.advance(2 * minuteMs);
  t.same(await startedMinutes(world), [1, 4], 'the finished one is kept');
  t.equal((await cronJobClient.get('c')).status?.active?.length, 1);
  t.same(world.failures, []);
});

t.test('a late start is made up for until the deadline, and not after it', async (t) => {
  await using world = await start();
  await createCronJob(world, { schedule: '0 * * * *', startingDeadlineSeconds: 600, suspend: true });
  const cronJobClient = world.client.kind('batch/v1', 'CronJob').in('default');
  await world.cluster.advance(65 * minuteMs);
  await cronJobClient.patch('c', { merge: { spec: { suspend: false } } });
  await world.cluster.settled();
  t.same(await startedMinutes(world), [60]);
  await cronJobClient.patch('c', { merge: { spec: { suspend: true } } });
  await world.cluster.advance(66 * minuteMs);
  await cronJobClient.patch('c', { merge: { spec: { suspend: false } } });
  await world.cluster.advance(48 * minuteMs);
  t.same(await startedMinutes(world), [60], 'ten minutes after 02:00 it is too late');
  await world.cluster.advance(2 * minuteMs);
  t.same(await startedMinutes(world), [60, 180]);
});

t.test('a changed schedule counts from now on', async (t) => {
  await using world = await start();
  await createCronJob(world, { schedule: '0 12 * * *' });
  await world.cluster.advance(10 * minuteMs + 30_000);
  await world.client
    .kind('batch/v1', 'CronJob')
    .in('default')
    .patch('c', { merge: { spec: { schedule: '*/5 * * * *' } } });
  await world.cluster.advance(minuteMs);
  t.same(await startedMinutes(world), [], 'starts that the new schedule would have had are not made up for');
  await world.cluster.advance(4 * minuteMs);
  t.same(await startedMinutes(world), [15]);
});

t.test('finished Jobs beyond the limits of the history are deleted, oldest first', async (t) => {
  await using world = await start();
  await createCronJob(world, { successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
  await world.cluster.advance(100);
  for (const type of ['Complete', 'Failed', 'Complete', 'Failed', 'Complete', 'Complete']) {
    await world.cluster.advance(minuteMs);
    await finish(
      world,
      (await jobsOf(world)).find(({ status }) => status?.conditions === undefined)?.metadata.name ?? '',
      type,
    );
  }
  await world.cluster.settled();
  t.same(await startedMinutes(world), [4, 5, 6]);
  t.same(world.failures, []);
});

t.test('a Job that was created by hand, and one that is gone, are reported', async (t) => {
  await using world = await start();
  const { metadata } = await createCronJob(world, { schedule: '0 0 1 1 *' });
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: metadata.uid, controller: true };
  const jobs = world.client.kind('batch/v1', 'Job').in('default');
  await jobs.create({ metadata: { name: 'by-hand', ownerReferences: [owner] }, spec: { template } });
  await world.cluster.settled();
  const unexpected = 'Saw a job that the controller did not create or forgot: by-hand';
  t.same(await world.events('c'), [`Warning UnexpectedJob: ${unexpected}`]);
  const cronJobClient = world.client.kind('batch/v1', 'CronJob').in('default');
  t.equal((await cronJobClient.get('c')).status?.active, undefined, 'it is not counted as active');
  await finish(world, 'by-hand');
  await world.cluster.settled();
  t.equal((await cronJobClient.get('c')).status?.lastSuccessfulTime, '2030-01-01T00:00:00Z');

  await cronJobClient.patch('c', { merge: { spec: { schedule: '* * * * *' } } });
  await world.cluster.advance(minuteMs + 200);
  const started = (await jobsOf(world)).at(-1)?.metadata.name ?? '';
  await jobs.delete(started, { propagationPolicy: 'Background' });
  await world.cluster.settled();
  t.ok((await world.events('c')).includes(`Normal MissingJob: Active job went missing: ${started}`));
  t.equal((await cronJobClient.get('c')).status?.active, undefined);
});

t.test('a refused Job is tried again, and the failure is an Event', async (t) => {
  await using world = await start();
  const quota = { metadata: { name: 'q' }, spec: { hard: { 'count/jobs.batch': '0' } } };
  const quotas = world.client.kind('v1', 'ResourceQuota').in('default');
  await quotas.create(quota);
  await quotas.status.patch('q', { merge: { status: { ...quota.spec, used: quota.spec.hard } } });
  await createCronJob(world);
  await world.cluster.advance(minuteMs + 500);
  t.same(await startedMinutes(world), []);
  t.match((await world.events('c')).join(), /Warning FailedCreate: Error creating job: jobs.batch "c-.*" is forbidden/);
  await quotas.delete('q');
  await world.cluster.advance(59_000);
  t.same(await startedMinutes(world), [1]);
});

t.test('whatever fails, every start of a history has one Job, and the status lists those that run', async (t) => {
  let crashes = 0;
  for (let seed = 1; seed <= runs(20); seed += 1) {
    await using world = await FaultyControllers.start(controllers, { seed });
    await createCronJob(world, { schedule: '*/2 * * * *', successfulJobsHistoryLimit: 100 });
    world.isFaulty = true;
    for (let round = 0; round < 20; round += 1) {
      await world.cluster.advance(30_000 + ((seed * 7919 + round * 104_729) % 60_000));
      const running = (await jobsOf(world)).filter(({ status }) => status?.conditions === undefined);
      const [first] = running;
      if (first !== undefined && (seed + round) % 3 === 0) await finish(world, first.metadata.name);
    }
    await world.heal(10 * minuteMs);
    const minutes = await startedMinutes(world);
    t.equal(new Set(minutes).size, minutes.length);
    t.ok(minutes.every((minute) => minute % 2 === 0));
    t.same(
      minutes.slice(-4),
      [0, 1, 2, 3].map((each) => (minutes.at(-1) ?? 0) - 6 + 2 * each),
      'a healthy controller skips none',
    );
    const { status } = await world.client.kind('batch/v1', 'CronJob').in('default').get('c');
    const running = (await jobsOf(world)).filter((job) => job.status?.conditions === undefined);
    const active = new Set(status?.active?.map(({ name }) => name));
    t.ok(
      running.slice(-4).every(({ metadata }) => active.has(metadata.name)),
      `seed ${seed}`,
    );
    crashes += world.crashes;
  }
  t.ok(crashes > 0);
});

t.test('a finished Job is deleted when its time to live has passed', async (t) => {
  const accounts = [{ account: 'ttl-after-finished-controller', create: ttlAfterFinished }];
  await using world = await FaultyControllers.start(accounts);
  const jobs = world.client.kind('batch/v1', 'Job').in('default');
  await jobs.create({ metadata: { name: 'a' }, spec: { template, ttlSecondsAfterFinished: 30 } });
  await jobs.create({ metadata: { name: 'kept' }, spec: { template } });
  await world.cluster.advance(hourMs);
  for (const name of ['a', 'kept']) await finish(world, name);
  await world.cluster.advance(29_999);
  t.equal((await jobs.get('a')).metadata.deletionTimestamp, undefined);
  await jobs.patch('a', { merge: { spec: { ttlSecondsAfterFinished: 60 } } });
  await world.cluster.advance(30_000);
  t.equal((await jobs.get('a')).metadata.deletionTimestamp, undefined, 'it was given more time');
  await world.cluster.advance(1);
  t.match((await jobs.get('a')).metadata.finalizers, ['foregroundDeletion']);
  t.equal((await jobs.get('kept')).metadata.deletionTimestamp, undefined);
  t.same(world.failures, []);
});
