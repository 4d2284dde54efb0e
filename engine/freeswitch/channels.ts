import type { EngineSnapshot } from '../../core/ports/engine.js';
import type { EslEvent } from './esl-connection.js';
import type { EslLink } from './esl-link.js';
import { isMissing } from './freeswitch-legs.js';
import { isLegChannel, legIdOf } from './leg-id.js';

interface ListedChannel {
  readonly uuid: string;
  readonly direction: string;
  readonly created_epoch: string;
  readonly name: string;
  readonly callstate: string;
}

export interface ListedLeg {
  readonly legId: string;
  readonly channelId: string;
  readonly inbound: boolean;
  readonly state: EngineSnapshot['legs'][number]['state'];
  readonly createdAt: Date;
}

const STATES: Readonly<Record<string, ListedLeg['state']>> = {
  DOWN: 'dialled',
  DIALING: 'dialled',
  RINGING: 'ringing',
  EARLY: 'ringing',
  ACTIVE: 'answered',
  HELD: 'answered',
  RING_WAIT: 'ringing',
  UNHELD: 'answered',
};

/**
 * The legs that FreeSWITCH lists. The list is a table that it writes a moment after it told of what happened: for what was heard on this connection the
 * events are the newer word.
 */
export async function listLegs(link: EslLink): Promise<readonly ListedLeg[]> {
  const answer = JSON.parse(await link.api('show channels as json')) as { readonly rows?: readonly ListedChannel[] };
  return (answer.rows ?? [])
    .filter(({ name, callstate }) => isLegChannel(name) && callstate !== 'HANGUP')
    .map(({ uuid, direction, created_epoch: created, callstate }) => ({
      legId: legIdOf(uuid, Number(created)),
      channelId: uuid,
      inbound: direction === 'inbound',
      state: STATES[callstate] ?? 'dialled',
      createdAt: new Date(Number(created) * 1_000),
    }));
}

/** Everything of one channel, as its events have it; null when it is gone. */
export async function dumpOf(link: EslLink, channelId: string): Promise<EslEvent | null> {
  try {
    return JSON.parse(await link.api(`uuid_dump ${channelId} json`)) as EslEvent;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
