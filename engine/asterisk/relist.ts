import { isId } from '../../core/model/ids.js';
import type { EngineSnapshot } from '../../core/ports/engine.js';
import { isGone, type AriHttp } from './ari/ari-http.js';
import { CALL_APP, type AriApplication, type AriBridge, type AriChannel } from './ari/ari-types.js';
import { monitoringLegOf } from './asterisk-monitors.js';
import { isLegChannel, legIdOf } from './leg-id.js';
import { runningOf } from './tap.js';

/** The channel variable that marks a leg as dialled, or about to be dialled. */
export const DIALLED = 'HATIF_DIALLED';

export interface LiveLeg {
  readonly legId: string;
  readonly channel: AriChannel;
  readonly state: EngineSnapshot['legs'][number]['state'];
  readonly createdAt: Date;
}

export interface Relist {
  /** Legs inside the application; calls that still wait in the dialplan are not included. */
  readonly legs: readonly LiveLeg[];
  readonly bridges: readonly AriBridge[];
  /** Snoop channels that monitor for a leg. */
  readonly spyIds: readonly string[];
  /** Running recordings. */
  readonly recordingIds: readonly string[];
}

/** Lists what the application currently has in Asterisk. */
export async function relist(http: AriHttp, entityId: string): Promise<Relist> {
  const [channels, bridges, application] = await Promise.all([
    http.send<readonly AriChannel[]>('GET', '/channels'),
    http.send<readonly AriBridge[]>('GET', '/bridges'),
    readApplication(http),
  ]);
  const ours = new Set(application.channel_ids);
  // Asterisk sometimes lists a channel twice while it is changing (7 in 30,000 lists, measured with 22.10).
  const once = new Map(channels.map((channel) => [channel.id, channel]));
  const legs = await Promise.all(
    [...once.values()]
      .filter((channel) => ours.has(channel.id) && isLegChannel(channel))
      .map(async (channel) => ({
        legId: legIdOf(channel, entityId),
        channel,
        state: await stateOf(http, channel),
        createdAt: new Date(channel.creationtime),
      })),
  );
  const spyIds = [...once.keys()].filter((id) => monitoringLegOf(id) !== null);
  return { legs, bridges, spyIds, recordingIds: await runningOf(http, bridges) };
}

async function stateOf(http: AriHttp, { id, state }: AriChannel): Promise<LiveLeg['state']> {
  if (state === 'Up') return 'answered';
  if (state !== 'Down') return 'ringing';
  try {
    await http.send('GET', `/channels/${id}/variable`, { query: { variable: DIALLED } });
    return 'dialled';
  } catch (error) {
    if (!isGone(error)) throw error;
    // Distinguishes an unset variable from a channel that has ended meanwhile.
    return /variable/i.test(error instanceof Error ? error.message.replace(/^.*: 404/, '') : '')
      ? 'created'
      : 'dialled';
  }
}

async function readApplication(http: AriHttp): Promise<AriApplication> {
  try {
    return await http.send<AriApplication>('GET', `/applications/${CALL_APP}`);
  } catch (error) {
    if (isGone(error)) return { channel_ids: [], endpoint_ids: [] };
    throw error;
  }
}

/** Helper bridges (hold, echo, taps) are internal to the adapter and are left out. */
export function snapshotOf({ legs, bridges, recordingIds }: Relist, bootId: string): EngineSnapshot {
  const own = bridges.filter((bridge) => isId(bridge.id));
  const bridgeOf = new Map(own.flatMap((bridge) => bridge.channels.map((channel) => [channel, bridge.id] as const)));
  return {
    bootId,
    legs: legs.map((leg) => ({
      legId: leg.legId,
      state: leg.state,
      createdAt: leg.createdAt,
      answeredAt: null,
      bridgeId: bridgeOf.get(leg.channel.id) ?? null,
    })),
    bridgeIds: own.map((bridge) => bridge.id),
    recordingIds,
  };
}
