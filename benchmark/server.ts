// The figures of the API server, in one run: `npm run bench`. Kept in RESULTS.md.
import { report } from './measure.js';
import { measureGuards } from './server/guards.js';
import { measureHttp } from './server/http.js';
import { measureInProcess } from './server/in-process.js';
import { measureWrites } from './server/writes.js';

let met = report('API server in process', await measureInProcess());
met = report('API writes of scheduling', await measureWrites()) && met;
met = report('Guards of the API server', await measureGuards()) && met;
met = report('API server over HTTP', await measureHttp()) && met;
console.log(met ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');
