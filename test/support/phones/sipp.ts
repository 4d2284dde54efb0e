import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../eventually.js';
import { freeSipPort } from './ports.js';
import { ToolProcess } from './process.js';
import { sippTool } from './tools.js';

const MESSAGES = 'messages.txt';
const SCENARIOS = fileURLToPath(new URL('scenarios/', import.meta.url));

export type SippScenario =
  /** Calls, waits for `pauseMs` after the answer, hangs up. */
  | 'uac-call'
  /** The same behind proxies, which stay in the way of the call. */
  | 'uac-routed'
  /** Calls and waits for the remote side's BYE. */
  | 'uac-wait-bye'
  /** Calls and cancels after `pauseMs` of ringing. */
  | 'uac-cancel'
  /** Calls and must be refused with `status`. */
  | 'uac-refused'
  /** Rings, answers, waits for the caller's BYE. */
  | 'uas-answer'
  /** Rings, answers, hangs up after `pauseMs`. */
  | 'uas-answer-then-bye'
  /** 183 with media, answers after `pauseMs`, waits for the caller's BYE. */
  | 'uas-early-media'
  /** Refuses with `status` and `reason`. */
  | 'uas-reject'
  /** 183 with media, refuses after `pauseMs` with `status` and `reason`. */
  | 'uas-early-media-reject'
  /** Rings until the caller gives up. */
  | 'uas-noanswer'
  /** 100 and no ringing until the caller gives up. */
  | 'uas-silent';

export interface SippOptions {
  readonly scenario: SippScenario;
  /** The remote side, `host:port`; required to call. */
  readonly remote?: string;
  /** The dialled number. */
  readonly number?: string;
  /** User part of the caller's address. */
  readonly caller?: string;
  /** Replaces the whole From of a caller, name and address. */
  readonly from?: string;
  /** Own SIP port; a free one by default. */
  readonly port?: number;
  /** Ends after this number of calls; by default 1 for a caller, no limit for a callee. */
  readonly calls?: number;
  readonly callsPerSecond?: number;
  readonly atOnce?: number;
  readonly pauseMs?: number;
  /** 486 by default; 404, 503, 603 … */
  readonly status?: number;
  readonly reason?: string;
  /** Sends received RTP back. */
  readonly echo?: boolean;
  readonly transport?: 'udp' | 'tcp';
  /** Keeps every SIP message for {@link Sipp.message}. */
  readonly trace?: boolean;
  /** Ends after this time; 60 s for a caller. */
  readonly timeoutMs?: number;
}

export interface SippResult {
  readonly exitCode: number | null;
  readonly created: number;
  readonly successful: number;
  readonly failed: number;
  /** sipp's error messages; empty if there are none. */
  readonly errors: string;
}

const REASONS: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'Not Found',
  480: 'Temporarily Unavailable',
  484: 'Address Incomplete',
  486: 'Busy Here',
  488: 'Not Acceptable Here',
  500: 'Server Internal Error',
  503: 'Service Unavailable',
  600: 'Busy Everywhere',
  603: 'Decline',
};

/** A sipp process that plays one scenario on the loopback: a carrier, a trunk's remote side or many callers at once. */
export class Sipp {
  private constructor(
    readonly port: number,
    /** Resolves when sipp has ended: after `calls` calls, or by {@link stop}. */
    readonly done: Promise<SippResult>,
    private readonly process: ToolProcess,
  ) {}

  /** Starts sipp; a callee accepts calls when this resolves. */
  static async start(options: SippOptions): Promise<Sipp> {
    const tool = await sippTool();
    const port = options.port ?? (await freeSipPort());
    const folder = ToolProcess.folder('sipp');
    writeFileSync(path.join(folder, 'scenario.xml'), scenario(options));
    const process = new ToolProcess(folder, tool, args(options, port, await freeSipPort()));
    const done = process.exited.then((exitCode) => result(folder, exitCode, process));
    const sipp = new Sipp(port, done, process);
    if (isCallee(options)) await sipp.listening(options.transport ?? 'udp');
    return sipp;
  }

