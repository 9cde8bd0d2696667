// No process outlives the host. A small shell process holds the read end of a pipe whose write end only this process
// has; the kernel closes the pipe when this process dies, also by SIGKILL, and the shell then kills all process groups
// that were registered and not yet removed. (PR_SET_PDEATHSIG would do the same, but Node cannot set it.) What is
// started right before a crash and not yet registered is found by the mark in its environment when the runtime is
// opened again.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';

/** Kills process groups when this process dies. */
export interface Watchdog {
  /** Registers a process group. */
  add(group: number): void;
  /** Removes a group whose processes have ended. */
  remove(group: number): void;
  /** Ends the watchdog. All groups must have been removed. */
  close(): void;
}

const script = `
groups=" "
while read -r operation group; do
  case "$operation" in
    +) groups="$groups$group " ;;
    -) case "$groups" in *" $group "*) groups="\${groups%% "$group" *} \${groups#* "$group" }" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

/** Starts the watchdog in a session of its own, so that no signal of a terminal reaches it. */
export function startWatchdog(): Watchdog {
  const child: ChildProcess = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', ignore);
  child.stdin?.on('error', ignore);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return {
    add: (group) => void child.stdin?.write(`+ ${group}\n`),
    remove: (group) => void child.stdin?.write(`- ${group}\n`),
    close: () => void child.stdin?.end(),
  };
}

function ignore(): void {
  // Without a shell the runtime works, and leaves processes behind when it crashes; they end when it is opened again.
}
