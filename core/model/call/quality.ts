/**
 * Quality of the audio that the engine received from a leg's phone; null for values that were not
 * measured.
 */
export interface MediaQuality {
  /** In lower case: `alaw`, `ulaw`, `opus`, `g722` … */
  readonly codec: string | null;
  /** Sent by the engine to the phone. */
  readonly packetsSent: number;
  readonly packetsReceived: number;
  /**
   * Lost packets of the phone, as of the last RTCP report (RFC 3550 §6.4); engines send one every
   * five seconds.
   */
  readonly packetsLost: number;
  /** Lost packets as a share of expected packets, 0 to 1; null if none arrived. */
  readonly lossShare: number | null;
  /** Interarrival jitter (RFC 3550 §6.4.1). */
  readonly jitterMs: number | null;
  /** Between engine and phone; null if the phone sends no RTCP reports. */
  readonly roundTripMs: number | null;
  /**
   * Estimated mean opinion score (ITU-T P.800), 1 to 4.5: {@link estimateMos}; null if no audio
   * arrived.
   */
  readonly mos: number | null;
}

/** The values that an engine measures itself. */
export type MediaFacts = Omit<MediaQuality, 'lossShare' | 'mos'>;

export interface Impairments {
  readonly codec: string | null;
  readonly lossShare: number;
  readonly jitterMs: number;
  readonly roundTripMs: number;
}

interface CodecFactors {
  /** Quality loss caused by the codec itself (equipment impairment factor Ie). */
  readonly impairment: number;
  /** How well the codec tolerates random loss (packet-loss robustness factor Bpl). */
  readonly robustness: number;
}

/**
 * ITU-T G.113 (2007), appendix I, tables I.1 and I.4: G.711 without concealment, since engines do
 * not fill gaps.
 */
const G711: CodecFactors = { impairment: 0, robustness: 4.3 };
const CODECS: Readonly<Record<string, CodecFactors>> = {
  g729: { impairment: 11, robustness: 19 },
  g723: { impairment: 15, robustness: 16.1 },
};

/** R with all default values of G.107: only the impairments computed here reduce it. */
const BEST_RATING = 93.2;
/** The largest possible impairment by loss. */
const WORST_IMPAIRMENT = 95;
/** A packet is sent once it is full. */
const PACKET_MS = 20;
/** A jitter buffer of twice the jitter loses hardly any packet to lateness. */
const BUFFERED_JITTERS = 2;
/** Above this delay people start to talk over each other. */
const NOTICED_DELAY_MS = 177.3;

/**
 * The mean opinion score by the simplified E-model: ITU-T G.107 §7 with its defaults, so that R =
 * 93.2 − Id − Ie,eff. Ie,eff is for random loss (§7.5); Id is the approximation of Cole and
 * Rosenbluth (Voice over IP performance monitoring, 2001); R is converted to MOS by annex B. Codecs
 * without values of their own, including wideband ones, count as G.711.
 * @returns 1 to 4.5
 */
export function estimateMos({ codec, lossShare, jitterMs, roundTripMs }: Impairments): number {
  const { impairment, robustness } = CODECS[codec ?? ''] ?? G711;
  const lossPercent = lossShare * 100;
  const byLoss = impairment + ((WORST_IMPAIRMENT - impairment) * lossPercent) / (lossPercent + robustness);
  const delayMs = roundTripMs / 2 + BUFFERED_JITTERS * jitterMs + PACKET_MS;
  const byDelay = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - NOTICED_DELAY_MS);
  return scoreOf(BEST_RATING - byLoss - byDelay);
}

/** G.107 annex B. Its cubic falls below 1 for ratings near 0, so the result is clamped to 1. */
function scoreOf(rating: number): number {
  if (rating <= 0) return 1;
  return Math.max(1, 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6);
}

/**
 * Adds the derived values to an engine's measurements. @returns null if no packet went either way
 */
export function mediaQuality(facts: MediaFacts): MediaQuality | null {
  const { packetsSent, packetsReceived, packetsLost } = facts;
  if (packetsSent === 0 && packetsReceived === 0) return null;
  if (packetsReceived === 0) return { ...facts, lossShare: null, mos: null };
  const lossShare = packetsLost / (packetsReceived + packetsLost);
  const { codec, jitterMs, roundTripMs } = facts;
  const mos = estimateMos({ codec, lossShare, jitterMs: jitterMs ?? 0, roundTripMs: roundTripMs ?? 0 });
  return { ...facts, lossShare: rounded(lossShare, 4), mos: rounded(mos, 2) };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
