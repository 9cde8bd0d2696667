// Kills a server again and again (kill -9) while clients write to it over HTTP: ConfigMaps, which are created,
// replaced, patched and deleted, and Services, whose addresses are stored with them. After each kill the next server on
// the same file has every write that was answered, and addresses and Services agree.
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { firstValueFrom } from 'rxjs';
import { random, systemClock } from '../../lib/core/index.js';
import type { JsonObject, Random } from '../../lib/core/index.js';
import { AcknowledgedWrites } from './acknowledged-writes.js';
import type { KnownObject } from './acknowledged-writes.js';
import { startChild, type Child } from './child-process.js';
import type { ServerOrder, ServerReport } from './server-child.js';

/** What to kill, and how often. */
export interface KillLoopOptions {
  /** The bundle of server-child.ts. */
  readonly program: URL;
  /** The bundle of the store's worker. */
  readonly worker: URL;
  /** The file of the store. */
  readonly path: string;
  readonly kills: number;
  readonly seed: number;
  /** Called after each kill that lost nothing. */
  readonly progress?: (kills: number, result: KillLoopResult) => void;
}

/** What happened. */
export interface KillLoopResult {
  readonly writes: AcknowledgedWrites;
  /** Kills before the server accepted requests. */
  readonly whileOpening: number;
  /** The first write that was lost, if any. */
  readonly complaint: string | undefined;
}

const writers = 8;
const maps = '/api/v1/namespaces/default/configmaps';
const services = '/api/v1/namespaces/default/services';
const clock = systemClock();

/** Kills that many servers, unless a write is lost before. */
export async function killLoop({
  program,
  worker,
  path,
  kills,
  seed,
  progress,
}: KillLoopOptions): Promise<KillLoopResult> {
  const chance = random(seed);
  const writes = new AcknowledgedWrites();
  let [whileOpening, revision] = [0, 0];
  // Started ahead, so that the next one is loaded while the last one works.
  let next = startChild(program);
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const child = next;
      next = startChild(program);
      child.tell({ path, worker: worker.href, compactable: Math.max(0, revision - 50) } satisfies ServerOrder);
      if (chance.next() < 0.1) {
        await pause(chance.integer(80));
        await end(child);
        whileOpening += 1;
        continue;
      }
      const server = connectTo(await portOf(child));
      const found = await readObjects(server);
      const complaint = found.complaint ?? writes.compare(found.objects);
      revision = found.revision;
      // Counted in writes, since a busy machine answers none in the time in which another answers hundreds.
      const last = writes.answered + Math.floor(chance.next() ** 2 * 100);
      const killMs = chance.integer(10);
      const working = Array.from({ length: writers }, (_, writer) =>
        writeUntilKilled(server, writes, chance.stream(`${kill} ${writer}`), writer),
      );
      const over = Promise.all(working).then(() => true);
      while (writes.answered < last && !(await Promise.race([over, pause(1)])));
      await pause(killMs);
      await end(child);
      await over;
      server.close();
      if (complaint !== undefined) return { writes, whileOpening, complaint: `after kill ${kill}: ${complaint}` };
      progress?.(kill + 1, { writes, whileOpening, complaint });
    }
    return { writes, whileOpening, complaint: undefined };
  } finally {
    await end(next);
  }
}

async function end(child: Child): Promise<void> {
  child.kill();
  await child.ended;
}

async function portOf(child: Child): Promise<number> {
  const ended = child.ended.then(() => 'ended' as const);
  while (child.lines.length === 0)
    if ((await Promise.race([child.heard(), ended])) === 'ended') throw new Error('the server ended by itself');
  return (JSON.parse(child.lines[0] ?? '') as ServerReport).port;
}

async function writeUntilKilled(
  server: Server,
  writes: AcknowledgedWrites,
  chance: Random,
  writer: number,
): Promise<void> {
  for (let count = 0; ; count += 1) {
    const isService = chance.next() < 0.2;
    const collection = isService ? services : maps;
    const name = isService ? `service-${writer}` : `map-${writer}-${chance.integer(4)}`;
    const value = chance.string('abcdefgh', 1 + chance.integer(3000));
    if (!(await write(server, writes, { collection, name, value, choice: chance.integer(4) }))) return;
  }
}

interface Attempt {
  readonly collection: string;
  readonly name: string;
  readonly value: string;
  /** Which verb is used for an object that exists. */
  readonly choice: number;
}

