// Authentication and authorization are functions of the host. Here sessions come from a stream, and only Ada writes.
import { BehaviorSubject, map } from 'rxjs';
import { createCluster, isApiError } from 'vivarium';
import { AuthenticationError } from 'vivarium/auth';
import type { Authenticator, Authorizer } from 'vivarium/auth';
import { httpClient } from 'vivarium/client';
import { fetchHandler } from 'vivarium/server';

const sessions$ = new BehaviorSubject<Readonly<Record<string, string>>>({ 'Session 1': 'ada', 'Session 2': 'bob' });

const bySession: Authenticator = (credentials) => {
  const session = credentials.header('authorization');
  if (session?.startsWith('Session ') !== true) return [undefined]; // no opinion: the next authenticator decides
  return sessions$.pipe(
    map((sessions) => {
      const username = sessions[session];
      if (username === undefined) throw new AuthenticationError('the session is over'); // refused: 401
      return { user: { username, groups: ['staff'] } };
    }),
  );
};

const onlyAdaWrites: Authorizer = ({ user, verb }) => {
  const isAllowed = user.username === 'ada' || ['get', 'list', 'watch'].includes(verb);
  return [isAllowed ? { decision: 'allow', reason: '' } : { decision: 'noOpinion', reason: 'only Ada writes' }];
};

const access = { authenticators: [bySession], authorizers: [onlyAdaWrites] };
const cluster = await createCluster({ server: access, scheduler: false, controllers: [] });

// The wire without a socket: the headers of a request reach the authenticator.
const answer = fetchHandler(cluster.server);
const mapsOf = (authorization: string) =>
  httpClient({
    server: 'http://cluster',
    authorization,
    transport: (url, { headers, ...init }) =>
      answer(new Request(url, { ...init, headers: headers as Record<string, string> })),
  })
    .kind('v1', 'ConfigMap')
    .in('default');
const printRefusal = (error: unknown): void => {
  if (!isApiError(error)) throw error;
  console.log(`${error.status.code} ${error.message}`);
};

const [ada, bob] = [mapsOf('Session 1'), mapsOf('Session 2')];
await ada.create({ metadata: { name: 'hers' } });
console.log(
  'bob sees',
  (await bob.list()).items.map(({ metadata }) => metadata.name),
);
await bob.delete('hers').catch(printRefusal);
await mapsOf('Bearer unknown').list().catch(printRefusal);

sessions$.next({});
await ada.list().catch(printRefusal);

await cluster.close();

// prints:
// bob sees [ 'hers' ]
// 403 configmaps "hers" is forbidden: User "bob" cannot delete resource "configmaps" in API group "" in the namespace "default": only Ada writes
// 401 Unauthorized
// 401 Unauthorized