  /** Starts sipp, waits for its end and cleans up. */
  static async run(options: SippOptions): Promise<SippResult> {
    const sipp = await Sipp.start(options);
    const outcome = await sipp.done;
    await sipp.stop();
    return outcome;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /**
   * Waits for the first matching SIP message, sent or received; requires `trace`. Each message begins with a line of
   * sipp that gives its direction.
   */
  async message(matching: RegExp, timeoutMs = 20_000): Promise<string> {
    let seen = 0;
    return eventually(
      () => {
        const messages = read(this.process.folder, MESSAGES).split(/^-{20,} .*\n/m);
        seen = messages.length;
        return messages.find((message) => matching.test(message));
      },
      () => `a SIP message like ${String(matching)}, among ${seen}`,
      timeoutMs,
    );
  }

  /** Accepts no new calls, gives current ones two seconds and ends. A repeat does nothing. */
  async stop(): Promise<SippResult> {
    await this.process.stop('SIGUSR1', 2000);
    return this.done;
  }

  /** Ends at once, as if the carrier's power failed. */
  async kill(): Promise<void> {
    await this.process.stop('SIGKILL', 0);
  }

  private async listening(transport: 'udp' | 'tcp'): Promise<void> {
    const socket = `0100007F:${this.port.toString(16).toUpperCase().padStart(4, '0')}`;
    const isListening = (): boolean => {
      if (!this.process.alive) throw new Error(`sipp ended\n${this.process.tail()}`);
      return readFileSync(`/proc/net/${transport}`, 'latin1').includes(socket);
    };
    try {
      await eventually(isListening, () => `sipp listens\n${this.process.tail()}`);
    } catch (error) {
      await this.kill();
      throw error;
    }
  }
}

function isCallee(options: SippOptions): boolean {
  return options.scenario.startsWith('uas');
}

function scenario({ scenario: name, status = 486, reason = REASONS[status] ?? 'Refused', from }: SippOptions): string {
  const source = readFileSync(path.join(SCENARIOS, `${name}.xml`), 'utf8');
  const filled = source.replaceAll('{{status}}', String(status)).replaceAll('{{reason}}', reason);
  return from === undefined
    ? filled
    : filled.replaceAll(/^( *From: ).*(;tag=)/gm, (_, head, tag) => `${head}${from}${tag}`);
}

function args(options: SippOptions, port: number, mediaPort: number): string[] {
  const callee = isCallee(options);
  if (!callee && options.remote === undefined) throw new Error(`${options.scenario} needs a remote`);
  const { calls = callee ? undefined : 1, timeoutMs = callee ? undefined : 60_000 } = options;
  const flags: [string, string | number | undefined][] = [
    ['-sf', 'scenario.xml'],
    ['-i', '127.0.0.1'],
    ['-p', port],
    ['-mi', '127.0.0.1'],
    ['-mp', mediaPort],
    ['-t', options.transport === 'tcp' ? 't1' : 'u1'],
    ['-m', calls],
    ['-r', options.callsPerSecond],
    ['-l', options.atOnce],
    ['-d', options.pauseMs ?? 0],
    ['-s', options.number],
    ['-timeout', timeoutMs === undefined ? undefined : `${timeoutMs}ms`],
    ['-stf', 'stats.csv'],
    ['-error_file', 'errors.txt'],
  ];
  return [
    ...(options.remote === undefined ? [] : [options.remote]),
    ...flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)])),
    ...['-key', 'caller', options.caller ?? 'sipp'],
    ...(options.echo === true ? ['-rtp_echo'] : []),
    ...(options.trace === true ? ['-trace_msg', '-message_file', MESSAGES] : []),
    ...['-trace_stat', '-trace_err', '-nostdin'],
  ];
}

function result(folder: string, exitCode: number | null, process: ToolProcess): SippResult {
  const rows = read(folder, 'stats.csv').trim().split('\n');
  const [names, last] = [(rows[0] ?? '').split(';'), (rows.at(-1) ?? '').split(';')];
  const count = (name: string): number => Number(last[names.indexOf(name)] ?? 0) || 0;
  const [successful, failed] = [count('SuccessfulCall(C)'), count('FailedCall(C)')];
  // 0 and 1 report the calls, 97 and 99 an end by command or without a call; all others are failures of sipp itself.
  const broken = exitCode === null || ![0, 1, 97, 99].includes(exitCode);
  const errors = read(folder, 'errors.txt') + (broken ? process.tail() : '');
  return { exitCode, created: count('TotalCallCreated'), successful, failed, errors };
}

function read(folder: string, name: string): string {
  try {
    return readFileSync(path.join(folder, name), 'utf8');
  } catch {
    return '';
  }
}
