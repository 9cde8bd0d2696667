// An OpenID Connect issuer and its keys. The discovery document must name the issuer it was requested from; it has the
// URL of the keys, which are fetched when a token needs an unknown one. Tokens are untrusted, so the rate of requests
// to an issuer and the size of responses are limited. As coreos/go-oidc/oidc.go and jwks.go.
import { errorText, isJsonObject, quote } from '../../../core/index.js';
import type { Clock, JsonObject } from '../../../core/index.js';
import { keyOfJwk } from '../signature-key.js';
import type { VerificationKey } from '../signature-key.js';
import type { DocumentRequest, FetchDocument } from './documents.js';

/** The issuer and how to reach it. */
export interface IssuerOptions {
  readonly url: string;
  /** URL of the discovery document, if it is not below `url`. */
  readonly discoveryUrl?: string | undefined;
  readonly fetchDocument: FetchDocument;
  readonly clock: Clock;
  /** Options of every request to the issuer. */
  readonly connection: Pick<DocumentRequest, 'certificateAuthority' | 'egress' | 'signal'>;
}

/** Minimum time between two requests for the discovery document or the keys. */
export const discoveryIntervalMs = 10_000;
const keysIntervalMs = 5000;
const keysMax = 200;

/** An issuer; `discover` has to succeed before its keys can be fetched. */
export class Issuer {
  readonly url: string;
  readonly #options: IssuerOptions;
  #keysUrl: string | undefined;
  #problem: string;
  #keys: readonly VerificationKey[] = [];
  #keysProblem: string | undefined;
  #keysAskedAt = -Infinity;
  #fetching: Promise<void> | undefined;

  constructor(options: IssuerOptions) {
    this.url = options.url;
    this.#options = options;
    this.#problem = `oidc: authenticator for issuer ${quote(options.url)} is not initialized`;
  }

  /** Why its tokens cannot be verified yet; undefined once it is discovered. */
  get problem(): string | undefined {
    return this.#keysUrl === undefined ? this.#problem : undefined;
  }

  /** Requests the discovery document. The outcome is in `problem`. */
  async discover(): Promise<void> {
    try {
      this.#keysUrl = await this.#discovered();
    } catch (error) {
      this.#problem = errorText(error);
    }
  }

  /** Returns the cached keys that may have signed a token: those of its key ID, or all if it has none. */
  keys(kid: string): readonly VerificationKey[] {
    return kid === '' ? this.#keys : this.#keys.filter((key) => key.kid === kid);
  }

  /**
   * Fetches the keys; concurrent callers share one request. Resolves to false if they were fetched recently. Rejects if
   * they cannot be fetched, or could not recently.
   */
  async fetchKeys(): Promise<boolean> {
    const now = this.#options.clock.now();
    const isRecent = this.#fetching === undefined && now < this.#keysAskedAt + keysIntervalMs;
    if (!isRecent) {
      this.#fetching ??= this.#refreshed(now).finally(() => {
        this.#fetching = undefined;
      });
      await this.#fetching;
    }
    if (this.#keysProblem !== undefined) throw new Error(`fetching keys ${this.#keysProblem}`);
    return !isRecent;
  }

  async #discovered(): Promise<string> {
    const { url, discoveryUrl } = this.#options;
    const document = await this.#json(discoveryUrl ?? `${url.replace(/\/$/, '')}/.well-known/openid-configuration`);
    if (document.issuer !== url) {
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${quote(url)} got ${quote(printed(document.issuer))}`,
      );
    }
    const keysUrl = document.jwks_uri;
    if (typeof keysUrl !== 'string' || keysUrl === '') throw new Error('provider did not return JWKS URL');
    if (!URL.canParse(keysUrl) || !keysUrl.startsWith('https://'))
      throw new Error(`oidc: the JWKS URL ${quote(keysUrl)} is not https`);
    return keysUrl;
  }

  async #refreshed(now: number): Promise<void> {
    this.#keysAskedAt = now;
    try {
      const { keys } = await this.#json(this.#keysUrl ?? '');
      if (!Array.isArray(keys)) throw new Error('oidc: failed to decode keys: no list of keys');
      this.#keys = (keys as readonly unknown[]).slice(0, keysMax).flatMap((each) => keyOfJwk(each) ?? []);
      this.#keysProblem = undefined;
    } catch (error) {
      this.#keysProblem = errorText(error);
    }
  }

  async #json(url: string): Promise<JsonObject> {
    const { fetchDocument, connection } = this.#options;
    const { status, body } = await fetchDocument({ url, ...connection });
    if (status !== 200) throw new Error(`${url}: answered with status ${status}`);
    const document = parsed(body);
    if (!isJsonObject(document)) throw new Error(`${url}: the document is no JSON object`);
    return document;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function printed(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
