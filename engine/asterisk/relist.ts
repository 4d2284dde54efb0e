import { isId } from '../../core/model/ids.js';
import type { EngineSnapshot } from '../../core/ports/engine.js';
import { isGone, type AriHttp } from './ari/ari-http.js';
import { CALL_APP, type AriApplication, type AriBridge, type AriChannel } from './ari/ari-types.js';
import { listenerOf } from './asterisk-monitors.js';
import { isLegChannel, legIdOf } from './leg-id.js';
import { runningOf } from './tap.js';

/** The variable of a channel that was dialled, or is about to be. */
export const DIALLED = 'HATIF_DIALLED';

export interface ListedLeg {
  readonly legId: string;
  readonly channel: AriChannel;
  readonly state: EngineSnapshot['legs'][number]['state'];
  readonly createdAt: Date;
}

export interface Relist {
  /** Legs in the application's hands; calls that still wait in the dialplan for the application are not among them. */
  readonly legs: readonly ListedLeg[];
  readonly bridges: readonly AriBridge[];
  /** Channels that listen to others for a leg. */
  readonly spyIds: readonly string[];
  /** That run. */
  readonly recordingIds: readonly string[];
}

/** What Asterisk holds of ours right now. */
export async function relist(http: AriHttp, entityId: string): Promise<Relist> {
  const [channels, bridges, application] = await Promise.all([
    http.send<readonly AriChannel[]>('GET', '/channels'),
    http.send<readonly AriBridge[]>('GET', '/bridges'),
    readApplication(http),
  ]);
  const ours = new Set(application.channel_ids);
  // Asterisk lists a channel twice now and then that changes just then (7 in 30,000 lists, measured with 22.10).
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
  const spyIds = [...once.keys()].filter((id) => listenerOf(id) !== null);
  return { legs, bridges, spyIds, recordingIds: await runningOf(http, bridges) };
}

async function stateOf(http: AriHttp, { id, state }: AriChannel): Promise<ListedLeg['state']> {
  if (state === 'Up') return 'answered';
  if (state !== 'Down') return 'ringing';
  try {
    await http.send('GET', `/channels/${id}/variable`, { query: { variable: DIALLED } });
    return 'dialled';
  } catch (error) {
    if (!isGone(error)) throw error;
    // The channel itself may have gone meanwhile.
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

/** Helper bridges (hold, echo, taps) are the adapter's own affair and do not show. */
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
