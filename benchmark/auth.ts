// The figures of authentication and authorization, in one run: `node scripts/run.mjs benchmark/auth.ts`. Kept in RESULTS.md.
import { measureRbac } from './auth/rbac.js';
import { report } from './measure.js';

const met = report('RBAC', await measureRbac());
console.log(met ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');
