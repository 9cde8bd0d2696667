// `npm start` as a user runs it: the server starts, responds, and stops on a signal.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-start-'));
const [ready, kubeconfig] = [join(folder, 'ready'), join(folder, 'kubeconfig')];
const child = spawn(
  process.execPath,
  ['bin/vivarium.js', 'serve', '--port', '0', '--ready-file', ready, '--kubeconfig-out', kubeconfig],
  { stdio: ['ignore', 'inherit', 'inherit'] },
);
const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
try {
  for (let attempt = 0; !existsSync(ready) && child.exitCode === null; attempt += 1) {
    if (attempt > 600) throw new Error('the server did not become ready');
    await pause(100);
  }
  const url = /server: "?(https:\S+?)"?$/m.exec(readFileSync(kubeconfig, 'utf8'))?.[1];
  const status = await new Promise((resolve, reject) =>
    get(`${url}/readyz`, { rejectUnauthorized: false, agent: false }, (response) =>
      resolve(response.resume().statusCode),
    ).on('error', reject),
  );
  if (status !== 200) throw new Error(`/readyz answered ${status}`);
  child.kill('SIGTERM');
  const code = await ended;
  if (code !== 0) throw new Error(`the server ended with code ${code}`);
  console.log('started, answered, stopped');
} finally {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
