import { mediaQuality, type MediaQuality } from '../../core/model/call/quality.js';
import type { EslEvent } from './esl/esl-connection.js';

/** Values of a leg's last RTCP reports; null if not reported yet. */
export interface RtcpStats {
  /** Cumulative, of the phone's packets. */
  lost: number | null;
  jitterTicks: number | null;
  roundTripMs: number | null;
}

const MS_PER_SECOND = 1_000;
/** Asterisk's codec names, and FreeSWITCH's RTP clock rate, in whose ticks jitter is reported. FreeSWITCH reports wrong jitter for G.722. */
const CODECS: Readonly<Record<string, { readonly name: string; readonly ticksPerSecond: number | null }>> = {
  PCMA: { name: 'alaw', ticksPerSecond: 8_000 },
  PCMU: { name: 'ulaw', ticksPerSecond: 8_000 },
  OPUS: { name: 'opus', ticksPerSecond: 48_000 },
  G722: { name: 'g722', ticksPerSecond: null },
};

/** Stores an RTCP report: a sent one has the loss and jitter of the phone's audio, a received one the round trip time. */
export function storeReport(stats: RtcpStats, event: EslEvent): void {
  if (event['Event-Name'] === 'SEND_RTCP_MESSAGE') {
    stats.lost = numberIn(event, 'Source-Lost');
    stats.jitterTicks = numberIn(event, 'Source-Jitter');
    return;
  }
  const seconds = numberIn(event, 'Rtt0-Avg');
  if (seconds !== null && seconds > 0) stats.roundTripMs = rounded(seconds * MS_PER_SECOND);
}

/** Returns a leg's media quality from CHANNEL_HANGUP_COMPLETE and its RTCP reports; null for a leg without RTP. */
export function qualityOf(stats: RtcpStats, event: EslEvent): MediaQuality | null {
  const packetsSent = numberIn(event, 'variable_rtp_audio_out_packet_count');
  const packetsReceived = numberIn(event, 'variable_rtp_audio_in_packet_count');
  if (packetsSent === null || packetsReceived === null) return null;
  const codecInUse = event.variable_rtp_use_codec_name ?? '';
  const codec = CODECS[codecInUse.toUpperCase()];
  const { lost, jitterTicks, roundTripMs } = stats;
  const ticks = codec?.ticksPerSecond ?? null;
  return mediaQuality({
    codec: codec?.name ?? (codecInUse === '' ? null : codecInUse.toLowerCase()),
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

/** Rounds to microseconds. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
