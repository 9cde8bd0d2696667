// The tokens of an expression as the parser consumes them, and the issues that it reports about them.
import type { CelToken } from './lexer.js';
import { readTokens } from './lexer.js';
import type { Source } from './source.js';

/** Ends parsing after an issue was reported. */
export class ParseAbort extends Error {}

/** A position in the tokens of an expression. */
export class TokenStream {
  readonly #source: Source;
  readonly #tokens: readonly CelToken[];
  #index = 0;

  constructor(source: Source) {
    this.#source = source;
    this.#tokens = readTokens(source);
  }

  /** The next token; the end token where there is none. */
  get current(): CelToken {
    return this.peek(0);
  }

  /** Returns a token after the next one. */
  peek(distance: number): CelToken {
    return this.#tokens[Math.min(this.#index + distance, this.#tokens.length - 1)] ?? endToken;
  }

  /** Consumes the next token. */
  take(): CelToken {
    const token = this.current;
    this.#index++;
    return token;
  }

  /** Returns whether the next token is a symbol. */
  isSymbol(text: string): boolean {
    const token = this.current;
    return token.kind === 'symbol' && token.text === text;
  }

  /** Consumes a symbol if it is next. */
  accept(text: string): CelToken | undefined {
    return this.isSymbol(text) ? this.take() : undefined;
  }

  /** Consumes a symbol. A token before it may be surplus; it may be missing where what comes next can follow it. */
  expect(text: string, expected = `'${text}'`, canBeMissing: (token: CelToken) => boolean = () => false): CelToken {
    const found = this.accept(text);
    if (found !== undefined) return found;
    const token = this.current;
    const next = this.peek(1);
    if (next.kind === 'symbol' && next.text === text) {
      this.report(token, `extraneous input ${shown(token)} expecting ${expected}`);
      this.#index += 2;
      return next;
    }
    if (!canBeMissing(token)) this.fail(token, `mismatched input ${shown(token)} expecting ${expected}`);
    this.report(token, `missing '${text}' at ${shown(token)}`);
    return token;
  }

  /** Reports a syntax error at a token. */
  report(token: CelToken, message: string): void {
    this.#source.report(token.at, `Syntax error: ${message}`);
  }

  /** Reports a syntax error after which parsing cannot go on. Throws `ParseAbort`. */
  fail(token: CelToken, message: string): never {
    this.report(token, message);
    throw new ParseAbort();
  }
}

/** Returns a token as issues quote it. */
export function shown({ text }: CelToken): string {
  return `'${text}'`;
}

const endToken: CelToken = { kind: 'end', text: '<EOF>', at: 0 };
