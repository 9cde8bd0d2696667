// The numbers of the horizontal pod autoscaler: replicas that follow from metrics, compared with a reference of its
// own, and what stabilisation and policies make of them.
import t from 'tap';
import {
  replicasForAverage,
  replicasForShare,
  replicasForUtilization,
} from '../../lib/controllers/pod-autoscaling/replica-count.js';
import type { PodMeasurement } from '../../lib/controllers/pod-autoscaling/replica-count.js';
import { limitReplicas, ScalingHistory } from '../../lib/controllers/pod-autoscaling/scaling-rules.js';
import { printTime } from '../../lib/core/index.js';
import type { HorizontalPodAutoscalerBehavior, HorizontalPodAutoscalerSpec, Pod } from '../../lib/core/types/index.js';
import { fc, runs } from '../support/properties.js';

const nowMs = Date.UTC(2030, 0, 1);
const target = {
  tolerances: { down: 0.1, up: 0.1 },
  nowMs,
  cpuInitializationMs: 300_000,
  initialReadinessDelayMs: 30_000,
};

type PodState = 'ready' | 'pending' | 'starting' | 'unmeasured' | 'failed' | 'deleting';

interface DrawnPod {
  readonly state: PodState;
  readonly usage: number;
  readonly request: number;
}

function podOf({ state, request }: DrawnPod, index: number): Pod {
  const at = (seconds: number): string => printTime(nowMs - seconds * 1000);
  const isStarting = state === 'starting';
  return {
    metadata: { name: `p${index}`, ...(state === 'deleting' && { deletionTimestamp: at(1) }) },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: `${request}m` } } }] },
    status: {
      phase: state === 'pending' ? 'Pending' : state === 'failed' ? 'Failed' : 'Running',
      startTime: at(isStarting ? 60 : 3_600),
      conditions: [
        { type: 'Ready', status: isStarting ? 'False' : 'True', lastTransitionTime: at(isStarting ? 50 : 3_000) },
      ],
    },
  };
}

function measurementsOf(drawn: readonly DrawnPod[]): Map<string, PodMeasurement> {
  const measured = drawn.flatMap(({ state, usage }, index): readonly [string, PodMeasurement][] =>
    state === 'unmeasured' ? [] : [[`p${index}`, { milli: usage, atMs: nowMs - 10_000, windowMs: 30_000 }]],
  );
  return new Map(measured);
}

/**
 * The same number by another way: what is assumed of each pod is written down first, and the ratio is computed from
 * that in whole percent. Undefined if no pod counts.
 */
function referenceReplicas(drawn: readonly DrawnPod[], percent: number, current: number): number | undefined {
  const counted = drawn.filter(({ state }) => state === 'ready');
  if (counted.length === 0) return undefined;
  const percentOf = (pods: readonly { usage: number; request: number }[]): number => {
    const used = pods.reduce((sum, { usage }) => sum + usage, 0);
    const requested = pods.reduce((sum, { request }) => sum + request, 0);
    return Math.floor((used * 100) / requested) / percent;
  };
  const isSmall = (ratio: number): boolean => ratio >= 1 - 0.1 && ratio <= 1 + 0.1;
  const ratio = percentOf(counted);
  const idle = drawn.filter(({ state }) => state === 'pending' || state === 'starting');
  const missing = drawn.filter(({ state }) => state === 'unmeasured');
  if (missing.length === 0 && (ratio <= 1 || idle.length === 0))
    return isSmall(ratio) ? current : Math.ceil(ratio * counted.length);
  const assumed = [
    ...counted,
    ...(ratio > 1 ? idle.map((pod) => ({ ...pod, usage: 0 })) : []),
    ...(ratio > 1 ? missing.map((pod) => ({ ...pod, usage: 0 })) : []),
    ...(ratio < 1
      ? missing.map((pod) => ({ ...pod, usage: Math.floor((pod.request * Math.max(100, percent)) / 100) }))
      : []),
  ];
  const corrected = percentOf(assumed);
  if (isSmall(corrected) || (ratio < 1 && corrected > 1) || (ratio > 1 && corrected < 1)) return current;
  const next = Math.ceil(corrected * assumed.length);
  return corrected < 1 ? Math.min(next, current) : Math.max(next, current);
}

