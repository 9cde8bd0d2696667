// The port through which commands access files and output, so that tests run them without a process or a disk.
import type { Observable } from 'rxjs';
import type { Clock } from '../core/index.js';

/** A line of the log. */
export interface CommandLogEntry {
  readonly level: 'info' | 'error';
  /** The name of the part that it is about. */
  readonly part: string;
  readonly message: string;
  /** The Audit-Id of the request that it is about. */
  readonly auditId?: string;
}

/** The environment of a command. */
export interface CommandEnvironment {
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Prints one line. */
  readonly print: (line: string) => void;
  /** Records a problem. Default: prints its message. */
  readonly log?: (entry: CommandLogEntry) => void;
  readonly readFile: (path: string) => Promise<string>;
  /** Resolves to undefined if the file does not exist. */
  readonly findFile: (path: string) => Promise<string | undefined>;
  /** As `findFile`, for a file of secrets: afterwards only its owner may read it. Rejects for a symbolic link. */
  readonly findPrivateFile: (path: string) => Promise<string | undefined>;
  /** Writes a file that only its owner may read; creates missing folders. Rejects for a symbolic link. */
  readonly writeFile: (path: string, text: string) => Promise<void>;
  /** Replaces the text of a private file under a lock; leaves it alone if `change` returns undefined. */
  readonly changeFile: (
    path: string,
    change: (text: string | undefined) => Promise<string | undefined>,
  ) => Promise<void>;
  readonly removeFile: (path: string) => Promise<void>;
  /** Creates a folder with an unpredictable name that only this user may enter. */
  readonly createPrivateFolder: () => Promise<string>;
  readonly removeFolder: (path: string) => Promise<void>;
  /** Returns the kubeconfig that kubectl of this user would change. */
  readonly userKubeconfigPath: () => string;
  /** Emits whenever a file may have changed. Cold; never completes. */
  readonly fileChanges: (path: string) => Observable<void>;
}
