import { mediaQuality, type MediaQuality } from '../../core/model/call/quality.js';
import type { AriChannel } from './ari/ari-types.js';

/** The variables that `ari.conf` adds to each channel (`channelvars`). */
const STATISTICS = 'RTPAUDIOQOS';
const FORMATS = 'CHANNEL(audionativeformat)';
const MS_PER_SECOND = 1_000;
/** Asterisk counts in unsigned 32-bit integers: duplicated packets can make the loss negative. */
const NEGATIVE_FROM = 2 ** 31;
const NEGATIVE_SECONDS_FROM = 2 ** 15;

/**
 * Returns the media quality of a channel. Asterisk writes the statistics when the remote side's BYE arrives and when ARI
 * hangs up. It writes none for an inbound leg that it ends by itself (absolute timeout, no audio). Also null if no
 * packets flowed, or if the configuration does not export the variable.
 *
 * `ssrc=…;themssrc=…;lp=<lost of theirs>;rxjitter=…;rxcount=…;txjitter=…;txcount=…;rlp=…;rtt=…;rxmes=…;txmes=…`: despite
 * its name txjitter is what Asterisk measured of the received packets, and rxjitter what the phone reported
 * (`ast_rtp_get_stat` of 22.10).
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
 * Returns null if no round trip time was reported (0). Also null if the phone's figures are inconsistent: if a phone
 * claims to have kept Asterisk's report for longer than the whole trip took, the result is negative, and Asterisk stores
 * it as unsigned 16.16 bits before it checks (`update_rtt_stats`).
 */
function roundTripMs(seconds: number): number | null {
  return seconds > 0 && seconds < NEGATIVE_SECONDS_FROM ? milliseconds(seconds) : null;
}

/** Rounds to microseconds. */
function milliseconds(seconds: number): number | null {
  return Number.isNaN(seconds) ? null : Math.round(seconds * MS_PER_SECOND * 1_000) / 1_000;
}

/** Parses `(alaw)`. Null if the call negotiated several formats: the one in use is not known. */
function codecOf(formats: string): string | null {
  return /^\((\w+)\)$/.exec(formats)?.[1] ?? null;
}
