import { setTimeout as pause } from 'node:timers/promises';

import type { Command } from 'commander';

import { FINAL_CALL_STATUSES, type CallStatus } from '../../../core/model/call/call.js';
import type { ApiClient, Json } from '../../common/api-client.js';
import type { CliContext } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import { plain, type Output } from '../../common/output.js';
import { timelineLine, type TimelineEntry } from '../../common/timeline.js';
import { apiChoice, clock, type ApiOptions, type Shared } from '../../common/options.js';

interface CallOptions extends Shared, ApiOptions {
  readonly say?: string;
  readonly lang?: string;
  readonly play?: string;
  readonly connectAgent?: string;
  readonly connectNumber?: string;
  readonly connectSip?: string;
  readonly from?: string;
  readonly fromName?: string;
  readonly ringTimeout?: string;
  readonly maxDuration?: string;
  readonly digits?: string;
  readonly follow: boolean;
}

/** More often during setup than during the conversation; both are far below a live key's rate limit. */
const POLL_SETUP_MS = 300;
const POLL_ANSWERED_MS = 1_000;

const FINAL_TYPES: ReadonlySet<string> = new Set(FINAL_CALL_STATUSES.map((status) => `call.${status}`));
const ENDINGS: Readonly<Record<string, string>> = {
  ended: 'ended',
  missed: 'was missed',
  failed: 'failed',
  cancelled: 'was cancelled',
  timeout: 'timed out',
};
const ARABIC = /\p{Script=Arabic}/u;

export function addCallCommand(program: Command, context: CliContext): void {
  program
    .command('call')
    .description('call a number and show its events until the call ends')
    .argument('<number>', 'E.164, or Saudi national form')
    .option('--say <text>', 'speak this after the answer, then hang up')
    .option('--lang <language>', 'language of --say: ar or en; detected from the text by default')
    .option('--play <url>', 'play this file (https, wav or mp3), then hang up')
    .option('--connect-agent <extension>', 'connect the call to an agent’s softphone')
    .option('--connect-number <number>', 'connect the call to another number')
    .option('--connect-sip <address>', 'connect the call to a SIP address')
    .option('--from <number>', 'caller id: one of your numbers; the main number by default')
    .option('--from-name <name>', 'caller id name')
    .option('--ring-timeout <seconds>', 'stop ringing after this time')
    .option('--max-duration <seconds>', 'end the call after this time')
    .option('--digits <digits>', 'send DTMF digits after the answer; w waits half a second')
    .option('--no-follow', 'exit as soon as the call is placed')
    .option('--base-url <url>', 'address of the API')
    .option('--key <key>', 'API key')
    .action(async (number: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CallOptions>();
      const output = context.output(options.json);
      const api = await context.api(apiChoice(options));
      const placed = await api.post('/v1/calls', request(number, options));
      const callId = String(placed.call_id);
      if (!options.follow) {
        output.out(options.json ? JSON.stringify(placed, null, 2) : callId);
        return;
      }
      output.note(`Call ${callId} to ${plain(String(placed.customer_number_masked))}`);
      if (!(await follow(api, callId, output, context.interrupted))) {
        output.note(
          `Stopped watching; the call continues. To end it: ${context.commands.hatif(`calls hangup ${callId}`)}`,
        );
        return;
      }
      const call = await api.get(`/v1/calls/${callId}`);
      output.out(options.json ? JSON.stringify(call) : summary(call));
      if (call.status !== ('ended' satisfies CallStatus)) throw new CliError(reason(call), EXIT.unanswered);
    });
}

function request(number: string, options: CallOptions): Json {
  const connects = [
    ['agent', options.connectAgent],
    ['number', options.connectNumber],
    ['sip', options.connectSip],
  ].flatMap(([type, target]) => (target === undefined ? [] : [{ connect: { type, target } }]));
  const plays = [
    ...(options.say === undefined ? [] : [{ play: { text: options.say, language: languageOf(options.say, options) } }]),
    ...(options.play === undefined ? [] : [{ play: { url: options.play } }]),
  ];
  const [first, ...others] = [...connects, ...plays];
  if (others.length > 0) throw new CliError('Only one of --say, --play and --connect-… can be given.', EXIT.usage);
  return {
    to: number,
    ...first,
    ...(options.from !== undefined && { caller_id_number: options.from }),
    ...(options.fromName !== undefined && { caller_id_name: options.fromName }),
    ...(options.ringTimeout !== undefined && { ring_timeout_seconds: Number(options.ringTimeout) }),
    ...(options.maxDuration !== undefined && { max_duration_seconds: Number(options.maxDuration) }),
    ...(options.digits !== undefined && { send_digits: options.digits }),
  };
}

function languageOf(text: string, { lang }: CallOptions): string {
  return lang ?? (ARABIC.test(text) ? 'ar' : 'en');
}

/** @returns true once the call has ended; false if the person interrupted */
async function follow(api: ApiClient, callId: string, output: Output, interrupted: AbortSignal): Promise<boolean> {
  let shown = 0;
  let answered = false;
  for (;;) {
    const { data } = await api.get(`/v1/calls/${callId}/timeline`);
    const entries = data as readonly TimelineEntry[];
    for (const entry of entries.slice(shown)) {
      output.out(output.json ? JSON.stringify(entry) : timelineLine(entry, clock(entry.at)));
    }
    shown = entries.length;
    if (entries.some((entry) => FINAL_TYPES.has(entry.type))) return true;
    answered ||= entries.some((entry) => entry.type === 'call.answered');
    try {
      await pause(answered ? POLL_ANSWERED_MS : POLL_SETUP_MS, undefined, { signal: interrupted });
    } catch {
      return false;
    }
  }
}

function summary(call: Json): string {
  const status = String(call.status);
  const after = typeof call.duration_seconds === 'number' ? ` after ${call.duration_seconds} s` : '';
  return `The call ${ENDINGS[status] ?? status}${after}.`;
}

function reason({ status, disposition, hangup_cause: cause }: Json): string {
  const why = typeof cause === 'object' && cause !== null && 'text' in cause ? `: ${String(cause.text)}` : '';
  return plain(`The call was not answered: ${String(status)} (${String(disposition)})${why}`);
}
