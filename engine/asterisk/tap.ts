import { isId } from '../../core/model/ids.js';
import { isGone, type AriHttp } from './ari/ari-http.js';
import type { AriBridge } from './ari/ari-types.js';

/**
 * A tap is one channel of a recording. `rec-<recording id>-<channel>` names its snoop channel, the bridge and playback
 * that serve it, and the recorded file, so that any process can find them.
 */
const PREFIX = 'rec-';
/** Replaces the channel number in the id of the half that is in a recorded bridge. */
const BRIDGE_HALF = '-e';

/** Whether a channel, bridge or playback serves a recording. */
export function isTap(id: string): boolean {
  return recordingOf(id) !== null;
}

/** Returns the recordings that are running on all of their taps, with the tap's channel still present. */
export async function runningOf(http: AriHttp, bridges: readonly AriBridge[]): Promise<readonly string[]> {
  const taps = bridges.filter(({ id }) => isTap(id));
  const states = await Promise.all(
    taps.map(async ({ id, channels }) => ({ id, runs: channels.includes(id) && (await isLive(http, id)) })),
  );
  const broken = new Set(states.filter(({ runs }) => !runs).map(({ id }) => recordingOf(id)));
  return [...new Set(states.flatMap(({ id }) => recordingOf(id) ?? []))].filter((id) => !broken.has(id));
}

export async function isLive(http: AriHttp, tap: string): Promise<boolean> {
  try {
    await http.send('GET', `/recordings/live/${tap}`);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

export function tapOf(recordingId: string, channel: number): string {
  return `${PREFIX}${recordingId}-${channel}`;
}

/** Returns the id of the Local channel half that is in a recorded bridge. */
export function bridgeHalfOf(recordingId: string): string {
  return `${PREFIX}${recordingId}${BRIDGE_HALF}`;
}

/** Returns the recordings of a bridge that has these channels. */
export function recordingsOf(channels: readonly string[]): readonly string[] {
  return channels.flatMap((id) => (id.endsWith(BRIDGE_HALF) ? (recordingOf(id) ?? []) : []));
}

/** Returns the recording that a tap belongs to; null for anything else. */
export function recordingOf(name: string): string | null {
  const id = name.slice(PREFIX.length, -BRIDGE_HALF.length);
  return name.startsWith(PREFIX) && isId(id) ? id : null;
}
