// A child of the tests: lines in, lines out, and an end that is waited for.
import { spawn, type ChildProcess } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A running program. */
export interface Child {
  /** Sends a line of JSON. */
  tell(what: unknown): void;
  /** Everything it has said so far, line by line. */
  readonly lines: readonly string[];
  /** Settles when it has said something more. */
  heard(): Promise<void>;
  kill(): void;
  /** Its exit code, or null for one that was killed, once all it said was heard. */
  readonly ended: Promise<number | null>;
}

/** Starts a program of plain JavaScript with plain node: no loader, no options of the test run. */
export function startChild(program: URL): Child {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(program)], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  let wake: (() => void)[] = [];
  const wakeAll = (): void => {
    for (const each of wake) each();
    wake = [];
  };
  if (child.stdout === null || child.stdin === null) throw new Error('the child has no pipes');
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    wakeAll();
  });
  const { stdin } = child;
  stdin.on('error', () => undefined); // it may be dead already
  return {
    tell: (what) => void stdin.write(`${JSON.stringify(what)}\n`),
    lines,
    heard: () => new Promise((resolve) => wake.push(resolve)),
    kill: () => void child.kill('SIGKILL'),
    ended: new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        wakeAll();
        resolve(code);
      });
    }),
  };
}
