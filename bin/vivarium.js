#!/usr/bin/env node
// The command line. For now it shows what exists, with real answers; it grows into `vivarium serve`.
import { builtinScheme, deepFreeze, virtualClock } from 'vivarium';
import { decodeJsonBody, printTime, restMapperOf } from 'vivarium/core';

const scheme = builtinScheme();
const kinds = scheme.groups.flatMap(({ name: group, versions }) => versions.flatMap((version) => scheme.resourcesOf({ group, version })));
console.log(`vivarium speaks Kubernetes v1.36: ${kinds.length} resources in ${scheme.groups.length} groups.`);

console.log('\nkubectl would find:');
const mapper = restMapperOf(scheme);
for (const argument of ['po', 'deployments.apps', 'hpa']) {
  const [found] = mapper.argument(argument);
  console.log(`  ${argument.padEnd(18)} ${found.resource} (${found.kind}, ${found.group === '' ? found.version : `${found.group}/${found.version}`})`);
}

console.log('\nAn autoscaler somebody sent, with a typing error in it:');
const sent = '{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"web"},"spec":{"maxReplica":9,"maxReplicas":5,"scaleTargetRef":{"kind":"Deployment","name":"web"}}}';
const kind = { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' };
const { object, warnings } = decodeJsonBody(scheme.typeOf(kind), sent);
scheme.setDefaults(object, kind);
for (const warning of warnings) console.log(`  Warning: ${warning}`);
const stored = deepFreeze(object);
console.log(`  as autoscaling/v2: ${JSON.stringify(stored.spec)}`);
console.log(`  as autoscaling/v1: ${JSON.stringify(scheme.convert(stored, { group: 'autoscaling', version: 'v1' }).spec)}`);

console.log('\nA month of heartbeats on a clock that is moved by hand:');
const clock = virtualClock();
let heartbeats = 0;
const subscription = clock.interval(10_000).subscribe(() => {
  heartbeats += 1;
});
await clock.advance('30d');
subscription.unsubscribe();
console.log(`  ${heartbeats} heartbeats later it is ${printTime(clock.now())}, and ${clock.pending} timers are left.`);
