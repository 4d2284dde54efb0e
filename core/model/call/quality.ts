/** How the audio that a leg's phone sent came in at the engine; null what nobody measured. */
export interface MediaQuality {
  /** In lower case: `alaw`, `ulaw`, `opus`, `g722` … */
  readonly codec: string | null;
  /** By the engine to the phone. */
  readonly packetsSent: number;
  readonly packetsReceived: number;
  /** Of the phone's; as of the last RTCP report (RFC 3550 §6.4), which engines make every five seconds. */
  readonly packetsLost: number;
  /** Lost of those that should have come, 0 to 1; null when none came. */
  readonly lossShare: number | null;
  /** Interarrival jitter (RFC 3550 §6.4.1). */
  readonly jitterMs: number | null;
  /** There and back between engine and phone; null where the phone answers no reports. */
  readonly roundTripMs: number | null;
  /** Estimated mean opinion score (ITU-T P.800), 1 to 4.5: {@link estimateMos}; null when no audio came. */
  readonly mos: number | null;
}

/** What an engine counted. */
export type MediaFacts = Omit<MediaQuality, 'lossShare' | 'mos'>;

export interface Impairments {
  readonly codec: string | null;
  readonly lossShare: number;
  readonly jitterMs: number;
  readonly roundTripMs: number;
}

interface CodecFactors {
  /** What the codec itself costs (equipment impairment factor Ie). */
  readonly impairment: number;
  /** How well it bears random loss (packet-loss robustness factor Bpl). */
  readonly robustness: number;
}

/** ITU-T G.113 (2007), appendix I, tables I.1 and I.4: G.711 without concealment, since an engine fills no gaps. */
const G711: CodecFactors = { impairment: 0, robustness: 4.3 };
const CODECS: Readonly<Record<string, CodecFactors>> = {
  g729: { impairment: 11, robustness: 19 },
  g723: { impairment: 15, robustness: 16.1 },
};

/** All of G.107's default values: nothing impairs but what is counted here. */
const BEST_RATING = 93.2;
/** Loss cannot cost more than this. */
const WORST_IMPAIRMENT = 95;
/** A packet is sent when it is full. */
const PACKET_MS = 20;
/** A receiver that lets hardly any packet come too late holds back twice the jitter. */
const BUFFERED_JITTERS = 2;
/** From here on people begin to talk at once. */
const NOTICED_DELAY_MS = 177.3;

/**
 * The mean opinion score that the simplified E-model expects: ITU-T G.107 §7 with its defaults, so that R = 93.2 − Id − Ie,eff; Ie,eff for random loss
 * (§7.5); Id by the approximation of Cole and Rosenbluth (Voice over IP performance monitoring, 2001); R to MOS by annex B. Codecs without values of
 * their own, wideband ones among them, count as G.711.
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

/** G.107 annex B; its cubic falls below 1 near 0, where the worst score is meant. */
function scoreOf(rating: number): number {
  if (rating <= 0) return 1;
  return Math.max(1, 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6);
}

/** What was counted, with what follows from it. @returns null for a leg on which no packet went either way */
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
