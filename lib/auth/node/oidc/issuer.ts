// An issuer and its keys. Where the keys are is told by the issuer's discovery document, which has to name the very
// issuer that was asked; then keys are fetched when a token needs one that is not known. Tokens are a stranger's: they
// can make the server ask an issuer only so often, and what comes back is bounded. As coreos/go-oidc/oidc.go and
// jwks.go.
import { errorText, isJsonObject, quote } from '../../../core/index.js';
import type { Clock, JsonObject } from '../../../core/index.js';
import { keyOfJwk } from '../signature-key.js';
import type { VerificationKey } from '../signature-key.js';
import type { DocumentRequest, FetchDocument } from './documents.js';

/** Whom to ask, and how. */
export interface IssuerOptions {
  readonly url: string;
  /** Where the discovery document is, if not below `url`. */
  readonly discoveryUrl?: string | undefined;
  readonly fetchDocument: FetchDocument;
  readonly clock: Clock;
  /** What every request to it has in common. */
  readonly connection: Pick<DocumentRequest, 'certificateAuthority' | 'egress' | 'signal'>;
}

/** How long before an issuer is asked again, for its discovery document or for its keys. */
export const discoveryIntervalMs = 10_000;
const keysIntervalMs = 5000;
const keysMax = 200;

/** An issuer: unknown at first, then discovered; its keys come and go. */
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

  /** Asks for the discovery document. Whether it was good shows in `problem`. */
  async discover(): Promise<void> {
    try {
      this.#keysUrl = await this.#discovered();
    } catch (error) {
      this.#problem = errorText(error);
    }
  }

  /** The keys known that a token may have been signed with: all for one that names none. */
  keys(kid: string): readonly VerificationKey[] {
    return kid === '' ? this.#keys : this.#keys.filter((key) => key.kid === kid);
  }

  /**
   * Asks for the keys, together with whoever else is waiting for them; false where they were asked for a moment ago.
   * Fails where they cannot be had, or a moment ago could not.
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
