import { mediaQuality, type MediaQuality } from '../../core/model/call/quality.js';
import type { EslEvent } from './esl/esl-connection.js';

/** What the last RTCP reports of a leg said; null what none said yet. */
export interface Reported {
  /** All in all, of the phone's packets. */
  lost: number | null;
  jitterTicks: number | null;
  roundTripMs: number | null;
}

const MS_PER_SECOND = 1_000;
/** Asterisk's names, and how often a second FreeSWITCH's clock for the codec ticks: jitter is told in ticks. Of G.722 it is told wrong. */
const CODECS: Readonly<Record<string, { readonly name: string; readonly ticksPerSecond: number | null }>> = {
  PCMA: { name: 'alaw', ticksPerSecond: 8_000 },
  PCMU: { name: 'ulaw', ticksPerSecond: 8_000 },
  OPUS: { name: 'opus', ticksPerSecond: 48_000 },
  G722: { name: 'g722', ticksPerSecond: null },
};

/** Takes what a report says: one that FreeSWITCH sent tells how the phone's audio came, one that came how long the way is. */
export function noteReport(reported: Reported, event: EslEvent): void {
  if (event['Event-Name'] === 'SEND_RTCP_MESSAGE') {
    reported.lost = numberIn(event, 'Source-Lost');
    reported.jitterTicks = numberIn(event, 'Source-Jitter');
    return;
  }
  const seconds = numberIn(event, 'Rtt0-Avg');
  if (seconds !== null && seconds > 0) reported.roundTripMs = rounded(seconds * MS_PER_SECOND);
}

/** How a leg's audio was, by the event of its end (CHANNEL_HANGUP_COMPLETE) and its reports; null for one that never had any. */
export function qualityOf(reported: Reported, event: EslEvent): MediaQuality | null {
  const packetsSent = numberIn(event, 'variable_rtp_audio_out_packet_count');
  const packetsReceived = numberIn(event, 'variable_rtp_audio_in_packet_count');
  if (packetsSent === null || packetsReceived === null) return null;
  const spoken = event.variable_rtp_use_codec_name ?? '';
  const codec = CODECS[spoken.toUpperCase()];
  const { lost, jitterTicks, roundTripMs } = reported;
  const ticks = codec?.ticksPerSecond ?? null;
  return mediaQuality({
    codec: codec?.name ?? (spoken === '' ? null : spoken.toLowerCase()),
    packetsSent,
    packetsReceived,
    packetsLost: lost ?? 0,
    jitterMs: jitterTicks === null || ticks === null ? null : rounded((jitterTicks / ticks) * MS_PER_SECOND),
    roundTripMs,
  });
}

function numberIn(event: EslEvent, name: string): number | null {
  const value = Number(event[name] ?? Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : null;
}

/** To the microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
