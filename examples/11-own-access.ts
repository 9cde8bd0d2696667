// Who is asking and who may do what are functions of the host. Here sessions come from a stream, and only Ada writes.
import { BehaviorSubject, map } from 'rxjs';
import { isApiError, virtualClock } from 'vivarium';
import { AuthenticationError } from 'vivarium/auth';
import type { Authenticator, Authorizer } from 'vivarium/auth';
import { httpClient } from 'vivarium/client';
import { createServer, fetchHandler } from 'vivarium/server';
import { memoryStore } from 'vivarium/storage';

const sessions$ = new BehaviorSubject<Readonly<Record<string, string>>>({ 'Session 1': 'ada', 'Session 2': 'bob' });

const bySession: Authenticator = (credentials) => {
  const session = credentials.header('authorization');
  if (session?.startsWith('Session ') !== true) return [undefined]; // not mine: the next authenticator is asked
  return sessions$.pipe(
    map((sessions) => {
      const username = sessions[session];
      if (username === undefined) throw new AuthenticationError('the session is over'); // mine, and wrong: 401
      return { user: { username, groups: ['staff'] } };
    }),
  );
};

const onlyAdaWrites: Authorizer = ({ user, verb }) => {
  const isAllowed = user.username === 'ada' || ['get', 'list', 'watch'].includes(verb);
  return [isAllowed ? { decision: 'allow', reason: '' } : { decision: 'noOpinion', reason: 'only Ada writes' }];
};

const clock = virtualClock();
const store = memoryStore({ clock });
const server = createServer({ store, clock, authenticators: [bySession], authorizers: [onlyAdaWrites] });

// The wire without a socket: the headers of a request reach the authenticator.
const answer = fetchHandler(server);
const mapsOf = (authorization: string) =>
  httpClient({
    server: 'http://cluster',
    authorization,
    transport: (url, { headers, ...init }) =>
      answer(new Request(url, { ...init, headers: headers as Record<string, string> })),
  })
    .kind('v1', 'ConfigMap')
    .in('default');
const told = (error: unknown): void => {
  if (!isApiError(error)) throw error;
  console.log(`${error.status.code} ${error.message}`);
};

const [ada, bob] = [mapsOf('Session 1'), mapsOf('Session 2')];
await ada.create({ metadata: { name: 'hers' } });
console.log(
  'bob sees',
  (await bob.list()).items.map(({ metadata }) => metadata.name),
);
await bob.delete('hers').catch(told);
await mapsOf('Bearer unknown').list().catch(told);

sessions$.next({});
await ada.list().catch(told);

await server.close();
await store.close();

// prints:
// bob sees [ 'hers' ]
// 403 configmaps "hers" is forbidden: User "bob" cannot delete resource "configmaps" in API group "" in the namespace "default": only Ada writes
// 401 Unauthorized
// 401 Unauthorized
