import { setTimeout as pause } from 'node:timers/promises';

import type { Command } from 'commander';

import {
  EVENT_PATTERNS,
  isEventPattern,
  isEventType,
  matchesEvent,
  type EventPattern,
} from '../../core/model/events/index.js';
import type { Json } from '../common/api-client.js';
import type { CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { plain } from '../common/output.js';
import { serverSentEvents } from '../common/server-sent-events.js';
import { apiChoice, clock, commaList, type ApiOptions, type Shared } from '../common/options.js';

interface ListenOptions extends Shared, ApiOptions {
  readonly events?: string[];
  readonly count?: string;
}

const STREAM = '/v1/events/stream';
const RECONNECT_MS = 2_000;

export function addListenCommand(program: Command, context: CliContext): void {
  program
    .command('listen')
    .description('print the events of a project as they happen')
    .option('--events <patterns>', 'only these: call.*, call.answered, …', commaList)
    .option('--count <events>', 'exit after this number of events')
    .option('--base-url <url>', 'address of the API')
    .option('--key <key>', 'API key')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListenOptions>();
      const output = context.output(options.json);
      const wanted = (options.events ?? ['*']).map(readPattern);
      const api = await context.api(apiChoice(options));
      let left = options.count === undefined ? Infinity : Number(options.count);
      if (!(left > 0)) throw new CliError('--count: must be a number above 0.', EXIT.usage);
      const signal = context.interrupted;
      let lastEventId: string | null = null;
      let state: 'new' | 'connected' | 'lost' = 'new';
      for (;;) {
        try {
          const stream = await api.stream(STREAM, { lastEventId, signal });
          output.note(state === 'new' ? `Listening to ${api.baseUrl}. Ctrl-C ends.` : 'Connected again.');
          state = 'connected';
          for await (const event of serverSentEvents(stream)) {
            lastEventId = event.id ?? lastEventId;
            const message = JSON.parse(event.data) as Json;
            if (!isWanted(message, wanted)) continue;
            output.out(options.json ? JSON.stringify(message) : line(message));
            left -= 1;
            // Leaving the loop closes the connection.
            if (left === 0) return;
          }
        } catch (error) {
          if (isOver(signal)) return;
          // A first connection that fails is an error. A broken one is resumed after the last event.
          if (state === 'new' || (error instanceof CliError && error.exitCode !== EXIT.unreachable)) throw error;
        }
        if (isOver(signal)) return;
        if (state === 'connected') output.note('The connection was lost; trying again …');
        state = 'lost';
        await pause(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
        if (isOver(signal)) return;
      }
    });
}

/** A function, because the compiler assumes that a property it has narrowed stays unchanged after an await. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

function readPattern(text: string): EventPattern {
  if (isEventPattern(text)) return text;
  const families = EVENT_PATTERNS.filter((pattern) => pattern.endsWith('*')).join(' ');
  throw new CliError(`--events: "${text}" is not an event.`, EXIT.usage, `Families: ${families}`);
}

function isWanted({ type }: Json, wanted: readonly EventPattern[]): boolean {
  return typeof type === 'string' && isEventType(type) && wanted.some((pattern) => matchesEvent(pattern, type));
}

function line({ type, timestamp, data }: Json): string {
  const about = (typeof data === 'object' && data !== null ? data : {}) as Json;
  const details = [
    'call_id',
    'direction',
    'customer_number_masked',
    'line_number',
    'agent',
    'queue',
    'e164',
    'status',
    'disposition',
    'duration_seconds',
  ]
    .filter((name) => about[name] !== undefined && about[name] !== null)
    .map((name) => `${name}=${String(about[name])}`);
  return plain([clock(String(timestamp)), String(type).padEnd(16), ...details].join('  '));
}
