import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const READY_WITHIN_MS = 60_000;
const ANSWER_WITHIN_MS = 60_000;
const END_WITHIN_MS = 15_000;

const LEASH = new URL('leash.mjs', import.meta.url).href;

/** A Node.js program of the benchmark in a separate process, so that its CPU time can be measured separately. */
export class Child {
  private constructor(
    private readonly program: string,
    private readonly process: ChildProcess,
    readonly pid: number,
    /** The program's first message. */
    readonly ready: Readonly<Record<string, unknown>>,
  ) {}

  /** Starts `bench/<program>` and waits for its first message. @param nodeOptions for example `--cpu-prof` */
  static async start(
    program: string,
    environment: Readonly<Record<string, string>>,
    nodeOptions: readonly string[] = [],
  ): Promise<Child> {
    const child = fork(fileURLToPath(new URL(`../${program}`, import.meta.url)), [], {
      env: { ...process.env, ...environment },
      execArgv: ['--import', 'tsx', '--import', LEASH, ...nodeOptions],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    try {
      const ready = await answerOf(child, program, READY_WITHIN_MS);
      if (child.pid === undefined) throw new Error(`${program} has no process id`);
      return new Child(program, child, child.pid, ready);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Sends a request and waits for the next message. */
  async ask(request: object, withinMs = ANSWER_WITHIN_MS): Promise<Readonly<Record<string, unknown>>> {
    const answer = answerOf(this.process, this.program, withinMs);
    this.process.send(request);
    return answer;
  }

  /** Sends SIGTERM, then SIGKILL if the program does not end in time. A repeated call does nothing. */
  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => {
      this.process.once('exit', () => resolve());
    });
    this.process.kill('SIGTERM');
    const limit = setTimeout(() => this.process.kill('SIGKILL'), END_WITHIN_MS);
    await ended;
    clearTimeout(limit);
  }
}

/** `BENCH_PROFILE=<folder>`: a program writes a CPU profile into the folder when it ends by itself. */
export function profilingOptions(): string[] {
  const folder = process.env.BENCH_PROFILE;
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}

function answerOf(child: ChildProcess, program: string, withinMs: number): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(limit);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
    };
    const onMessage = (message: unknown): void => {
      settle();
      resolve(message as Record<string, unknown>);
    };
    const onError = (error: Error): void => {
      settle();
      reject(error);
    };
    const onExit = (code: number | null, signal: string | null): void => {
      onError(new Error(`${program} ended (${signal ?? code ?? 'never started'}) before it answered`));
    };
    const limit = setTimeout(() => onError(new Error(`${program} did not answer within ${withinMs} ms`)), withinMs);
    child.once('message', onMessage).once('exit', onExit).once('error', onError);
  });
}
