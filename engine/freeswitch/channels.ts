import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineSnapshot } from '../../core/ports/engine.js';
import type { EslEvent } from './esl/esl-connection.js';
import type { EslLink } from './esl/esl-link.js';
import { isMissing } from './freeswitch-legs.js';
import { isLegChannel, isPassing, legIdOf } from './leg-id.js';

interface ListedChannel {
  readonly uuid: string;
  readonly name: string;
}

export interface ListedLeg {
  readonly legId: string;
  readonly channelId: string;
  readonly inbound: boolean;
  readonly state: EngineSnapshot['legs'][number]['state'];
  readonly createdAt: Date;
  readonly answeredAt: Date | null;
}

/** A leg with everything that FreeSWITCH knows of its channel. */
export interface FoundLeg extends ListedLeg {
  readonly held: boolean | null;
  readonly echo: boolean | null;
  readonly monitors: boolean | null;
  /** Something is being played to it alone. */
  readonly playing: boolean;
  readonly dump: EslEvent;
}

const STATES: Readonly<Record<string, ListedLeg['state']>> = {
  ringing: 'ringing',
  early: 'ringing',
  answered: 'answered',
};
const NO_RESPONSE_YET = '_none_';
const US_PER_MS = 1_000;
const MS_PER_SECOND = 1_000;
const LOOK_EVERY_MS = 10;
const LOOKS = 300;

/**
 * The legs that FreeSWITCH has, but for those that are known already. Its list of channels is a table, written up to a fifth of a second after the
 * events: it says which channels there are, each channel itself says the rest.
 */
export async function findLegs(link: EslLink, isKnown: (channelId: string) => boolean): Promise<readonly FoundLeg[]> {
  const answer = JSON.parse(await link.api('show channels as json')) as { readonly rows?: readonly ListedChannel[] };
  const strange = (answer.rows ?? []).filter(({ uuid, name }) => isLegChannel(name) && !isKnown(uuid));
  const found = await Promise.all(strange.map(async ({ uuid }) => ({ uuid, dump: await dumpOf(link, uuid) })));
  const isLeg = (dump: EslEvent): boolean => dump['Answer-State'] !== 'hangup' && !isPassing(dump);
  return found.flatMap(({ uuid, dump }) => (dump && isLeg(dump) ? legOf(uuid, dump) : []));
}

/**
 * Resolves when the table has every channel that came to be before: what is inserted in order, comes out in order.
 */
export async function catchUp(link: EslLink): Promise<void> {
  const mark = `hatif-mark-${randomUUID()}`;
  await link.api(`sched_api +60 ${mark} version`);
  for (let look = 0; look < LOOKS; look++) {
    if ((await link.api('show tasks as json')).includes(mark)) break;
    await pause(LOOK_EVERY_MS);
  }
  await link.api(`sched_del ${mark}`);
}

function legOf(channelId: string, dump: EslEvent): FoundLeg {
  const { variable_current_application: application, variable_current_application_response: response } = dump;
  const createdMs = Math.floor(Number(dump['Caller-Channel-Created-Time'] ?? 0) / US_PER_MS);
  const answeredUs = Number(dump['Caller-Channel-Answered-Time'] ?? 0);
  return {
    legId: legIdOf(channelId, Math.floor(createdMs / MS_PER_SECOND)),
    channelId,
    inbound: dump['Call-Direction'] === 'inbound',
    state: STATES[dump['Answer-State'] ?? ''] ?? 'dialled',
    createdAt: new Date(createdMs),
    answeredAt: answeredUs > 0 ? new Date(Math.floor(answeredUs / US_PER_MS)) : null,
    // What was played to a leg since it was moved hides where it is.
    held: application === 'playback' ? null : application === 'endless_playback',
    echo: application === 'playback' ? null : application === 'bridge',
    monitors: application === 'playback' ? null : application === 'eavesdrop',
    playing: application === 'playback' && (response === undefined || response === NO_RESPONSE_YET),
    dump,
  };
}

/** Everything of one channel, as its events have it; null when it is gone. */
async function dumpOf(link: EslLink, channelId: string): Promise<EslEvent | null> {
  try {
    return JSON.parse(await link.api(`uuid_dump ${channelId} json`)) as EslEvent;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
