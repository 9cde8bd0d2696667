// Flags as tables: each file of flags lists what it reads, the parser walks the arguments. Flags are written `--name
// value` or `--name=value`; those that take no value are written alone or as `--name=true|false`.
import { parseDurationMs } from '../core/index.js';

/** A command line that makes no sense. Its message is for people. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/** One flag. `Flags` is what all flags together say. */
export interface Flag<Flags> {
  /** How its value is called in the help; undefined for flags that are there or not. */
  readonly value?: string;
  /** What it is for, in one line. */
  readonly help: string;
  /** Whether it may be given several times. */
  readonly repeats?: boolean;
  /** Says what it means, given what was said before it. Throws FlagError. */
  read(value: string, said: Flags): Flags;
}

/** Flags by name, without their dashes. */
export type FlagTable<Flags> = Readonly<Record<string, Flag<Flags>>>;

/** What the arguments say. Throws FlagError. Undefined where one of them asks for something else, such as help. */
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

/** The lines of a help text. */
export function helpLines(table: Readonly<Record<string, Pick<Flag<never>, 'value' | 'help'>>>): string {
  return Object.entries(table)
    .map(([name, { value, help }]) => {
      const left = `  --${name}${value === undefined ? '' : ` ${value}`}`;
      return left.length > 45 ? `${left}\n${' '.repeat(47)}${help}\n` : `${left.padEnd(47)}${help}\n`;
    })
    .join('');
}

/** A whole number. */
export function wholeNumber(name: string, value: string, max: number): number {
  if (!/^[0-9]{1,9}$/.test(value) || Number(value) > max)
    throw new FlagError(`--${name} is a whole number from 0 to ${max}, not ${JSON.stringify(value)}`);
  return Number(value);
}

/** The name of a file. */
export function fileName(name: string, value: string): string {
  if (value === '') throw new FlagError(`--${name} needs the name of a file`);
  return value;
}

/** The name of a folder. */
export function folderName(name: string, value: string): string {
  if (value === '') throw new FlagError(`--${name} needs the name of a folder`);
  return value;
}

/** A duration such as `5m` or `1h30m`, in milliseconds. */
export function duration(name: string, value: string): number {
  try {
    return parseDurationMs(value);
  } catch {
    throw new FlagError(`--${name} is a duration such as 5m or 1h30m, not ${JSON.stringify(value)}`);
  }
}

/** Yes or no. */
export function yesOrNo(name: string, value: string): boolean {
  if (value !== 'true' && value !== 'false')
    throw new FlagError(`--${name} is true or false, not ${JSON.stringify(value)}`);
  return value === 'true';
}

/** Texts between commas, none of them empty. */
export function commaSeparated(name: string, value: string): readonly string[] {
  const items = value.split(',');
  if (items.includes('')) throw new FlagError(`--${name} is a list with commas between, not ${JSON.stringify(value)}`);
  return items;
}

/** One of several words. */
export function oneOf<Word extends string>(name: string, value: string, words: readonly Word[]): Word {
  const word = words.find((each) => each === value);
  if (word === undefined) throw new FlagError(`--${name} is one of ${words.join(', ')}, not ${JSON.stringify(value)}`);
  return word;
}
