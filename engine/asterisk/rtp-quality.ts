import { mediaQuality, type MediaQuality } from '../../core/model/call/quality.js';
import type { AriChannel } from './ari/ari-types.js';

/** What `ari.conf` has Asterisk tell of a channel (`channelvars`). */
const STATISTICS = 'RTPAUDIOQOS';
const FORMATS = 'CHANNEL(audionativeformat)';
const MS_PER_SECOND = 1_000;
/** Asterisk counts in 32 bits without a sign: where packets came twice, less than nothing was lost. */
const NEGATIVE_FROM = 2 ** 31;
const NEGATIVE_SECONDS_FROM = 2 ** 15;

/**
 * How a channel's audio was. Asterisk writes it down when the other side's BYE comes and when ARI hangs up; of a leg that it ends by itself
 * (absolute timeout, no audio) nothing is known where the leg had come in. Null also where no packet went, and where the configuration does not have it told.
 *
 * `ssrc=…;themssrc=…;lp=<lost of theirs>;rxjitter=…;rxcount=…;txjitter=…;txcount=…;rlp=…;rtt=…;rxmes=…;txmes=…`: in spite of its name txjitter is what
 * Asterisk measured of the packets that came, rxjitter what the phone reported (`ast_rtp_get_stat` of 22.10).
 */
export function qualityOf(channel: AriChannel | undefined): MediaQuality | null {
  const text = channel?.channelvars?.[STATISTICS] ?? '';
  const values = new Map(text.split(';').map((pair) => pair.split('=', 2) as [string, string]));
  const value = (name: string): number => Number(values.get(name) ?? Number.NaN);
  const [packetsSent, packetsReceived, lost] = [value('txcount'), value('rxcount'), value('lp')];
  if (![packetsSent, packetsReceived, lost].every(Number.isInteger)) return null;
  return mediaQuality({
    codec: codecOf(channel?.channelvars?.[FORMATS] ?? ''),
    packetsSent,
    packetsReceived,
    packetsLost: lost >= NEGATIVE_FROM ? 0 : lost,
    jitterMs: packetsReceived === 0 ? null : milliseconds(value('txjitter')),
    roundTripMs: roundTripMs(value('rtt')),
  });
}

/**
 * Null where none was reported: nothing takes no time at all. Also where the phone's figures do not fit: a phone that says that it kept Asterisk's report for longer than it was
 * away makes the trip less than nothing, and Asterisk writes that down before it notices, in 16.16 bits without a sign (`update_rtt_stats`).
 */
function roundTripMs(seconds: number): number | null {
  return seconds > 0 && seconds < NEGATIVE_SECONDS_FROM ? milliseconds(seconds) : null;
}

/** To the microsecond. */
function milliseconds(seconds: number): number | null {
  return Number.isNaN(seconds) ? null : Math.round(seconds * MS_PER_SECOND * 1_000) / 1_000;
}

/** `(alaw)`; several where the call agreed on several: nobody knows then which was spoken. */
function codecOf(formats: string): string | null {
  return /^\((\w+)\)$/.exec(formats)?.[1] ?? null;
}