t.test('the replicas for a utilization are those of the reference', (t) => {
  const seen = { kept: 0, up: 0, down: 0, none: 0 };
  const drawnPod = fc.record({
    state: fc.constantFrom<PodState>(
      'ready',
      'ready',
      'ready',
      'pending',
      'starting',
      'unmeasured',
      'failed',
      'deleting',
    ),
    usage: fc.integer({ min: 0, max: 2_000 }),
    request: fc.integer({ min: 1, max: 1_000 }),
  });
  fc.assert(
    fc.property(
      fc.array(drawnPod, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 15 }),
      (drawn, percent, replicas) => {
        const expected = referenceReplicas(drawn, percent, replicas);
        const compute = (): number =>
          replicasForUtilization(
            measurementsOf(drawn),
            percent,
            { name: 'cpu' },
            { ...target, replicas, pods: drawn.map(podOf) },
          ).replicas;
        if (expected === undefined) {
          seen.none += 1;
          t.throws(compute, { message: 'did not receive metrics for targeted pods (pods might be unready)' });
          return;
        }
        seen[expected > replicas ? 'up' : expected < replicas ? 'down' : 'kept'] += 1;
        t.equal(compute(), expected);
      },
    ),
    { numRuns: runs(1000) },
  );
  t.ok(seen.kept > 0 && seen.up > 0 && seen.down > 0, JSON.stringify(seen));
  t.end();
});

t.test('worked examples: 3 pods at 90 % of a target of 50 % become 6, and at 54 % they stay', (t) => {
  const at = (percent: number): number => {
    const drawn = Array.from({ length: 3 }, (): DrawnPod => ({ state: 'ready', usage: percent * 10, request: 1_000 }));
    const pods = drawn.map(podOf);
    return replicasForUtilization(measurementsOf(drawn), 50, { name: 'cpu' }, { ...target, replicas: 3, pods })
      .replicas;
  };
  t.equal(at(90), 6);
  t.equal(at(54), 3);
  t.equal(at(20), 2);
  const twoPods = ['a', 'b'].map((name): [string, PodMeasurement] => [name, { milli: 30_000, atMs: 0, windowMs: 0 }]);
  const pods = ['a', 'b'].map((name): Pod => ({ metadata: { name }, status: { phase: 'Running' } }));
  t.same(replicasForAverage(new Map(twoPods), 20_000, '', { ...target, replicas: 2, pods }), {
    replicas: 3,
    milli: 30_000,
  });
  t.same(replicasForShare(10_000, 2_000, 4, target.tolerances), { replicas: 5, milli: 2_500 });
  t.same(replicasForShare(10_000, 2_400, 4, target.tolerances), { replicas: 4, milli: 2_500 });
  t.end();
});

t.test('requests that are missing are an error that names the container and the pod', (t) => {
  const drawn: DrawnPod[] = [{ state: 'ready', usage: 1, request: 1 }];
  const pods = drawn.map(podOf).map((pod): Pod => ({ ...pod, spec: { containers: [{ name: 'c', image: 'i' }] } }));
  const compute = (container?: string) => () =>
    replicasForUtilization(
      measurementsOf(drawn),
      50,
      { name: 'cpu', ...(container !== undefined && { container }) },
      { ...target, replicas: 1, pods },
    );
  t.throws(compute(), { message: 'missing request for cpu in container c of Pod p0' });
  t.throws(compute('d'), { message: 'container d not found in Pod p0' });
  const ofPod = pods.map((pod): Pod => ({
    ...pod,
    spec: { containers: [{ name: 'c', image: 'i' }], resources: { requests: { cpu: '2m' } } },
  }));
  const found = replicasForUtilization(
    measurementsOf(drawn),
    50,
    { name: 'cpu' },
    { ...target, replicas: 1, pods: ofPod },
  );
  t.match(found, { utilization: 50, milli: 1 });
  t.end();
});

/** The numbers that a sequence of proposals, 15 seconds apart, leads to. */
function scaling(proposals: readonly number[], spec: Partial<HorizontalPodAutoscalerSpec> = {}): readonly string[] {
  const history = new ScalingHistory();
  let current = 4;
  history.begin(current, 0);
  const scaleTargetRef = { kind: 'Deployment', name: 'd' };
  return proposals.map((proposed, index) => {
    const atMs = index * 15_000;
    const full = { scaleTargetRef, minReplicas: 1, maxReplicas: 100, ...spec };
    const decision = { spec: full, current, proposed, downscaleWindowMs: 300_000, nowMs: atMs };
    const { replicas, ableToScale, scalingLimited } = limitReplicas(decision, history);
    if (full.behavior !== undefined && replicas !== current) history.scale(current, replicas, atMs);
    current = replicas;
    return `${replicas} ${ableToScale.reason} ${scalingLimited.reason}`;
  });
}

t.test('without behavior replicas at most double, and shrink after five minutes', (t) => {
  t.same(scaling([50, 50, 50]), [
    '8 ReadyForNewScale ScaleUpLimit',
    '16 ReadyForNewScale ScaleUpLimit',
    '32 ReadyForNewScale ScaleUpLimit',
  ]);
  t.same(scaling([4, 200], { maxReplicas: 6 }).slice(1), ['6 ReadyForNewScale TooManyReplicas']);
  const shrinking = scaling(
    Array.from({ length: 23 }, () => 0),
    { minReplicas: 2 },
  );
  t.equal(shrinking[20], '4 ScaleDownStabilized DesiredWithinRange');
  t.equal(shrinking[21], '2 ReadyForNewScale TooFewReplicas', 'the first number is 315 s old');
  t.end();
});

