// What can be held against the recorded answers of a real control plane before there is a server: every object in them
// must pass through our decoder unchanged, and every refusal of a body must be refused in the same words.
//
//     npm run conformance [-- FOLDER]      FOLDER holds the case files (default ../shared/conformance/cases)
//
// Ends with `N passed, M failed`.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { builtinScheme } from 'vivarium';
import { decodeJsonBody, decodeValue, deepEqual, parseGroupVersion } from 'vivarium/core';

const folder = process.argv[2] ?? '../shared/conformance/cases';
if (!existsSync(folder)) {
  console.log(`no recorded cases at ${folder}: nothing to compare with`);
  process.exit(0);
}

// Recordings hold placeholders where a value differs from run to run; these stand in for those that have a syntax.
const standIns = { '<time>': '2026-01-02T03:04:05Z', '<port>': 30000 };
const scheme = builtinScheme({ switches: { 'api/all': true } });
/** Documents whose recording leaves out what Go prints. */
const notStored = new Set(['Status', 'APIResourceList']);
const results = new Map();
const failures = [];

for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const { area, cases } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const tally = { passed: 0, failed: 0 };
  results.set(area, tally);
  for (const { id, steps } of cases) {
    for (const [index, step] of steps.entries()) {
      const problem = checkAnswer(step) ?? checkRefusal(step);
      if (problem === undefined) continue;
      if (problem === '') tally.passed += 1;
      else {
        tally.failed += 1;
        failures.push(`${area}/${id} step ${index}: ${problem}`);
      }
    }
  }
}

for (const failure of failures.slice(0, 40)) console.log(failure);
console.log('\n| area | passed | failed |\n|---|---|---|');
for (const [area, { passed, failed }] of results) console.log(`| ${area} | ${passed} | ${failed} |`);
const sum = (key) => [...results.values()].reduce((total, tally) => total + tally[key], 0);
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(sum('failed') === 0 ? 0 : 1);

/** The recorded object must decode to itself: '' when it does, undefined when there is nothing to check. */
function checkAnswer({ expect }) {
  const body = expect?.body;
  if (expect?.compare === 'subset' || expect?.pick !== undefined || expect?.ignore !== undefined) return undefined;
  const type = typeOf(body);
  if (type === undefined) return undefined;
  const recorded = readable(body);
  try {
    const { object, problems } = decodeValue(type, recorded);
    return problems.join(', ') || (firstDifference(recorded, object) ?? '');
  } catch (error) {
    return error.message;
  }
}

/** A body refused with `strict decoding error` or `cannot unmarshal` must be refused alike. */
function checkRefusal({ method, body, query, expect }) {
  const message = expect?.body?.message;
  if (method === 'PATCH' || typeof message !== 'string' || typeof body !== 'object') return undefined;
  const told = /: (strict decoding error: .*|json: cannot unmarshal .*)$/.exec(message)?.[1];
  const type = typeOf(body);
  if (told === undefined || type === undefined) return undefined;
  try {
    decodeJsonBody(type, JSON.stringify(body), /Strict/.test(JSON.stringify(query ?? '')) ? 'Strict' : 'Warn');
    return `was not refused: ${told}`;
  } catch (error) {
    return error.message === told ? '' : `refused with ${error.message} instead of ${told}`;
  }
}

function typeOf(body) {
  if (typeof body?.apiVersion !== 'string' || typeof body.kind !== 'string' || notStored.has(body.kind)) return undefined;
  const gvk = { ...parseGroupVersion(body.apiVersion), kind: body.kind };
  return scheme.recognizes(gvk) ? scheme.typeOf(gvk) : undefined;
}

/** Without nulls, which Go prints for absent lists and clients read as absent, and with stand-ins for placeholders. */
function readable(value) {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return standIns[value] ?? value;
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null).map(([key, each]) => [key, readable(each)]));
}

function firstDifference(recorded, ours, path = '') {
  if (deepEqual(recorded, ours)) return undefined;
  if (typeof recorded !== 'object' || typeof ours !== 'object' || recorded === null || ours === null) return `${path}: ${JSON.stringify(recorded)} became ${JSON.stringify(ours)}`;
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(ours)])) {
    const found = firstDifference(recorded[key], ours[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
