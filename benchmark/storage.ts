// The figures of the stores, in one run: `npm run bench`. Kept in RESULTS.md. etcd is measured where it is
// installed.
import { report } from './measure.js';
import { measureEtcd } from './storage/etcd.js';
import { measureMemory } from './storage/memory.js';
import { measureSqlite } from './storage/sqlite.js';

let met = report('Store in memory', await measureMemory());
met = report('Store in SQLite', await measureSqlite()) && met;
met = report('Store in etcd', await measureEtcd()) && met;
console.log(met ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');
