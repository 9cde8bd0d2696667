// All controllers that are on by default share their informers: each resource is watched once, without a selection.
import { NEVER, defer } from 'rxjs';
import t from 'tap';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import { completeControllerSettings, electedControllers, selectControllers } from '../../lib/cluster/index.js';
import { createCredentials } from '../../lib/cluster/node/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { ApiRequest, ApiResponse } from '../../lib/core/index.js';
import { createCluster } from '../../lib/index.js';
import { observe } from '../support/observe.js';

t.test('the controllers of a cluster open one watch per resource together', async (t) => {
  const clock = virtualClock({ start: Date.UTC(2026, 10, 18) });
  await using cluster = await createCluster({ clock, random: random(1), controllers: [], scheduler: false });
  const opened = new Map<string, number>();
  const counted = async (request: ApiRequest): Promise<ApiResponse> => {
    // Discovery documents are hashed outside of microtasks: virtual time waits for them.
    const response = await clock.holdWhile(Promise.resolve(cluster.server.handler(request)));
    if (response.type !== 'watch') return response;
    const { group, resource } = request.info;
    const key = `${resource}.${group}`;
    const events = defer(() => {
      opened.set(key, (opened.get(key) ?? 0) + 1);
      return response.events;
    });
    return { ...response, events };
  };
  const client = inProcessClient(counted, { user: administrator });
  const credentials = createCredentials({ clock });
  const part = electedControllers({
    controllers: selectControllers(['*']),
    client,
    as: () => client,
    clock,
    random: random(1),
    credentials: { load: () => Promise.resolve(credentials), loaded: Promise.resolve(credentials) },
    settings: completeControllerSettings(),
    leaderElection: undefined,
    stopping$: NEVER,
  });
  const running = observe(part.run());
  await cluster.settled();
  running.unsubscribe();
  t.ok(opened.size > 40, `${opened.size} resources are watched`);
  t.same(
    [...opened].filter(([, count]) => count > 1),
    [],
  );
});
