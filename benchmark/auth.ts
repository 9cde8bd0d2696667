// The figures of authentication and authorization, in one run: `npm run bench`. Kept in RESULTS.md.
import { measureCredentials } from './auth/credentials.js';
import { measureRbac } from './auth/rbac.js';
import { measureRequests } from './auth/requests.js';
import { report } from './measure.js';

let met = report('RBAC', await measureRbac());
met = report('Credentials', await measureCredentials()) && met;
met = report('Requests with access control', await measureRequests()) && met;
console.log(met ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');
