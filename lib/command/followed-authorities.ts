// Authorities in a file that is followed while the server runs: whoever replaces it changes who is believed. The first
// text has to be good. A later one that is not is told of and passed over, so that a file cut short locks nobody out.
// As apiserver/pkg/server/dynamiccertificates/dynamic_cafile_content.go.
import { concat, concatMap, skip } from 'rxjs';
import { reloadingAuthenticator } from '../auth/index.js';
import type { ServerTools, Authenticator } from '../auth/index.js';
import { pemProblem } from '../auth/node/index.js';
import { errorText } from '../core/index.js';
import type { Clock } from '../core/index.js';
import { followedFile } from './followed-file.js';
import type { CommandEnvironment } from './environment.js';

/** A file, and what it is for. */
export interface AuthoritiesFile {
  /** The flag that names it. */
  readonly flag: string;
  readonly path: string;
  /** What it says at the start, in PEM. */
  readonly text: string;
  /** Believes those whom these authorities vouch for. May throw where it cannot. */
  readonly make: (authorities: string) => Authenticator;
}

/**
 * An authenticator by the authorities that the file has at the time. Throws Error where the first ones are of no use.
 */
export function followedAuthorities(
  { flag, path, text, make }: AuthoritiesFile,
  environment: CommandEnvironment,
  clock: Clock,
): (tools: ServerTools) => Authenticator {
  const made = (authorities: string): Authenticator => {
    const problem = pemProblem(authorities);
    if (problem !== undefined) throw new Error(problem);
    return make(authorities);
  };
  const later = (authorities: string): readonly Authenticator[] => {
    try {
      return [made(authorities)];
    } catch (error) {
      environment.print(`--${flag}: the change of ${path} was not taken over: ${errorText(error)}`);
      return [];
    }
  };
  const first = usable(flag, path, () => made(text));
  const later$ = followedFile(path, text, environment, clock).pipe(skip(1), concatMap(later));
  return ({ closed$ }) => reloadingAuthenticator(concat([first], later$), closed$);
}

function usable<T>(flag: string, path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(`--${flag}: ${path} cannot be used: ${errorText(error)}`, { cause: error });
  }
}
