import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tool } from '../../adapters/embedded/index.js';

export interface SippRun {
  /** Resolves when sipp listens. @throws Error if it ended instead */
  readonly ready: Promise<void>;
  /** Resolves when the last call has ended or the time limit is reached. */
  readonly done: Promise<SippResult>;
  stop(): void;
}

export interface SippResult {
  readonly successful: number;
  readonly retransmissions: number;
  /** How many of the successful ones were refused with 503 ({@link offer}). */
  readonly refused: number;
  /** Mean time until a refusal; null if no call was refused. */
  readonly refusalMs: number | null;
  readonly seconds: number;
  /** sipp's error log, for display only. */
  readonly errors: string;
}

interface Common {
  /** Own SIP port. */
  readonly port: number;
  readonly calls: number;
  readonly limitSeconds: number;
}

/** Ends the sipp processes that would outlive the benchmark. */
const running = new Set<() => void>();
process.once('exit', () => {
  for (const end of running) end();
});

interface Calls extends Common {
  readonly remote: string;
  readonly number: string;
  readonly callsPerSecond: number;
  /** sipp's receive timeout of each call; 5 s by default. */
  readonly receiveTimeoutMs?: number;
}

/** Callers: each waits to be answered and hung up. */
export function call(tool: Tool, options: Calls): SippRun {
  return start(tool, 'caller.xml', options, callerArguments(options));
}

/** Callers: a refusal with 503 also counts as success. */
export function offer(tool: Tool, options: Calls): SippRun {
  return start(tool, 'offer.xml', options, callerArguments(options));
}

function callerArguments({ remote, number, callsPerSecond, receiveTimeoutMs = 5000 }: Calls): string[] {
  return [remote, '-s', number, '-r', String(callsPerSecond), '-l', '5000', '-recv_timeout', String(receiveTimeoutMs)];
}

/** Callers behind a proxy: each is answered, and hangs up. */
export function routed(tool: Tool, options: Calls): SippRun {
  return start(tool, 'routed.xml', options, callerArguments(options));
}

/** Phones: each registers with the answer to a challenge. @param options `users`: a file with their names, as for `-inf` */
export function register(
  tool: Tool,
  options: Omit<Calls, 'number'> & { readonly users: string; readonly password: string },
): SippRun {
  const { users, password } = options;
  const args = ['-inf', users, '-au', 'x', '-ap', password];
  return start(tool, 'register.xml', options, [...callerArguments({ ...options, number: 'x' }), ...args]);
}

/** Callees: answer each call at once and hang up. */
export function answer(tool: Tool, options: Common): SippRun {
  return start(tool, 'callee.xml', options, []);
}

/** Callees who answer each call at once and wait for the hangup; they echo received audio from the media port. */
export function stay(tool: Tool, options: Common & { readonly mediaPort: number }): SippRun {
  return start(tool, 'party.xml', options, ['-rtp_echo', '-mi', '127.0.0.1', '-mp', String(options.mediaPort)]);
}

function start(tool: Tool, scenario: string, { port, calls, limitSeconds }: Common, args: string[]): SippRun {
  const folder = mkdtempSync(join(tmpdir(), 'hatif-bench-sipp-'));
  const file = fileURLToPath(new URL(`../scenarios/${scenario}`, import.meta.url));
  const child = spawn(
    tool.command,
    [
      ...tool.args,
      ...args,
      ...['-sf', file, '-i', '127.0.0.1', '-p', String(port), '-t', 'u1', '-m', String(calls), '-nostdin'],
      ...['-timeout', `${limitSeconds}s`, '-trace_stat', '-stf', 'stats.csv', '-fd', '1'],
      ...['-trace_err', '-error_file', 'errors.txt'],
    ],
    { cwd: folder, env: { ...tool.env, TERM: 'dumb' }, stdio: 'ignore' },
  );
  const startedMs = performance.now();
  const kill = (): void => void child.kill('SIGKILL');
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const end = (): void => {
    kill();
    remove();
  };
  running.add(end);
  const limit = setTimeout(kill, (limitSeconds + 5) * 1000);
  const done = new Promise<SippResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      const seconds = (performance.now() - startedMs) / 1000;
      running.delete(end);
      clearTimeout(limit);
      resolve({ ...counts(read(folder, 'stats.csv')), seconds, errors: read(folder, 'errors.txt') });
      remove();
    });
  });
  const ready = listening(port, () => child.exitCode === null && child.signalCode === null);
  // Callers do not await it.
  ready.catch(() => undefined);
  return { ready, done, stop: kill };
}

/** Polls the kernel's socket table, because sipp does not report when it listens. */
async function listening(port: number, isAlive: () => boolean): Promise<void> {
  const socket = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  while (!readFileSync('/proc/net/udp', 'latin1').includes(socket)) {
    if (!isAlive()) throw new Error(`sipp did not listen on ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Parses sipp's statistics: a header line, then a line per second; `(C)` columns are cumulative. */
function counts(csv: string): Pick<SippResult, 'successful' | 'retransmissions' | 'refused' | 'refusalMs'> {
  const rows = csv.trim().split('\n');
  const names = rows[0]?.split(';') ?? [];
  const last = rows.at(-1)?.split(';') ?? [];
  const field = (name: string): string => last[names.indexOf(name)] ?? '';
  const count = (name: string): number => Number(field(name)) || 0;
  const refused = count('GenericCounter1(C)');
  return {
    successful: count('SuccessfulCall(C)'),
    retransmissions: count('Retransmissions(C)'),
    refused,
    refusalMs: refused === 0 ? null : millisecondsOf(field('ResponseTime1(C)')),
  };
}

/** `HH:MM:SS:microseconds` */
function millisecondsOf(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0, microseconds = 0] = time.split(':').map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + microseconds / 1000;
}

function read(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return '';
  }
}
