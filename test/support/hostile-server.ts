// A server in this process for hostile requests: asked below the URL standard, which would mend what they say, on a
// clock that only moves when nothing else can happen. Every answer is read to its end, or, where it is a stream, cut
// off.
import { readFileSync, readdirSync } from 'node:fs';
import { random, virtualClock } from '../../lib/core/index.js';
import type { JsonObject, VirtualClock } from '../../lib/core/index.js';
import { admissionPlugins } from '../../lib/admission/index.js';
import { createServer } from '../../lib/server/index.js';
import type { ApiServer } from '../../lib/server/index.js';
import { wire } from '../../lib/server/http/wire.js';
import type { WireInput } from '../../lib/server/http/wire-request.js';
import type { WireOutput } from '../../lib/server/http/wire-output.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { HostileRequest } from './hostile-requests.js';

/** What was answered. */
export interface HostileAnswer {
  readonly code: number;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Milliseconds on the clock of the machine. */
  readonly ms: number;
  /** Whether it was a stream. */
  readonly streamed: boolean;
  /** Errors that were no refusals. */
  readonly defects: readonly unknown[];
}

/** A server to be asked. */
export interface HostileServer {
  readonly server: ApiServer;
  readonly clock: VirtualClock;
  /** Rejects where there is no answer however long one waits. */
  ask(request: HostileRequest): Promise<HostileAnswer>;
  close(): Promise<void>;
}

/**
 * Plugins that are off by default and need no configuration, so that they meet hostile objects. Namespaces are created
 * on demand: most requests would end at a namespace that does not exist.
 */
const optionalPlugins = [
  'AlwaysPullImages',
  'DenyServiceExternalIPs',
  'ExtendedResourceToleration',
  'LimitPodHardAntiAffinityTopology',
  'NamespaceAutoProvision',
  'PodNodeSelector',
  'PodTolerationRestriction',
];

/**
 * Begins a server. What it makes once, on threads of the machine that no clock sees, is made before the first question.
 */
export async function hostileServer(seed: number | string): Promise<HostileServer> {
  const clock = virtualClock({ stallAfterMs: 2 ** 30 });
  const store = memoryStore({ clock, historyMax: 1_000 });
  const server = createServer({
    store,
    clock,
    random: random(seed).stream('server'),
    // No controller creates the account that ServiceAccount would wait for.
    admission: admissionPlugins({ enable: optionalPlugins, disable: ['ServiceAccount'] }),
  });
  let defects: unknown[] = [];
  const { answer, close } = wire(server, {
    clock,
    random: random(seed).stream('wire'),
    onDefect: (error) => defects.push(error),
  });
  const yaml = { 'content-type': 'application/yaml' };
  for (const target of ['/openapi/v2', '/openapi/v3', '/openapi/v3/api/v1', '/api/v1', '/apis/apps/v1'])
    await answer(inputOf({ method: 'GET', target, headers: {}, body: undefined }));
  await answer(
    inputOf({
      method: 'POST',
      target: '/api/v1/namespaces/default/configmaps',
      headers: yaml,
      body: Buffer.from('a: [b]'),
    }),
  );
  return {
    server,
    clock,
    async ask(request) {
      defects = [];
      const before = performance.now();
      const timers = clock.pending;
      const output = await settled(Promise.resolve(answer(inputOf(request))), clock, timers);
      const read = await readOutput(output, request.method === 'HEAD');
      return {
        code: output.code,
        contentType: headerOf(output, 'content-type'),
        ms: performance.now() - before,
        defects,
        ...read,
      };
    },
    async close() {
      close();
      await server.close();
      await store.close();
    },
  };
}

/** Objects of the recorded cases that a real server took, with kind and apiVersion, each once. */
export function recordedSamples(folder = 'conformance/cases'): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const file of readdirSync(folder).sort()) {
    const { cases } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as {
      readonly cases: readonly { readonly steps: readonly Step[] }[];
    };
    for (const { steps } of cases) {
      for (const { method, body, expect } of steps) {
        if (method !== 'POST' || expect?.status !== 201 || typeof body !== 'object') continue;
        const text = JSON.stringify(body).replace(/\$\{[^}]*\}/g, 'x');
        found.set(text, JSON.parse(text) as JsonObject);
      }
    }
  }
  return [...found.values()];
}

interface Step {
  readonly method?: string;
  readonly body?: unknown;
  readonly expect?: { readonly status?: number };
}

function inputOf({ method, target, headers, body }: HostileRequest): WireInput {
  return {
    method,
    target,
    header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
    headersWith: (prefix) => Object.entries(headers).filter(([name]) => name.startsWith(prefix)),
    readBody: async () => body ?? new Uint8Array(),
    onGone: () => undefined,
  };
}

/**
 * What needs no time comes within a few turns of the event loop, or, where a thread of the machine has to do with it (a
 * module that is imported when first needed), some time later. Only who has set a timer of its own, besides the
 * deadline that every request has, is waited for on the clock, and in the end for all of them.
 */
async function settled<T>(promise: Promise<T>, clock: VirtualClock, timersBefore: number): Promise<T> {
  const state = { isSettled: false };
  const watched = promise.finally(() => {
    state.isSettled = true;
  });
  await Promise.race([watched, turn()]);
  for (let turns = 0; turns < 1_000; turns++) {
    if (state.isSettled) return watched;
    if (turns < 20) await turn();
    else if (clock.pending > timersBefore + 1 || turns > 300) await clock.advance(1_000);
    else await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error('there was no answer');
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function readOutput(
  { body }: WireOutput,
  isHead: boolean,
): Promise<{ readonly bytes: Uint8Array; readonly streamed: boolean }> {
  if (body.type === 'bytes') return { bytes: isHead ? new Uint8Array() : body.bytes, streamed: false };
  if (body.type === 'blocks') return { bytes: Buffer.concat([...body.blocks]), streamed: false };
  const parts: Uint8Array[] = [];
  const sink = { write: (bytes: Uint8Array) => parts.push(bytes) > 0, end: () => undefined, cut: () => undefined };
  const pump = body.start(sink, 'row');
  await turn();
  pump.stop();
  return { bytes: Buffer.concat(parts), streamed: true };
}

function headerOf({ headers }: WireOutput, name: string): string {
  const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  return at < 0 ? '' : (headers[at + 1] ?? '');
}
