// What kubectl does with workloads whose controllers run: rollouts, Jobs, scaling, draining within budgets, deletion
// with dependents, waiting. The transcripts are in the folder beside this file; pods become ready by a simulated
// kubelet.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createCluster } from '../../lib/cluster/index.js';
import { kubectlMissing, kubectls, openSession } from '../support/kubectl.js';
import { simulatedKubelet } from '../support/simulated-kubelet.js';
import { expected, outcome, parseTranscript } from '../support/transcript.js';

const folder = join(import.meta.dirname, 'kubectl-controllers');
const transcripts = readdirSync(folder).map((file) => ({
  file,
  steps: parseTranscript(readFileSync(join(folder, file), 'utf8')),
}));
const installed = kubectls();

t.test('versions of kubectl are installed', { skip: installed.length === 0 && kubectlMissing }, async (t) => {
  for (const { version } of installed) t.comment(`kubectl ${version}`);
});

t.jobs = installed.length + 1;
for (const kubectl of installed)
  t.test(`kubectl ${kubectl.version} follows controllers`, { buffered: true }, async (t) => {
    const cluster = await createCluster({
      nodes: { count: 3, runtime: 'none' },
      // Autoscalers are reconciled every 15 s by default, for which transcripts would wait.
      controllerSettings: { horizontalPodAutoscalerSyncPeriod: 500 },
      parts: [simulatedKubelet({ startMs: 200, stopMs: 100 })],
    });
    t.teardown(() => cluster.close());
    const { url } = await cluster.listen();
    const kubeconfig = await cluster.kubeconfig();
    // One after the other: nodes are drained.
    for (const { file, steps } of transcripts) {
      const session = openSession(kubectl, url, kubeconfig);
      t.teardown(() => session.dispose());
      for (const step of steps)
        t.equal(await outcome(step, session), expected(step, kubectl.version), `${file}:${step.line}: ${step.command}`);
    }
  });
