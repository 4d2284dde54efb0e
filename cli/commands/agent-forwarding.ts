import { InvalidArgumentError, Option, type Command } from 'commander';

import {
  FORWARD_CASES,
  NO_ANSWER_SECONDS,
  type CallForwarding,
  type ForwardCase,
  type ForwardingChange,
  type ForwardTarget,
} from '../../core/model/call/forwarding.js';
import { unknownAgent } from '../../core/services/agents/agents.js';
import { projectOf, type CliContext, type Platform } from '../common/context.js';
import { destinationOf } from '../common/destinations.js';
import { CliError, EXIT } from '../common/failure.js';
import { fields, result } from '../common/output.js';
import type { Shared } from '../common/options.js';

interface ForwardOptions extends Shared {
  readonly always?: string;
  readonly busy?: string;
  readonly unanswered?: string;
  readonly after?: number;
  readonly unregistered?: string;
  readonly doNotDisturb?: 'on' | 'off';
}

const TO = 'agent:<extension or name>, number:<number>, voicemail, voicemail:<number> or off';

/** Adds `agents forward`. */
export function addForwardCommand(agents: Command, context: CliContext): void {
  agents
    .command('forward')
    .description('forward the calls of an agent, set do-not-disturb, or show both')
    .argument('<extension>')
    .option('--always <to>', `instead of ringing the phone: ${TO}`)
    .option('--busy <to>', 'if the phone is busy or declines')
    .option('--unanswered <to>', 'if nobody answers in time')
    .option('--after <seconds>', 'how long the phone rings before --unanswered applies', seconds)
    .option('--unregistered <to>', 'if the phone is not registered')
    .addOption(new Option('--do-not-disturb <on|off>', 'let the phone ring no more').choices(['on', 'off']))
    .action((extension: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ForwardOptions>();
      return context.withPlatform(async (platform) => {
        const { id } = projectOf(platform, options.project);
        const change = await changeOf(platform, id, options);
        const forwarding =
          Object.keys(change).length === 0
            ? await current(platform, id, extension)
            : (await platform.forwarding.change(id, extension, change)).forwarding;
        result(context.output(options.json), { agent: extension, ...forwarding }, show(extension, forwarding));
      });
    });
}

function seconds(text: string): number {
  const { min, max } = NO_ANSWER_SECONDS;
  if (/^\d{1,3}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new InvalidArgumentError(`Give ${min} to ${max} seconds.`);
}

async function changeOf(platform: Platform, projectId: string, options: ForwardOptions): Promise<ForwardingChange> {
  const texts: Readonly<Record<ForwardCase, string | undefined>> = {
    always: options.always,
    busy: options.busy,
    no_answer: options.unanswered,
    unregistered: options.unregistered,
  };
  const change: { -readonly [Member in keyof ForwardingChange]: ForwardingChange[Member] } = {};
  for (const each of FORWARD_CASES) {
    const text = texts[each];
    if (text !== undefined) change[each] = await targetOf(platform, projectId, text);
  }
  if (options.after !== undefined) change.no_answer_seconds = options.after;
  if (options.doNotDisturb !== undefined) change.do_not_disturb = options.doNotDisturb === 'on';
  return change;
}

async function targetOf(platform: Platform, projectId: string, text: string): Promise<ForwardTarget | null> {
  const to = text === 'off' ? null : await destinationOf(platform, { projectId, sandbox: false }, text);
  if (to === null) return null;
  if (to.type === 'voicemail') return { type: 'voicemail', target: to.target };
  if (to.type === 'agent' || to.type === 'number') return { type: to.type, target: to.target };
  throw new CliError(`Calls of an agent are not forwarded to ${to.type}.`, EXIT.usage, `Give ${TO}.`);
}

async function current(platform: Platform, projectId: string, extension: string): Promise<CallForwarding> {
  const found = (await platform.agents.list(projectId)).find(({ agent }) => agent === extension);
  if (!found) throw unknownAgent(extension);
  return found.forwarding;
}

function show(agent: string, forwarding: CallForwarding): string {
  const { always, busy, no_answer, no_answer_seconds, unregistered, do_not_disturb } = forwarding;
  return fields({
    agent,
    'do not disturb': do_not_disturb,
    always: named(always),
    busy: named(busy),
    'no answer': named(no_answer),
    'rings for': `${no_answer_seconds} s`,
    unregistered: named(unregistered),
  });
}

function named(to: ForwardTarget | null): string | null {
  if (to === null) return null;
  return to.target === null ? to.type : `${to.type} ${to.target}`;
}
