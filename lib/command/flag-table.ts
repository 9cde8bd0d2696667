// Flags as tables: each module lists its flags, and the parser applies the arguments. Flags are written `--name value`
// or `--name=value`; boolean flags alone or as `--name=true|false`.
import { isIP } from 'node:net';
import { parseDurationMs } from '../core/index.js';

/** An invalid command line. The message is shown to the user. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/** One flag. `Flags` is the value that all flags build. */
export interface Flag<Flags> {
  /** Placeholder of the value in the help; undefined for boolean flags. */
  readonly value?: string;
  /** One line of help. */
  readonly help: string;
  /** True if it may be repeated. */
  readonly repeats?: boolean;
  /** Returns the flags with this value applied. Throws FlagError. */
  read(value: string, said: Flags): Flags;
}

/** Flags by name, without dashes. */
export type FlagTable<Flags> = Readonly<Record<string, Flag<Flags>>>;

/** Returns the flags of a part as flags of the whole. */
export function partFlags<Whole, Part extends keyof Whole>(
  table: FlagTable<Whole[Part]>,
  part: Part,
): FlagTable<Whole> {
  return Object.fromEntries(
    Object.entries<Flag<Whole[Part]>>(table).map(([name, flag]): [string, Flag<Whole>] => [
      name,
      { ...flag, read: (text, said) => ({ ...said, [part]: flag.read(text, said[part]) }) },
    ]),
  );
}

/** Parses arguments. Throws FlagError. Returns undefined if one of them requests something else, such as help. */
export function readFlags<Flags>(table: FlagTable<Flags>, args: readonly string[], defaults: Flags): Flags {
  const seen = new Set<string>();
  let said = defaults;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const [, name = '', , attached] = /^--([^=]+)(=([^]*))?$/.exec(arg) ?? [];
    const flag = Object.hasOwn(table, name) ? table[name] : undefined;
    if (flag === undefined)
      throw new FlagError(
        arg.startsWith('-')
          ? `unknown flag ${arg.replace(/=[^]*$/, '')}`
          : `unexpected argument ${JSON.stringify(arg)}`,
      );
    if (seen.has(name) && flag.repeats !== true) throw new FlagError(`--${name} is given twice`);
    seen.add(name);
    if (flag.value !== undefined && attached === undefined) at++;
    const value = attached ?? (flag.value === undefined ? 'true' : args[at]);
    if (value === undefined) throw new FlagError(`--${name} needs a value`);
    said = flag.read(value, said);
  }
  return said;
}

/** Returns the lines of a help text. */
export function helpLines(table: Readonly<Record<string, Pick<Flag<never>, 'value' | 'help'>>>): string {
  return Object.entries(table)
    .map(([name, { value, help }]) => {
      const left = `  --${name}${value === undefined ? '' : ` ${value}`}`;
      return left.length > 45 ? `${left}\n${' '.repeat(47)}${help}\n` : `${left.padEnd(47)}${help}\n`;
    })
    .join('');
}

/** Parses a whole number. */
export function wholeNumber(name: string, value: string, max: number): number {
  if (!/^[0-9]{1,9}$/.test(value) || Number(value) > max)
    throw new FlagError(`--${name} is a whole number from 0 to ${max}, not ${JSON.stringify(value)}`);
  return Number(value);
}

/** Parses the name of a file. */
export function fileName(name: string, value: string): string {
  if (value === '') throw new FlagError(`--${name} needs the name of a file`);
  return value;
}

/** Parses the name of a folder. */
export function folderName(name: string, value: string): string {
  if (value === '') throw new FlagError(`--${name} needs the name of a folder`);
  return value;
}

/** Parses a duration such as `5m` or `1h30m`; returns milliseconds. */
export function duration(name: string, value: string): number {
  try {
    return parseDurationMs(value);
  } catch {
    throw new FlagError(`--${name} is a duration such as 5m or 1h30m, not ${JSON.stringify(value)}`);
  }
}

/** Parses true or false. */
export function yesOrNo(name: string, value: string): boolean {
  if (value !== 'true' && value !== 'false')
    throw new FlagError(`--${name} is true or false, not ${JSON.stringify(value)}`);
  return value === 'true';
}

/** Parses a comma-separated list without empty items. */
export function commaSeparated(name: string, value: string): readonly string[] {
  const items = value.split(',');
  if (items.includes('')) throw new FlagError(`--${name} is a list with commas between, not ${JSON.stringify(value)}`);
  return items;
}

/** Parses an IP address. */
export function listenAddress(name: string, value: string): string {
  if (isIP(value) === 0)
    throw new FlagError(`--${name} is an IP address such as 127.0.0.1, not ${JSON.stringify(value)}`);
  return value;
}

/** Parses a range of ports, written `FIRST-LAST`. */
export function portRange(name: string, value: string): readonly [first: number, last: number] {
  const [, first = '', last = ''] = /^([0-9]{1,5})-([0-9]{1,5})$/.exec(value) ?? [];
  const range = [Number(first), Number(last)] as const;
  if (first === '' || range[0] < 1 || range[1] > 65_535 || range[0] > range[1])
    throw new FlagError(`--${name} is a range of ports such as 30000-32767, not ${JSON.stringify(value)}`);
  return range;
}

/** Parses one of several words. */
export function oneOf<Word extends string>(name: string, value: string, words: readonly Word[]): Word {
  const word = words.find((each) => each === value);
  if (word === undefined) throw new FlagError(`--${name} is one of ${words.join(', ')}, not ${JSON.stringify(value)}`);
  return word;
}
