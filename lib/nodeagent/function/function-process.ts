// Runs a function as a process: its result becomes an exit, signals reach it or end it, and nothing it does after its
// end has an effect. One of the edges that subscribe: an Observable that a function returns is the container's work.
import { EMPTY, Observable, concatMap, isObservable } from 'rxjs';
import { Outlet, duplexChannels, errorText } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import type { HostedProcess, OutputSink, ProcessExit } from '../hosted/container-host.js';
import type {
  FunctionContext,
  ContainerFunction,
  FunctionUsage,
  PortService,
  WriteOutput,
} from './container-function.js';

/** What a function is started with. */
export interface FunctionRequest extends Pick<
  FunctionContext,
  'pod' | 'container' | 'podIps' | 'args' | 'env' | 'mounts'
> {
  readonly run: ContainerFunction;
  readonly clock: Clock;
  readonly stdin: boolean;
  readonly output: OutputSink;
  readonly listen: (port: number, service: PortService) => () => void;
  readonly reportUsage: (usage: FunctionUsage) => void;
}

/** The numbers of signals, for exit codes. */
const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGTERM: 15,
};

/** Starts a function. It is called before this returns. */
export function startFunction(request: FunctionRequest): HostedProcess {
  const { run, stdin, output, listen, ...given } = request;
  const abort = new AbortController();
  const signals = new Outlet<string>();
  const [near, far] = duplexChannels<'stdin', 'stdin'>();
  let terminationMessage = '';
  let finish: (exit: ProcessExit) => void = () => undefined;
  const exit = new Promise<ProcessExit>((resolve) => (finish = resolve));
  const end = (exitCode: number): void => {
    if (abort.signal.aborted) return;
    finish({ exitCode, ...(terminationMessage !== '' && { message: terminationMessage }) });
    near.close();
    abort.abort();
    signals.complete();
  };
  const writer =
    (stream: 'stdout' | 'stderr'): WriteOutput =>
    (content) => {
      if (abort.signal.aborted) return undefined;
      return output(stream, typeof content === 'string' ? utf8.encode(content) : content);
    };
  const fail = async (error: unknown): Promise<void> => {
    await writer('stderr')(`${errorText(error)}\n`);
    end(1);
  };
  const context: FunctionContext = {
    ...given,
    stdin$: stdin ? inputOf(far.input$) : EMPTY,
    stdout: writer('stdout'),
    stderr: writer('stderr'),
    signals$: signals.values$,
    signal: abort.signal,
    terminationMessage: (text) => void (terminationMessage = text),
    listen(port, service) {
      const close = listen(port, service);
      abort.signal.addEventListener('abort', close, { once: true });
      return close;
    },
  };
  if (!stdin) near.end('stdin');
  // In a later turn, so that the container is known as running before its first output.
  void Promise.resolve()
    .then(() => perform(run, context))
    .then(end, fail);
  return {
    exit,
    signal(name) {
      if (name !== 'SIGKILL' && signals.subscribers > 0) signals.emit(name);
      else end(128 + (signalNumbers[name] ?? 15));
    },
    input: (bytes) => near.output('stdin', bytes),
    endInput: () => near.end('stdin'),
  };
}

const utf8 = new TextEncoder();

/** Calls the function and resolves with its exit code. Rejects with its error. */
async function perform(run: ContainerFunction, context: FunctionContext): Promise<number> {
  const result = run(context);
  if (!isObservable(result)) {
    const code = await result;
    return typeof code === 'number' ? code & 255 : 0;
  }
  return new Promise((resolve, reject) => {
    const written$ = result.pipe(
      concatMap(async (value) => {
        if (typeof value === 'string' || value instanceof Uint8Array) await context.stdout(value);
      }),
    );
    const subscription = written$.subscribe({ error: reject, complete: () => resolve(0) });
    context.signal.addEventListener('abort', () => subscription.unsubscribe(), { once: true });
  });
}

/** Emits the bytes of stdin until its end. */
function inputOf(
  messages$: Observable<{ readonly type: string; readonly bytes?: Uint8Array }>,
): Observable<Uint8Array> {
  return new Observable<Uint8Array>((subscriber) =>
    messages$.subscribe({
      next(message) {
        if (message.type === 'data' && message.bytes !== undefined) subscriber.next(message.bytes);
        else subscriber.complete();
      },
      error: (error: unknown) => subscriber.error(error),
      complete: () => subscriber.complete(),
    }),
  );
}
