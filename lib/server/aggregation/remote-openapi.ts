// The schemas of other servers, for the OpenAPI documents of this one. They are read when a client requests a document,
// and again when they are older than a minute, as kube-aggregator does in fixed intervals. A server that does not
// respond is left out, or keeps what it published last.
import { isJsonObject } from '../../core/index.js';
import type { Clock, GroupVersion, JsonObject } from '../../core/index.js';
import type { Backend } from './backend.js';
import { readDocument } from './read-document.js';
import type { RemoteApi, RemoteApis } from './remote-apis.js';

/** Reads documents of backends, and caches them. */
export class RemoteOpenApi {
  readonly #remotes: Pick<RemoteApis, 'current'>;
  readonly #clock: Clock;
  readonly #known = new WeakMap<Backend, Map<string, CachedDocument>>();

  constructor(remotes: Pick<RemoteApis, 'current'>, clock: Clock) {
    this.#remotes = remotes;
    this.#clock = clock;
  }

  /** Returns the group-versions that publish an OpenAPI v3 document: their keys and the URLs of the documents. */
  async v3Paths(): Promise<readonly (readonly [key: string, entry: JsonObject])[]> {
    const entries = await this.#fromEach('/openapi/v3', (document, { group, version }) => {
      const key = `apis/${group}/${version}`;
      const { paths } = document;
      const entry = isJsonObject(paths) && Object.hasOwn(paths, key) ? paths[key] : undefined;
      return isJsonObject(entry) && typeof entry.serverRelativeURL === 'string' ? [key, entry] : undefined;
    });
    return entries as readonly (readonly [string, JsonObject])[];
  }

  /** Returns the OpenAPI v2 documents: the same array while none has changed. */
  async v2Documents(): Promise<readonly RemoteV2[]> {
    const found = (await this.#fromEach('/openapi/v2', (document, { group, version }) => ({
      group,
      version,
      document,
    }))) as readonly RemoteV2[];
    const isSame =
      found.length === this.#v2.length && found.every(({ document }, at) => document === this.#v2[at]?.document);
    if (!isSame) this.#v2 = found;
    return this.#v2;
  }

  #v2: readonly RemoteV2[] = [];

  async #fromEach(
    path: string,
    select: (document: JsonObject, version: GroupVersion) => unknown,
  ): Promise<readonly unknown[]> {
    const { remotes } = this.#remotes.current;
    if (remotes.size === 0) return [];
    const selected = await Promise.all(
      Array.from(remotes.values(), async (remote) => {
        const document = await this.#read(remote, path);
        return isJsonObject(document) ? select(document, remote) : undefined;
      }),
    );
    return selected.filter((each) => each !== undefined);
  }

  #read({ backend, isAvailable }: RemoteApi, path: string): Promise<unknown> {
    const documents = this.#known.get(backend) ?? new Map<string, CachedDocument>();
    this.#known.set(backend, documents);
    const known = documents.get(path);
    const now = this.#clock.now();
    if (!isAvailable || (known !== undefined && now - known.readAtMs < freshMs))
      return known?.document ?? Promise.resolve(undefined);
    const document = readDocument(backend, path, this.#clock).then(async (result) =>
      'document' in result ? sameOr(await known?.document, result.document) : known?.document,
    );
    documents.set(path, { readAtMs: now, document });
    return document;
  }
}

/** An OpenAPI v2 document of another server. */
export interface RemoteV2 extends GroupVersion {
  readonly document: JsonObject;
}

interface CachedDocument {
  readonly readAtMs: number;
  readonly document: Promise<unknown>;
}

const freshMs = 60_000;

/** Keeps the identity of a document that is read again without a change. */
function sameOr(before: unknown, now: unknown): unknown {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}