/** Returns false if the outcome is unknown: the writer then waits for the next server. */
async function write(
  server: Server,
  writes: AcknowledgedWrites,
  { collection, name, value, choice }: Attempt,
): Promise<boolean> {
  const before = writes.get(name);
  const annotations = { value };
  const path = `${collection}/${name}`;
  const has = (object: KnownObject): boolean => valueOf(object) === value;
  let response: ServerResponse | undefined;
  if (before === undefined) {
    const spec = { ports: [{ port: 80 }] };
    writes.sent(name, { what: 'a create', matches: has });
    response = await server.send('POST', collection, {
      metadata: { name, annotations },
      ...(collection === services && { spec }),
    });
  } else if (choice === 0) {
    writes.sent(name, { what: 'a delete', matches: (object) => object === undefined });
    response = await server.send('DELETE', path);
  } else if (choice === 1) {
    writes.sent(name, { what: 'an update', matches: has });
    response = await server.send('PUT', path, { ...before, metadata: { ...metadataOf(before), annotations } });
  } else {
    writes.sent(name, { what: 'a patch', matches: has });
    response = await server.send('PATCH', path, { metadata: { annotations } });
  }
  // On a machine that stands still a request ends with 504, and its outcome is as unknown as without a response.
  if (response === undefined || response.status === 504) return false;
  if (response.status >= 400) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  writes.acknowledged(name, before !== undefined && choice === 0 ? undefined : withoutKind(response.body));
  return true;
}

interface FoundObjects {
  readonly objects: ReadonlyMap<string, JsonObject>;
  readonly revision: number;
  readonly complaint: string | undefined;
}

/** Reads what is there, and checks that every address of a Service is stored as its own. */
async function readObjects(server: Server): Promise<FoundObjects> {
  const objects = new Map<string, JsonObject>();
  const [mapList, serviceList, addressList] = await Promise.all(
    [maps, services, '/apis/networking.k8s.io/v1/ipaddresses'].map((path) => server.send('GET', path)),
  );
  const found = [...itemsOf(mapList), ...itemsOf(serviceList)].filter((object) => valueOf(object) !== undefined);
  for (const object of found) objects.set(metadataOf(object).name as string, object);
  const owners = new Map(itemsOf(addressList).map((object) => [metadataOf(object).name, parentOf(object)]));
  const wrong = itemsOf(serviceList).find(
    ({ metadata, spec }) => owners.get((spec as JsonObject).clusterIP) !== (metadata as JsonObject).name,
  );
  const revision = Number(metadataOf(mapList?.body ?? {}).resourceVersion);
  const complaint = wrong && `the address of ${JSON.stringify(wrong)} is that of another Service or of none`;
  return { objects, revision, complaint };
}

function itemsOf(response: ServerResponse | undefined): JsonObject[] {
  if (response?.status !== 200) throw new Error(`a list is answered with ${JSON.stringify(response?.body)}`);
  return response.body.items as JsonObject[];
}

function metadataOf(object: JsonObject): JsonObject {
  return (object.metadata ?? {}) as JsonObject;
}

function parentOf({ spec }: JsonObject): unknown {
  return ((spec as JsonObject).parentRef as JsonObject).name;
}

function valueOf(object: KnownObject): unknown {
  return object && (metadataOf(object).annotations as JsonObject | undefined)?.value;
}

/** Items of lists have neither. */
function withoutKind({ apiVersion: _, kind: __, ...object }: JsonObject): JsonObject {
  return object;
}

interface ServerResponse {
  readonly status: number;
  readonly body: JsonObject;
}

interface Server {
  /** Resolves with undefined if the server ends before the whole response is here. */
  send(method: string, path: string, body?: JsonObject): Promise<ServerResponse | undefined>;
  close(): void;
}

function connectTo(port: number): Server {
  const agent = new Agent({ keepAlive: true });
  return {
    send: (method, path, body) =>
      new Promise((resolve) => {
        const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
        const sending = request({ agent, port, host: '127.0.0.1', method, path, headers: { 'Content-Type': type } });
        sending.on('error', () => resolve(undefined));
        sending.on('response', (response) => void read(response).then(resolve));
        sending.end(body && JSON.stringify(body));
      }),
    close: () => agent.destroy(),
  };
}

async function read(response: IncomingMessage): Promise<ServerResponse | undefined> {
  try {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
    return { status: response.statusCode ?? 0, body: JSON.parse(text) as JsonObject };
  } catch {
    return undefined; // cut off
  }
}

async function pause(ms: number): Promise<false> {
  await firstValueFrom(clock.timer(ms), { defaultValue: 0 });
  return false;
}
