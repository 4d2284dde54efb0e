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

export interface LiveLeg {
  readonly legId: string;
  readonly channelId: string;
  readonly inbound: boolean;
  readonly state: EngineSnapshot['legs'][number]['state'];
  readonly createdAt: Date;
  readonly answeredAt: Date | null;
}

/** A leg with the full dump of its channel. */
export interface DumpedLeg extends LiveLeg {
  readonly held: boolean | null;
  readonly echo: boolean | null;
  readonly monitors: boolean | null;
  /** A playback is running on the leg itself. */
  readonly playing: boolean;
  readonly dump: EslEvent;
}

const STATES: Readonly<Record<string, LiveLeg['state']>> = {
  ringing: 'ringing',
  early: 'ringing',
  answered: 'answered',
};
const NO_RESPONSE_YET = '_none_';
const US_PER_MS = 1_000;
const MS_PER_SECOND = 1_000;
const POLL_INTERVAL_MS = 10;
const MAX_POLLS = 300;

/**
 * Returns FreeSWITCH's legs, except those already registered. The channel table lags behind the events by up to a fifth
 * of a second, so it only provides the channel ids; each channel is then dumped for the details.
 */
export async function listLegs(link: EslLink, isKnown: (channelId: string) => boolean): Promise<readonly DumpedLeg[]> {
  const answer = JSON.parse(await link.api('show channels as json')) as { readonly rows?: readonly ListedChannel[] };
  const unregistered = (answer.rows ?? []).filter(({ uuid, name }) => isLegChannel(name) && !isKnown(uuid));
  const found = await Promise.all(unregistered.map(async ({ uuid }) => ({ uuid, dump: await dumpOf(link, uuid) })));
  const isLeg = (dump: EslEvent): boolean => dump['Answer-State'] !== 'hangup' && !isPassing(dump);
  return found.flatMap(({ uuid, dump }) => (dump && isLeg(dump) ? legOf(uuid, dump) : []));
}

/** Waits until the channel table contains all channels created before this call: FreeSWITCH writes its tables in order. */
export async function waitForChannelTable(link: EslLink): Promise<void> {
  const mark = `hatif-mark-${randomUUID()}`;
  await link.api(`sched_api +60 ${mark} version`);
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    if ((await link.api('show tasks as json')).includes(mark)) break;
    await pause(POLL_INTERVAL_MS);
  }
  await link.api(`sched_del ${mark}`);
}

function legOf(channelId: string, dump: EslEvent): DumpedLeg {
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
    // A playback since the last move hides the leg's location.
    held: application === 'playback' ? null : application === 'endless_playback',
    echo: application === 'playback' ? null : application === 'bridge',
    monitors: application === 'playback' ? null : application === 'eavesdrop',
    playing: application === 'playback' && (response === undefined || response === NO_RESPONSE_YET),
    dump,
  };
}

/** Returns the variables of a channel in the form of its events; null if it is gone. */
export async function dumpOf(link: EslLink, channelId: string): Promise<EslEvent | null> {
  try {
    return JSON.parse(await link.api(`uuid_dump ${channelId} json`)) as EslEvent;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
