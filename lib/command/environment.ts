// Everything a command touches outside of itself, so that tests run it without a process or a disk.
import type { Observable } from 'rxjs';

/** The environment of a command. */
export interface CommandEnvironment {
  /** Prints one line. */
  readonly print: (line: string) => void;
  readonly readFile: (path: string) => Promise<string>;
  /** Undefined where there is no such file. */
  readonly findFile: (path: string) => Promise<string | undefined>;
  /** Writes a file that only its owner may read; creates the folder where there is none. */
  readonly writeFile: (path: string, text: string) => Promise<void>;
  readonly removeFile: (path: string) => Promise<void>;
  /** The path of a file in the folder for temporary files. */
  readonly temporaryFile: (name: string) => string;
  /** Emits whenever a file may have changed. Cold; never completes. */
  readonly fileChanges: (path: string) => Observable<void>;
}
