import type { NumberRow } from '../../core/data/rows.js';
import { parseNumber } from '../../core/model/phone-numbers.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import type { Binding } from '../../core/services/numbers/numbers.js';
import type { CliContext, Platform } from './context.js';
import { CliError, EXIT } from './failure.js';
import { listed, named } from './names.js';
import { plain } from './output.js';

export const WHERE =
  'agent:<extension or name>, queue:<name>, callflow:<name>, number:<number>, voicemail, voicemail:<number>, ' +
  'sip:<address>, echo or none; agents, queues and call flows also by their names or ids alone';

/** Whose things a destination may be. */
export interface Reach {
  readonly projectId: string;
  /** Call flows are of the sandbox, or are live. */
  readonly sandbox: boolean;
}

type NamedType = 'agent' | 'queue' | 'callflow';

/** An agent, a queue or a call flow. */
interface Named {
  readonly type: NamedType;
  /** The extension of an agent; the id of the others. */
  readonly target: string;
  readonly name: string;
}

const PLURALS: Readonly<Record<NamedType, string>> = { agent: 'Agents', queue: 'Queues', callflow: 'Call flows' };
const TYPE_NAMES: Readonly<Record<NamedType, string>> = { agent: 'agent', queue: 'queue', callflow: 'call flow' };
const TYPES = Object.keys(PLURALS) as readonly NamedType[];

/**
 * Reads a destination of calls, as {@link WHERE} describes it.
 * @returns null for `none`
 * @throws CliError that names what was looked for and what there is, also if a name matches several things
 */
export async function destinationOf(platform: Platform, reach: Reach, text: string): Promise<Binding | null> {
  if (text === 'none') return null;
  if (text === 'echo' || text === 'voicemail') return { type: text, target: null };
  if (/^sips?:/i.test(text)) return { type: 'sip', target: text };
  const [, prefix, rest = ''] = /^(agent|queue|callflow|number|voicemail):(.+)$/s.exec(text) ?? [];
  if (prefix === 'number' || prefix === 'voicemail') return { type: prefix, target: rest };
  const type = TYPES.find((one) => one === prefix) ?? null;
  const known = (await namedOf(platform, reach)).filter((one) => type === null || one.type === type);
  const wanted = type === null ? text : rest;
  const [only, ...others] = matching(known, wanted);
  if (only && others.length === 0) return { type: only.type, target: only.target };
  if (only) {
    const which = [only, ...others].map((one) => `${one.type}:${one.target} (${plain(one.name)})`).join(', ');
    throw new CliError(`"${plain(wanted)}" names several destinations.`, EXIT.failed, `Give one of: ${which}`);
  }
  if (type === null && parseNumber(text, { allowForeign: true }) !== null) return { type: 'number', target: text };
  const kind = type === null ? /^[a-z]+(?=:)/.exec(text)?.[0] : undefined;
  if (kind !== undefined) {
    throw new CliError(`"${kind}" is not a kind of destination.`, EXIT.usage, `Destinations: ${WHERE}`);
  }
  throw unknown(wanted, type, known);
}

/** Those whose id or extension it is; otherwise those with this name. */
function matching(known: readonly Named[], wanted: string): readonly Named[] {
  return TYPES.flatMap((type) =>
    named(
      known.filter((one) => one.type === type),
      wanted,
      ({ target }, text) => target === text || (type !== 'agent' && target === text.toLowerCase()),
    ),
  );
}

function unknown(wanted: string, type: NamedType | null, known: readonly Named[]): CliError {
  const there = TYPES.filter((one) => type === null || one === type).map((one) => {
    const names = known.filter((other) => other.type === one).map(shownName);
    return `${PLURALS[one]}: ${listed(names)}`;
  });
  const problem =
    type === null
      ? `The project has no agent, queue or call flow "${plain(wanted)}", and it is not a phone number.`
      : `The project has no ${TYPE_NAMES[type]} "${plain(wanted)}".`;
  const hint = type === null ? [...there, `Destinations: ${WHERE}`] : there;
  return new CliError(problem, EXIT.failed, hint.join('\n'));
}

function shownName({ type, target, name }: Named): string {
  if (type !== 'agent') return plain(name);
  return name === target ? target : `${target} (${plain(name)})`;
}

async function namedOf(platform: Platform, { projectId, sandbox }: Reach): Promise<readonly Named[]> {
  const [agents, queues, flows] = await Promise.all([
    platform.agents.list(projectId),
    platform.queues.list(projectId),
    platform.callflows.list(projectId),
  ]);
  return [
    ...agents.map(({ agent, display_name }): Named => ({ type: 'agent', target: agent, name: display_name })),
    ...queues.map(({ id, name }): Named => ({ type: 'queue', target: id, name })),
    ...flows
      .filter((flow) => flow.sandbox === sandbox)
      .map(({ id, name }): Named => ({ type: 'callflow', target: id, name })),
  ];
}

/** Formats destinations with the names of queues and call flows. */
export async function destinationNames(
  platform: Platform,
  projectId: string,
): Promise<(binding: NumberRow['binding']) => string> {
  const [queues, flows] = await Promise.all([platform.queues.list(projectId), platform.callflows.list(projectId)]);
  const names = new Map([...queues, ...flows].map(({ id, name }) => [id, plain(name)]));
  return (binding) => {
    if (binding === null) return 'nothing';
    const { type, target } = binding;
    if (target === null) return type;
    if (type === 'sip') return target;
    return `${type === 'callflow' ? 'call flow' : type} ${names.get(target) ?? target}`;
  };
}

/** Says so if calls to a SIP address are refused, because its host is not allowed. */
export async function noteRefusedSip(platform: Platform, context: CliContext, binding: Binding | null): Promise<void> {
  const address = binding?.type === 'sip' ? parseSipUri(binding.target) : null;
  if (address === null || (await platform.sipTargets.allows(address))) return;
  const allow = context.commands.hatif('sip-targets add <host>');
  context.output(false).note(`Calls to ${plain(address.host)} are refused until it is allowed: ${allow}`);
}
