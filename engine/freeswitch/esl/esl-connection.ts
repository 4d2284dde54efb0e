import type { Connection, EslMessage } from 'modesl';
import modesl from 'modesl';
import { EngineError } from '../../../core/ports/engine.js';
import type { LinkListener } from '../../common/supervised-link.js';
import { EventFrames, type EslEvent } from './event-frames.js';

/**
 * Wraps modesl (installed as its maintained fork drachtio-modesl). It is used to open the socket, to authenticate, and to
 * send commands and read their replies. The wrapper avoids the behaviour that would lose calls or crash the process:
 *
 * - modesl writes a command in several pieces with Nagle's algorithm on, which costs 44 ms each: the algorithm is
 *   switched off, and the commands of one turn of the event loop are written in one piece;
 * - its `execute()` queues no callback for its reply, which then answers the *next* command: all commands use `sendRecv`
 *   or `api`, which do. Replies arrive in the order of the commands, so that a late reply still meets its own command;
 * - its `events()` loses event names after the word CUSTOM: the subscription is sent as one line with CUSTOM last;
 * - it decodes plain events with `decodeURIComponent`, which throws inside the socket's reader if a caller's name is not
 *   UTF-8, and its reading of an event costs more than all else about it: events are subscribed to as JSON and read by
 *   `event-frames.ts`, and an exception of either reader only closes this connection;
 * - its reconnecting never aborts an attempt that hangs, and leaves listeners behind: it is switched off, and
 *   `supervised-link.ts` opens a new connection for each attempt;
 * - it does not report a refused password, a close while connecting, or callbacks that will never be called: the
 *   wrapper watches for them.
 */

export type { EslEvent };

export interface EslOptions {
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** Timeout of connecting, and of each command. */
  readonly timeoutMs: number;
}

/** FreeSWITCH rejected a command. `reply` is its text without `-ERR`. */
export class EslRefusal extends EngineError {
  constructor(
    command: string,
    readonly reply: string,
  ) {
    super(isGone(reply) ? 'no_such_leg' : 'rejected', `${command.replace(/\s.*/s, '')}: ${reply}`);
  }
}

/** Whether a reply says that the channel does not exist (any more). */
function isGone(reply: string): boolean {
  return /no such (channel|session|id)|invalid session|invalid uuid|cannot locate session|can't find session|session not found/i.test(
    reply,
  );
}

export interface EslSocket {
  /**
   * Sends an API command. Resolves with its text output.
   * @throws EslRefusal for output that begins with `-ERR`; EngineError `timeout`, `unreachable`
   */
  api(command: string): Promise<string>;
  /** Sends another command of the protocol, with headers. @throws like {@link api} */
  command(command: string, headers?: Readonly<Record<string, string>>): Promise<string>;
  close(reason: string): void;
}

interface PendingCommand {
  reject(error: EngineError): void;
}

/**
 * Connects and authenticates.
 * @throws Error
 */
export function openEsl(options: EslOptions, listener: LinkListener<EslEvent>): Promise<EslSocket> {
  return new Promise((resolve, reject) => {
    const connection = new modesl.Connection(options.host, options.port, options.password);
    connection.closing = true;
    const raw = connection.socket;
    if (!raw) throw new Error('modesl created no socket');
    raw.setNoDelay(true);
    const pendingCommands = new Set<PendingCommand>();
    let opened = false;
    let failure: string | undefined;
    const close = (reason: string): void => {
      failure ??= reason;
      raw.destroy();
    };
    const timer = setTimeout(() => close(`not authenticated within ${options.timeoutMs} ms`), options.timeoutMs);
    connection.on('error', (error) => close(error.message));
    connection.on('esl::event::auth::fail', () => close('FreeSWITCH refused the password'));
    connection.on('esl::event::raw::text/rude-rejection', () => close('FreeSWITCH refuses connections from here'));
    connection.on('esl::event::auth::success', () => {
      opened = true;
      clearTimeout(timer);
      resolve(socketOf(connection, pendingCommands, options.timeoutMs, close));
    });
    raw.once('close', () => {
      clearTimeout(timer);
      const reason = `Event socket: ${failure ?? 'closed by FreeSWITCH'}`;
      for (const command of pendingCommands) command.reject(new EngineError('unreachable', reason));
      if (opened) listener.onClosed(reason);
      else reject(new Error(reason));
    });
    readFrames(raw, (event) => (opened ? listener.onEvent(event) : undefined), close);
  });
}

/** Reads events, and has modesl read the rest. Catches exceptions of both, which would crash the process. */
function readFrames(
  raw: NonNullable<Connection['socket']>,
  onEvent: (event: EslEvent) => void,
  close: (reason: string) => void,
): void {
  raw.once('connect', () => {
    // modesl's own connect listener ran first and has attached its readers.
    const readers = raw.listeners('data') as ((chunk: Buffer) => void)[];
    raw.removeAllListeners('data');
    const frames = new EventFrames(onEvent, (bytes) => {
      for (const read of readers) read.call(raw, bytes);
    });
    raw.on('data', (chunk: Buffer) => {
      try {
        frames.push(chunk);
      } catch (error) {
        close(`unreadable: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  });
}

function socketOf(
  connection: Connection,
  pendingCommands: Set<PendingCommand>,
  timeoutMs: number,
  close: (reason: string) => void,
): EslSocket {
  let isGathering = false;
  const gather = (socket: NonNullable<Connection['socket']>): void => {
    if (isGathering) return;
    isGathering = true;
    socket.cork();
    process.nextTick(() => {
      isGathering = false;
      socket.uncork();
    });
  };
  const send = (command: string, write: (answer: (message: EslMessage) => void) => void): Promise<EslMessage> =>
    new Promise((resolve, reject) => {
      const entry: PendingCommand = {
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      const timer = setTimeout(() => {
        pendingCommands.delete(entry);
        reject(new EngineError('timeout', `${command.replace(/\s.*/s, '')}: no reply within ${timeoutMs} ms`));
      }, timeoutMs);
      const { socket } = connection;
      if (!socket || socket.destroyed) {
        entry.reject(new EngineError('unreachable', 'Event socket: closed'));
        return;
      }
      pendingCommands.add(entry);
      gather(socket);
      write((message) => {
        clearTimeout(timer);
        pendingCommands.delete(entry);
        resolve(message);
      });
    });
  return {
    api: async (command) => {
      const answer = (await send(command, (callback) => connection.api(oneLine(command), '', callback))).getBody();
      return accepted(command, answer);
    },
    command: async (command, headers = {}) => {
      for (const value of Object.values(headers)) oneLine(value);
      const reply = await send(command, (callback) => connection.sendRecv(oneLine(command), headers, callback));
      return accepted(command, text(reply.getHeader('Reply-Text')));
    },
    close,
  };
}

/** A line break would start another command. */
function oneLine(line: string): string {
  if (/[\r\n]/.test(line)) throw new EngineError('rejected', 'A command of the event socket must be a single line');
  return line;
}

function accepted(command: string, answer: string): string {
  if (/^-(ERR|USAGE)/.test(answer)) throw new EslRefusal(command, answer.replace(/^-ERR(OR)?/, '').trim());
  return answer;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