const behavior = (
  scaleUp: HorizontalPodAutoscalerBehavior['scaleUp'],
  scaleDown: HorizontalPodAutoscalerBehavior['scaleDown'],
): Partial<HorizontalPodAutoscalerSpec> => ({
  behavior: { ...(scaleUp !== undefined && { scaleUp }), ...(scaleDown !== undefined && { scaleDown }) },
});

t.test('policies limit the change within their periods', (t) => {
  const pods = (value: number, periodSeconds: number) => ({ type: 'Pods' as const, value, periodSeconds });
  const percent = (value: number, periodSeconds: number) => ({ type: 'Percent' as const, value, periodSeconds });
  const numbers = (proposals: readonly number[], spec: Partial<HorizontalPodAutoscalerSpec>): readonly number[] =>
    scaling(proposals, spec).map((text) => Number.parseInt(text, 10));
  const ten = Array.from({ length: 6 }, () => 50);
  t.same(numbers(ten, behavior({ policies: [pods(2, 30)], selectPolicy: 'Max' }, undefined)), [6, 6, 8, 8, 10, 10]);
  t.same(
    numbers(ten, behavior({ policies: [pods(1, 15), percent(50, 30)], selectPolicy: 'Max' }, undefined)),
    [6, 7, 9, 11, 14, 17],
  );
  t.same(
    numbers(ten, behavior({ policies: [pods(3, 15), percent(10, 15)], selectPolicy: 'Min' }, undefined)),
    [5, 6, 7, 8, 9, 10],
  );
  t.same(numbers(ten, behavior({ policies: [pods(3, 15)], selectPolicy: 'Disabled' }, undefined)), [4, 4, 4, 4, 4, 4]);
  const down = { stabilizationWindowSeconds: 0, policies: [percent(30, 15)], selectPolicy: 'Max' as const };
  t.same(numbers([1, 1, 1, 1], behavior(undefined, down)), [2, 1, 1, 1]);
  t.same(scaling([1], behavior(undefined, down)), ['2 ReadyForNewScale ScaleDownLimit']);
  t.end();
});

t.test('stabilisation windows take the lowest of growth and the highest of shrinking', (t) => {
  const rules = { policies: [{ type: 'Pods' as const, value: 100, periodSeconds: 15 }], selectPolicy: 'Max' as const };
  const spec = behavior({ ...rules, stabilizationWindowSeconds: 30 }, { ...rules, stabilizationWindowSeconds: 60 });
  t.same(scaling([10, 10, 10, 8, 8, 8, 8, 8], spec), [
    '4 ScaleUpStabilized DesiredWithinRange',
    '4 ScaleUpStabilized DesiredWithinRange',
    '10 ReadyForNewScale DesiredWithinRange',
    '10 ScaleDownStabilized DesiredWithinRange',
    '10 ScaleDownStabilized DesiredWithinRange',
    '10 ScaleDownStabilized DesiredWithinRange',
    '8 ReadyForNewScale DesiredWithinRange',
    '8 ReadyForNewScale DesiredWithinRange',
  ]);
  t.end();
});

t.test('whatever is proposed, replicas stay in range and change no faster than allowed', (t) => {
  const bounds = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 4, max: 30 }));
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 }),
      bounds,
      fc.boolean(),
      (proposals, [min, max], isFast) => {
        const policies = [{ type: 'Pods' as const, value: 3, periodSeconds: 30 }];
        const rules = { policies, selectPolicy: 'Max' as const, stabilizationWindowSeconds: 0 };
        const spec = { minReplicas: min, maxReplicas: max, ...(!isFast && behavior(rules, rules)) };
        const numbers = [4, ...scaling(proposals, spec).map((text) => Number.parseInt(text, 10))];
        for (const [index, replicas] of numbers.entries()) {
          t.ok(replicas >= min && replicas <= max);
          const before = numbers[index - 1] ?? replicas;
          if (isFast) t.ok(replicas <= Math.max(2 * before, 4));
          else {
            // Three more or fewer than at the beginning of the period, which is the number before the last change; a
            // number that is already further away may stay, but not move on.
            const atBeginning = numbers[index - 2] ?? before;
            t.ok(replicas <= Math.max(before, atBeginning + 3), numbers.join());
            t.ok(replicas >= Math.min(before, atBeginning - 3), numbers.join());
          }
        }
      },
    ),
    { numRuns: runs(200) },
  );
  t.end();
});
