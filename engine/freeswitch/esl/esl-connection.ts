import type { Connection, EslMessage } from 'modesl';
import modesl from 'modesl';
import { EngineError } from '../../../core/ports/engine.js';
import type { LinkListener } from '../../common/supervised-link.js';

/**
 * modesl (the fork that drachtio keeps), tamed. It is used for what it does well, opening the socket, proving the password and reading frames,
 * and kept from what would lose calls or bring the process down:
 *
 * - it writes a command in several pieces with Nagle's algorithm on, 44 ms each: the algorithm is switched off, the pieces are corked;
 * - `execute()` queues no callback for its reply, which then answers the *next* command: each command here goes by `sendRecv` or `api`, which do;
 *   replies come in the order of the commands, so a reply that comes too late still meets its own;
 * - its `events()` forgets what FreeSWITCH drops after the word CUSTOM: the subscription is one line of our own with CUSTOM last;
 * - plain events are decoded by `decodeURIComponent`, which throws out of the socket's reader on a caller's name that is not UTF-8: events come as
 *   JSON, and what the reader throws all the same ends this connection and nothing else;
 * - its reconnecting never ends an attempt that hangs and leaves listeners behind: switched off, a new connection is made for each attempt
 *   (`supervised-link.ts`);
 * - it says nothing of a refused password, of a close while it connects, nor of callbacks that will never be called: watched here.
 */

export type EslEvent = Readonly<Record<string, string>>;

export interface EslOptions {
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** For connecting, and for each command. */
  readonly timeoutMs: number;
}

/** FreeSWITCH understood and said no. `reply` are its own words, without `-ERR`. */
export class EslRefusal extends EngineError {
  constructor(
    command: string,
    readonly reply: string,
  ) {
    super(isGone(reply) ? 'no_such_leg' : 'rejected', `${command.replace(/\s.*/s, '')}: ${reply}`);
  }
}

/** How FreeSWITCH says that a channel is not there (any more). */
function isGone(reply: string): boolean {
  return /no such (channel|session|id)|invalid session|invalid uuid|cannot locate session|can't find session|session not found/i.test(
    reply,
  );
}

export interface EslSocket {
  /**
   * An API command, whose answer is text.
   * @throws EslRefusal for an answer that begins with `-ERR`; EngineError `timeout`, `unreachable`
   */
  api(command: string): Promise<string>;
  /** Another command of the protocol, with headers. @throws like {@link api} */
  command(command: string, headers?: Readonly<Record<string, string>>): Promise<string>;
  close(reason: string): void;
}

interface Waiting {
  reject(error: EngineError): void;
}

/**
 * Connects and proves the password.
 * @throws Error
 */
export function openEsl(options: EslOptions, listener: LinkListener<EslEvent>): Promise<EslSocket> {
  return new Promise((resolve, reject) => {
    const connection = new modesl.Connection(options.host, options.port, options.password);
    connection.closing = true;
    const raw = connection.socket;
    if (!raw) throw new Error('modesl opens its socket at once');
    raw.setNoDelay(true);
    const waiting = new Set<Waiting>();
    let opened = false;
    let failure: string | undefined;
    const close = (reason: string): void => {
      failure ??= reason;
      raw.destroy();
    };
    const timer = setTimeout(() => close(`not admitted within ${options.timeoutMs} ms`), options.timeoutMs);
    connection.on('error', (error) => close(error.message));
    connection.on('esl::event::auth::fail', () => close('FreeSWITCH refused the password'));
    connection.on('esl::event::raw::text/rude-rejection', () => close('FreeSWITCH refuses connections from here'));
    connection.on('esl::event::auth::success', () => {
      opened = true;
      clearTimeout(timer);
      resolve(socketOf(connection, waiting, options.timeoutMs, close));
    });
    connection.on('esl::event::**', (message) => {
      const event = eventOf(message);
      if (event['Event-Name'] !== undefined && opened) listener.onEvent(event);
    });
    raw.once('close', () => {
      clearTimeout(timer);
      const reason = `Event socket: ${failure ?? 'closed by FreeSWITCH'}`;
      for (const command of waiting) command.reject(new EngineError('unreachable', reason));
      if (opened) listener.onClosed(reason);
      else reject(new Error(reason));
    });
    guardReader(raw, close);
  });
}

/** What modesl's reader throws would end the process. Its reader is put on at connect, and then runs inside this. */
function guardReader(raw: NonNullable<Connection['socket']>, close: (reason: string) => void): void {
  raw.once('connect', () => {
    // modesl's own connect listener was there first, and has put its readers on.
    const readers = raw.listeners('data') as ((chunk: Buffer) => void)[];
    raw.removeAllListeners('data');
    raw.on('data', (chunk: Buffer) => {
      try {
        for (const read of readers) read.call(raw, chunk);
      } catch (error) {
        close(`unreadable: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  });
}

function socketOf(
  connection: Connection,
  waiting: Set<Waiting>,
  timeoutMs: number,
  close: (reason: string) => void,
): EslSocket {
  const send = (command: string, write: (answer: (message: EslMessage) => void) => void): Promise<EslMessage> =>
    new Promise((resolve, reject) => {
      const entry: Waiting = {
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      const timer = setTimeout(() => {
        waiting.delete(entry);
        reject(new EngineError('timeout', `${command.replace(/\s.*/s, '')}: no answer within ${timeoutMs} ms`));
      }, timeoutMs);
      const { socket } = connection;
      if (!socket || socket.destroyed) {
        entry.reject(new EngineError('unreachable', 'Event socket: closed'));
        return;
      }
      waiting.add(entry);
      socket.cork();
      write((message) => {
        clearTimeout(timer);
        waiting.delete(entry);
        resolve(message);
      });
      socket.uncork();
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

/** A line break would begin another command. */
function oneLine(line: string): string {
  if (/[\r\n]/.test(line)) throw new EngineError('rejected', 'A command of the event socket is one line');
  return line;
}

function accepted(command: string, answer: string): string {
  if (/^-(ERR|USAGE)/.test(answer)) throw new EslRefusal(command, answer.replace(/^-ERR(OR)?/, '').trim());
  return answer;
}

function eventOf(message: EslMessage): EslEvent {
  const event: Record<string, string> = {};
  for (const { name, value } of message.headers) event[name] = text(value);
  const body = message.getBody();
  if (body !== '') event._body = body;
  return event;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
