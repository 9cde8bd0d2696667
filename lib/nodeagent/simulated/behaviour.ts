// How simulated containers behave, as data: what their image costs to pull, when they start and exit, what they log and
// use, and how they answer probes and commands. Everything is optional; the default is a container that starts at once,
// passes its probes and runs until it is stopped.
import { durationMs, isJsonObject, integerValue, milliValue } from '../../core/index.js';
import type { Duration, Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/** The behaviour of a simulated container. Durations are milliseconds, texts such as `90s`, or `Infinity`. */
export interface ContainerBehaviour {
  readonly pull?: PullBehaviour;
  /** How long the start takes. Default 0. */
  readonly startDelay?: Duration;
  /** Why the container cannot be started. */
  readonly startError?: string;
  /** Exits of the instances in order; the last one repeats. Default: none, it runs until it is stopped. */
  readonly exits?: readonly ExitBehaviour[];
  /** Reaction to the stop signal. */
  readonly stop?: StopBehaviour;
  readonly logs?: readonly LogBehaviour[];
  /** Answers to probes. Default: all succeed. */
  readonly health?: readonly HealthBehaviour[];
  /** Answers to commands, by the command with its arguments; `*` for all others. Default: exit code 0, no output. */
  readonly commands?: Readonly<Record<string, CommandBehaviour>>;
  /** Default: 1m of cpu and 1Mi of memory. */
  readonly usage?: { readonly cpu?: string; readonly memory?: string; readonly storage?: string };
  /** The body that port-forwards and HTTP requests get. Default empty. */
  readonly body?: string;
}

/** The pull of an image. */
export interface PullBehaviour {
  /** Default 0. */
  readonly delay?: Duration;
  /** Why it fails. */
  readonly error?: string;
  /** How many pulls on a node fail before one succeeds. Default: all, if there is an error. */
  readonly failures?: number;
  /** Default 10,000,000. */
  readonly sizeBytes?: number;
}

/** The exit of an instance. */
export interface ExitBehaviour {
  /** Time after the start. Infinity: never. */
  readonly after: Duration;
  /** Default 0. */
  readonly code?: number;
  /** Default `Completed` for code 0, otherwise `Error`. `OOMKilled` implies code 137. */
  readonly reason?: string;
  /** The termination message. */
  readonly message?: string;
}

/** The reaction to the stop signal. */
export interface StopBehaviour {
  /** Time from the signal to the exit. Default 0. `Infinity`: the signal is ignored. */
  readonly delay?: Duration;
  /** Default 0. */
  readonly code?: number;
}

/** Lines of a log. */
export interface LogBehaviour {
  readonly text: string;
  /** Time after the start. Default 0. */
  readonly after?: Duration;
  /** Repeats the line. */
  readonly every?: Duration;
  /** Default stdout. */
  readonly stream?: 'stdout' | 'stderr';
}

/** Answers to the probes that a rule selects, relative to the start of the container. */
export interface HealthBehaviour {
  /** The path of HTTP probes. Default: all probes. */
  readonly path?: string;
  /** Probes fail before this time. Default 0. */
  readonly from?: Duration;
  /** Probes fail from this time on. Default: never. */
  readonly until?: Duration;
  /** The status code of a failure. Default 503. */
  readonly statusCode?: number;
}

/** The result of a command. */
export interface CommandBehaviour {
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Default 0. */
  readonly delay?: Duration;
}

/** A container whose behaviour is looked up. */
export interface SimulatedContainer {
  readonly pod: Frozen<Pod>;
  readonly name: string;
  readonly image: string;
}

/** Returns the behaviour of a container; undefined: another rule decides. */
export type BehaviourRule = (container: SimulatedContainer) => ContainerBehaviour | undefined;

/** The annotation of a pod with the behaviour of its containers, as JSON: one behaviour for all of them. */
export const behaviourAnnotation = 'simulation.vivarium.dev/behaviour';

/** Returns the rule for images of a pattern, in which `*` stands for any text. */
export function forImage(pattern: string, behaviour: ContainerBehaviour): BehaviourRule {
  const parts = pattern.split('*');
  return ({ image }) => (matchesParts(image, parts) ? behaviour : undefined);
}

/** Whether a text consists of the parts in order, with any text between them. */
function matchesParts(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  if (!text.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** The rules of pods without others: pods of Jobs exit with 0 after a second, all others run until they are stopped. */
export const defaultRules: readonly BehaviourRule[] = [
  ({ pod }) =>
    pod.metadata?.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller === true) === true
      ? jobBehaviour
      : undefined,
];

const jobBehaviour: ContainerBehaviour = { exits: [{ after: 1_000 }] };

/** Returns the behaviour of a container: its pod's annotation, then the first rule that decides. */
export function behaviourOf(container: SimulatedContainer, rules: readonly BehaviourRule[]): ContainerBehaviour {
  const text = container.pod.metadata?.annotations?.[behaviourAnnotation];
  if (text !== undefined) return parseBehaviour(text);
  for (const rule of rules) {
    const behaviour = rule(container);
    if (behaviour !== undefined) return behaviour;
  }
  return plainBehaviour;
}

const plainBehaviour: ContainerBehaviour = {};

/** Reads a behaviour from JSON. What is malformed shows as a start error of the container. */
function parseBehaviour(text: string): ContainerBehaviour {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) throw new RangeError('not an object');
    // The fields are checked where they are used: durations and quantities refuse what is malformed.
    const behaviour = value as ContainerBehaviour;
    checkBehaviour(behaviour);
    return behaviour;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { startError: `annotation ${behaviourAnnotation}: ${why}` };
  }
}

/** Throws RangeError or ParseError for a malformed duration, quantity or list. */
export function checkBehaviour({
  startDelay,
  exits,
  stop,
  logs,
  health,
  usage,
  pull,
  commands,
}: ContainerBehaviour): void {
  for (const duration of [startDelay, pull?.delay, stop?.delay]) checkDuration(duration);
  for (const list of [exits, logs, health])
    if (list !== undefined && !Array.isArray(list)) throw new RangeError('exits, logs and health are lists');
  for (const { after } of exits ?? []) checkDuration(after);
  for (const { after, every, text } of logs ?? []) {
    checkDuration(after);
    checkDuration(every);
    if (typeof text !== 'string') throw new RangeError('a log line needs a text');
  }
  for (const { from, until } of health ?? []) {
    checkDuration(from);
    checkDuration(until);
  }
  for (const { delay } of Object.values(commands ?? {})) checkDuration(delay);
  if (usage?.cpu !== undefined) milliValue(usage.cpu);
  if (usage?.memory !== undefined) integerValue(usage.memory);
  if (usage?.storage !== undefined) integerValue(usage.storage);
}

function checkDuration(duration: Duration | undefined): void {
  msOf(duration, 0);
}

/** Returns the milliseconds of a duration; Infinity stays. */
export function msOf(duration: Duration | undefined, byDefault: number): number {
  if (duration === undefined) return byDefault;
  return duration === Infinity || duration === 'Infinity' ? Infinity : durationMs(duration);
}
