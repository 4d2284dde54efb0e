/** Counters of a call's audio so far, as a browser keeps them; null: this browser has none. */
export interface Counters {
  /** By a clock that only goes forwards. */
  readonly atMs: number;
  readonly packetsOut: number | null;
  readonly packetsIn: number | null;
  readonly packetsLost: number | null;
  readonly bytesOut: number | null;
  readonly bytesIn: number | null;
  /** Sums of the squared level over time (W3C webrtc-stats, `totalAudioEnergy`). */
  readonly energyOut: number | null;
  readonly energyIn: number | null;
  readonly jitterSeconds: number | null;
  readonly roundTripSeconds: number | null;
  readonly levelOut: number | null;
  readonly levelIn: number | null;
  readonly codec: string | null;
  /** How the audio travels: directly (`host`, `srflx`, `prflx`), or through a TURN server (`relay`). */
  readonly path: string | null;
}

/** The quality of the last interval, about a second. */
export interface Sample {
  readonly atMs: number;
  readonly roundTripMs: number | null;
  readonly jitterMs: number | null;
  /** Of the packets that should have arrived, 0 to 100. */
  readonly lossPercent: number | null;
  /** Estimated opinion of a listener, 1 (bad) to 4.4 (as good as a telephone call can be). */
  readonly mos: number | null;
  readonly packetsOut: number | null;
  readonly packetsIn: number | null;
  readonly bytesOut: number | null;
  readonly bytesIn: number | null;
  /** 0 (silence) to 1. */
  readonly levelOut: number | null;
  readonly levelIn: number | null;
  /** Whether there was any sound in the interval, above digital silence. */
  readonly hasSoundOut: boolean | null;
  readonly hasSoundIn: boolean | null;
  readonly codec: string | null;
  readonly path: string | null;
}

/** Digital silence adds nothing; the quietest microphone adds more than this in a tenth of a second. */
const SILENT_ENERGY = 1e-10;

export function sampleOf(before: Counters, now: Counters): Sample {
  const packetsIn = difference(before.packetsIn, now.packetsIn);
  const lost = difference(before.packetsLost, now.packetsLost);
  const lossPercent = lossOf(packetsIn, lost);
  const roundTripMs = scaled(now.roundTripSeconds);
  const jitterMs = scaled(now.jitterSeconds);
  return {
    atMs: now.atMs,
    ...{ roundTripMs, jitterMs, lossPercent, mos: mosOf(roundTripMs, jitterMs, lossPercent) },
    packetsOut: difference(before.packetsOut, now.packetsOut),
    packetsIn,
    bytesOut: difference(before.bytesOut, now.bytesOut),
    bytesIn: difference(before.bytesIn, now.bytesIn),
    levelOut: now.levelOut,
    levelIn: now.levelIn,
    hasSoundOut: soundIn(before.energyOut, now.energyOut),
    hasSoundIn: soundIn(before.energyIn, now.energyIn),
    codec: now.codec,
    path: now.path,
  };
}

/**
 * A simplified E-model (ITU-T G.107): the delay of the network and of a jitter buffer of twice the jitter, and 2.5 points
 * for each percent of loss.
 */
export function mosOf(roundTripMs: number | null, jitterMs: number | null, lossPercent: number | null): number | null {
  if (lossPercent === null) return null;
  const delay = (roundTripMs ?? 0) / 2 + (jitterMs ?? 0) * 2 + 10;
  const rating = 93.2 - (delay < 160 ? delay / 40 : (delay - 120) / 10) - lossPercent * 2.5;
  if (rating < 0) return 1;
  const opinion = 1 + 0.035 * rating + 7e-6 * rating * (rating - 60) * (100 - rating);
  return Math.round(Math.max(1, opinion) * 100) / 100;
}

/** Null also if the counter began again: another stream has replaced the one before. */
function difference(before: number | null, now: number | null): number | null {
  return before === null || now === null || now < before ? null : now - before;
}

function lossOf(received: number | null, lost: number | null): number | null {
  if (received === null || lost === null || received + lost === 0) return null;
  return Math.round((lost / (received + lost)) * 1_000) / 10;
}

function soundIn(before: number | null, now: number | null): boolean | null {
  const energy = difference(before, now);
  return energy === null ? null : energy > SILENT_ENERGY;
}

function scaled(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds * 10_000) / 10;
}
