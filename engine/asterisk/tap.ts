import { isId } from '../../core/model/ids.js';
import { isGone, type AriHttp } from './ari/ari-http.js';
import type { AriBridge } from './ari/ari-types.js';

/**
 * One channel of a recording. `rec-<recording id>-<channel>` names its snoop channel, the bridge and playback that serve it, and the recorded
 * file, so that any process finds them.
 */
const PREFIX = 'rec-';
/** In place of the channel's number. */
const EAR = '-e';

/** Whether a channel, bridge or playback serves a recording. */
export function isTap(id: string): boolean {
  return recordingOf(id) !== null;
}

/** Recordings that run on all their taps, of legs that are there. */
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

/** The channel that hears a bridge for a recording. */
export function earOf(recordingId: string): string {
  return `${PREFIX}${recordingId}${EAR}`;
}

/** The recordings of a bridge with these channels. */
export function recordingsOf(channels: readonly string[]): readonly string[] {
  return channels.flatMap((id) => (id.endsWith(EAR) ? (recordingOf(id) ?? []) : []));
}

/** The recording that a tap belongs to; null for anything else. */
export function recordingOf(name: string): string | null {
  const id = name.slice(PREFIX.length, -EAR.length);
  return name.startsWith(PREFIX) && isId(id) ? id : null;
}
