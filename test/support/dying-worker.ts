// The worker of a SQLite store, but one that dies when it is asked for the key `/die` or `/throw`.
import process from 'node:process';
import { parentPort } from 'node:worker_threads';
import type { WorkerRequest } from '../../lib/storage/sqlite/protocol.js';

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.call !== 'get') return;
  if (request.ask.key === '/die') process.exit(7);
  if (request.ask.key === '/throw') throw new Error('the worker broke down');
});

await import('../../lib/storage/sqlite/database-worker.js');
