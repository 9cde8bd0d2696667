// Everything a command touches outside of itself, so that tests run it without a process or a disk.
import type { Observable } from 'rxjs';

/** What a command needs of the world. */
export interface Surroundings {
  /** One line for people. */
  readonly print: (line: string) => void;
  readonly readFile: (path: string) => Promise<string>;
  /** Undefined where there is no such file. */
  readonly findFile: (path: string) => Promise<string | undefined>;
  /** Writes a file that only its owner reads, in a folder that is made where there is none. */
  readonly writeFile: (path: string, text: string) => Promise<void>;
  readonly removeFile: (path: string) => Promise<void>;
  /** A place for a file that nobody gave a name. */
  readonly temporaryFile: (name: string) => string;
  /** Emits whenever a file may have changed. Cold; never completes. */
  readonly fileChanges: (path: string) => Observable<void>;
}
