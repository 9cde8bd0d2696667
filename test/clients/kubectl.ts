// What kubectl says of our server is what it says of a real control plane without controllers, but for those of roles,
// of tokens and of claims, which `vivarium serve` runs: each transcript of the folder beside this file, command by
// command, with the oldest and the newest kubectl that is installed. Every version has a server of its own, and every
// transcript a namespace.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import type { Test } from 'tap';
import { createCluster } from '../../lib/cluster/index.js';
import { defineKind } from '../../lib/core/index.js';
import type { KindOptions } from '../../lib/core/index.js';
import { kubectlMissing, kubectls, openSession } from '../support/kubectl.js';
import type { Kubectl } from '../support/kubectl.js';
import { fewControllers, startServer } from '../support/served.js';
import { expected, outcome, parseTranscript } from '../support/transcript.js';
import type { Session } from '../support/transcript.js';

/** The control plane whose words were recorded ran without these. */
const withoutPlugins = '--disable-admission-plugins=DefaultTolerationSeconds,StorageObjectInUseProtection';

const folder = join(import.meta.dirname, 'kubectl');
const transcripts = readdirSync(folder).map((file) => ({
  file,
  steps: parseTranscript(readFileSync(join(folder, file), 'utf8')),
}));
const installed = kubectls();

/** Users besides the administrator, none of them bound to a role. */
const users = ['alice-token,alice,u-alice', 'carol-token,carol,u-carol,devs'].join('\n');
const usersFolder = mkdtempSync(join(tmpdir(), 'vivarium-users-'));
const usersFile = join(usersFolder, 'tokens.csv');
writeFileSync(usersFile, users);
t.teardown(() => rmSync(usersFolder, { recursive: true, force: true }));

t.test('transcripts have commands', async (t) => {
  const commands = transcripts.flatMap(({ steps }) => steps.filter(({ command }) => command.includes('kubectl ')));
  t.ok(commands.length >= 200, `${commands.length} commands`);
});

t.test('versions of kubectl are installed', { skip: installed.length === 0 && kubectlMissing }, async (t) => {
  for (const { version } of installed) t.comment(`kubectl ${version}`);
});

t.jobs = installed.length + 1;
for (const kubectl of installed) {
  t.test(`kubectl ${kubectl.version} says what it says of a real control plane`, { buffered: true }, async (t) => {
    t.jobs = 2; // more would only wait for each other, and a kubectl that waits too long gives up
    // The answers were recorded from an API server alone: no scheduler assigns nodes.
    const server = await startServer(
      `--token-auth-file=${usersFile}`,
      '--scheduler=false',
      fewControllers,
      withoutPlugins,
    );
    t.teardown(() => server.close());
    await Promise.all(
      transcripts.map(({ file, steps }) =>
        t.test(file, { buffered: true }, async (t) => {
          const session = sessionOf(t, kubectl, server);
          for (const step of steps)
            t.equal(
              await outcome(step, session),
              expected(step, kubectl.version),
              `${file}:${step.line}: ${step.command}`,
            );
        }),
      ),
    );
  });

  t.test(`kubectl ${kubectl.version} watches`, { buffered: true }, async (t) => {
    const server = await startServer(fewControllers);
    t.teardown(() => server.close());
    const session = sessionOf(t, kubectl, server);
    const run = (command: string): Promise<string> =>
      outcome({ line: 0, command, input: '', outcomes: new Map() }, session);
    t.equal(await run('kubectl create configmap a'), 'configmap/a created');
    const watch = watching(
      [
        'get',
        'configmaps',
        '--watch',
        '--output-watch-events',
        '--output=custom-columns=EVENT:type,NAME:object.metadata.name,DATA:object.data',
        '--no-headers',
      ],
      session,
    );
    t.match(await watch.next(), /^ADDED +a +<none>$/);
    await run('kubectl create configmap b --from-literal=k=v');
    t.match(await watch.next(), /^ADDED +b +map\[k:v\]$/);
    await run(`kubectl patch configmap a --type=merge -p '{"data":{"x":"y"}}'`);
    t.match(await watch.next(), /^MODIFIED +a +map\[x:y\]$/);
    await run('kubectl delete configmap b');
    t.match(await watch.next(), /^DELETED +b +map\[k:v\]$/);
    await watch.stop();

    const table = watching(['get', 'configmaps', '-w', '--watch-only', '-l', 'team=red'], session);
    // Nothing says when a watch without first events has begun; so events are created until it emits one.
    const heard = table.next();
    let made = 0;
    const isHeard = heard.then(() => true);
    while (
      !(await Promise.race([
        isHeard,
        run(`kubectl create configmap red-${made++} && kubectl label configmap red-${made - 1} team=red`).then(
          () => false,
        ),
      ]))
    );
    t.match(await heard, /^NAME +DATA +AGE$/);
    t.match(await table.next(), /^red-\d+ +0 +\d+s$/);
    await table.stop();
  });

  t.test(
    `kubectl ${kubectl.version} follows kinds that are added, changed and removed`,
    { buffered: true },
    async (t) => {
      const cluster = await createCluster({ controllers: [], scheduler: false });
      t.teardown(() => cluster.close());
      const { url } = await cluster.listen();
      const session = sessionOf(t, kubectl, { url, kubeconfig: await cluster.kubeconfig() });
      const run = (command: string, input = ''): Promise<string> =>
        outcome({ line: 0, command, input, outcomes: new Map() }, session);
      const resources = (): Promise<string> =>
        run('kubectl api-resources --api-group=example.com --no-headers | tr -s " "');
      const { kinds } = cluster.server;
      for (const round of [1, 2, 3]) {
        const kind = await widgetKind('Namespaced');
        kinds.add(kind);
        t.equal(await resources(), 'widgets wd example.com/v1 true Widget');
        const widget = {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'one' },
          spec: { size: round },
        };
        t.equal(await run('kubectl create -f -', JSON.stringify(widget)), 'widget.example.com/one created');
        t.equal(await run('kubectl get wd one -o jsonpath={.spec.size}'), `${round}`);
        t.match(await run('kubectl explain widget.spec'), /size\s+<integer>/);
        t.equal(await run('kubectl delete widget one'), 'widget.example.com "one" deleted');
        kinds.replace(await widgetKind('Cluster'));
        t.equal(await resources(), 'widgets wd example.com/v1 false Widget');
        kinds.remove(kind);
        t.equal(await resources(), '');
      }
    },
  );
}

function widgetKind(scope: 'Namespaced' | 'Cluster'): Promise<KindOptions> {
  return defineKind({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    scope,
    shortNames: ['wd'],
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    },
  });
}

function sessionOf(t: Test, kubectl: Kubectl, server: { readonly url: string; readonly kubeconfig: string }): Session {
  const session = openSession(kubectl, server.url, server.kubeconfig);
  t.teardown(() => session.dispose());
  return session;
}

interface Watching {
  /** The next line it prints. */
  next(): Promise<string>;
  stop(): Promise<void>;
}

/** A kubectl that goes on until it is stopped. */
function watching(args: readonly string[], { cwd, env }: Session): Watching {
  const child = spawn('kubectl', args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    next: async () => String((await lines.next()).value),
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}
