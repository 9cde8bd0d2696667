// Transcripts: commands and what they are to say, as text that people read. Prose stands at the margin; what is
// indented by two spaces is the session:
//
//     $ kubectl apply -f -          a command for a shell
//     > kind: ConfigMap             lines of its standard input
//     configmap/a created           what it writes to standard output
//     ! Warning: …                  what it writes to standard error
//     = 1                           how it exits, where not with 0
//     [1.27]                        the outcome that follows is that of this version and those up to the next mark
//
// What differs from run to run stands as a placeholder: <age>, <time>, <uid>, <version> (a resourceVersion), <server>,
// <ip>, <port>, <hash> (a certificate's). Columns are compared without the width of their padding, since an age may be
// one or two digits.
import { spawn } from 'node:child_process';
import process from 'node:process';

/** One command and its outcomes, by the version from which they hold ('' for all). */
export interface Step {
  readonly line: number;
  readonly command: string;
  readonly input: string;
  readonly outcomes: ReadonlyMap<string, string>;
}

/** Where commands run. */
export interface Session {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The URL that stands as <server>. */
  readonly server: string;
}

/** A command that takes longer is ended, and its outcome is `= null`. */
const stepTimeoutMs = 180_000;

/** Reads a transcript. */
export function parseTranscript(text: string): Step[] {
  const steps: { line: number; command: string; input: string[]; outcomes: Map<string, string[]>; mark: string }[] = [];
  text.split('\n').forEach((line, index) => {
    const step = steps.at(-1);
    if (line.startsWith('  $ '))
      steps.push({ line: index + 1, command: line.slice(4), input: [], outcomes: new Map(), mark: '' });
    else if (step === undefined) return;
    else if (line.startsWith('  > ') || line === '  >') step.input.push(`${line.slice(4)}\n`);
    else if (/^ {2}\[\d+\.\d+\]$/.test(line)) step.outcomes.set((step.mark = line.slice(3, -1)), []);
    // An empty line is of the output when more output follows; `outcome` takes the last ones off.
    else if (line === '' || line.startsWith('  '))
      step.outcomes.set(step.mark, [...(step.outcomes.get(step.mark) ?? []), line.slice(2)]);
  });
  return steps.map(({ line, command, input, outcomes }) => ({
    line,
    command,
    input: input.join(''),
    outcomes: new Map([...outcomes].map(([mark, lines]) => [mark, lines.join('\n').trimEnd()])),
  }));
}

/** What a step is to come to with a version of the program. */
export function expected({ outcomes }: Step, version: string): string {
  const order = (mark: string): number => Number(mark.split('.')[1] ?? 0);
  const marks = [...outcomes.keys()]
    .filter((mark) => order(mark) <= order(version))
    .sort((a, b) => order(a) - order(b));
  return outcomes.get(marks.at(-1) ?? '') ?? '';
}

/** Runs a step and returns its outcome as a transcript prints it. */
export async function outcome({ command, input }: Step, session: Session): Promise<string> {
  const child = spawn('sh', ['-c', command], {
    cwd: session.cwd,
    env: session.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // The whole group: a shell that is killed leaves its commands behind.
  const limit = setTimeout(() => process.kill(-(child.pid ?? 0)), stepTimeoutMs);
  child.stdin.on('error', () => undefined); // it may end without reading
  child.stdin.end(input);
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said.stderr += chunk));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  clearTimeout(limit);
  const complaints = said.stderr
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '' && !reflectorLog.test(line))
    .map((line) => `! ${line}\n`);
  return normal(`${said.stdout.trimEnd()}\n${complaints.join('')}${code === 0 ? '' : `= ${code}`}`, session)
    .replace(/^\n/, '')
    .trimEnd();
}

/** What client-go logs of a watch that it ends itself depends on how far the watch got just then. */
const reflectorLog = /^[IWE]\d{4} \S+ +\d+ reflector\.go:/;

/** Puts placeholders where runs differ. */
function normal(text: string, { server, cwd }: Session): string {
  return text
    .replaceAll(server, '<server>')
    .replaceAll(cwd, '<folder>')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uid>')
    .replace(/\bX509SHA256=[0-9a-f]{64}\b/g, 'X509SHA256=<hash>')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replace(/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>')
    .replace(/(resourceVersion"?: ?)"\d+"/g, '$1"<version>"')
    .replace(/\b10\.96\.\d+\.\d+\b/g, '<ip>')
    .replace(/:3[0-2]\d{3}\/TCP/g, ':<port>/TCP')
    .replace(/(?<=\s)((\d+m)?\d+s|[2-9]m)(?=\s|$)/gm, '<age>')
    .replace(/(?<=\S) {3,}/g, '   ')
    .replace(/ +$/gm, '');
}
