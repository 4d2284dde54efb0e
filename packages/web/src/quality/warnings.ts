import type { Text } from '../errors/texts.js';
import type { Sample } from './sample.js';
import { WARNINGS, type Degradation, type SilenceIn, type SilenceOut, type WarningReason } from './warning-texts.js';

/** `no_audio_out`: the other side hears nothing; `no_audio_in`: this side hears nothing; or the degradation. */
export type WarningName = 'no_audio_out' | 'no_audio_in' | Degradation;

export interface Warning extends Text {
  readonly name: WarningName;
  readonly reason: WarningReason;
  /** Whose audio is meant: what goes out, or what comes in. */
  readonly side: 'out' | 'in';
}

/** What a sample does not show. */
export interface Surroundings {
  /** Muted or on hold by a person: silence is meant. */
  readonly isMuted: boolean;
  readonly isHeld: boolean;
  readonly microphone: 'live' | 'muted' | 'gone';
  readonly isPlaybackBlocked: boolean;
}

export interface WarningChanges {
  readonly raised: readonly Warning[];
  readonly cleared: readonly WarningName[];
}

/** How long silence lasts before it is a fault. */
const SILENCE_MS = 3_000;
/** A value is bad in three of five samples, and good again after five good ones. */
const WINDOW = 5;
const BAD_OF_WINDOW = 3;

const LIMITS: Readonly<Record<Degradation, (sample: Sample) => boolean>> = {
  high_round_trip: ({ roundTripMs }) => roundTripMs !== null && roundTripMs > 400,
  high_jitter: ({ jitterMs }) => jitterMs !== null && jitterMs > 30,
  high_loss: ({ lossPercent }) => lossPercent !== null && lossPercent > 3,
  low_mos: ({ mos }) => mos !== null && mos < 3.5,
};

/** Decides from the samples of a call when something is wrong, and when it is over. */
export class Warnings {
  readonly #active = new Map<WarningName, WarningReason>();
  readonly #silentSince = new Map<'out' | 'in', number>();
  readonly #recent = new Map<Degradation, boolean[]>();

  /** The warnings that are not over. */
  get active(): readonly Warning[] {
    return [...this.#active].map(([name, reason]) => warningOf(name, reason));
  }

  add(sample: Sample, around: Surroundings): WarningChanges {
    const wanted = new Map<WarningName, WarningReason | null>();
    wanted.set('no_audio_out', this.#lasting('out', silenceOut(sample, around), sample.atMs));
    wanted.set('no_audio_in', this.#lasting('in', silenceIn(sample, around), sample.atMs));
    for (const name of Object.keys(LIMITS) as Degradation[]) {
      const isBad = this.#judge(name, LIMITS[name](sample));
      if (isBad !== null) wanted.set(name, isBad ? name : null);
    }
    return this.#apply(wanted);
  }

  /** Forgets how long there was silence: after a hold, or a connection that was lost. */
  restart(): void {
    this.#silentSince.clear();
  }

  #apply(wanted: ReadonlyMap<WarningName, WarningReason | null>): WarningChanges {
    const raised: Warning[] = [];
    const cleared: WarningName[] = [];
    for (const [name, reason] of wanted) {
      const known = this.#active.get(name);
      if (reason === null) {
        if (this.#active.delete(name)) cleared.push(name);
      } else if (reason !== known) {
        this.#active.set(name, reason);
        raised.push(warningOf(name, reason));
      }
    }
    return { raised, cleared };
  }

  /** The reason, if there was silence for long enough. The first silent sample covers the second before it. */
  #lasting<Reason extends WarningReason>(side: 'out' | 'in', reason: Reason | null, atMs: number): Reason | null {
    if (reason === null) {
      this.#silentSince.delete(side);
      return null;
    }
    const since = this.#silentSince.get(side) ?? atMs;
    this.#silentSince.set(side, since);
    return atMs - since >= SILENCE_MS - 1_000 ? reason : null;
  }

  /** @returns null as long as neither is certain */
  #judge(name: Degradation, isBad: boolean): boolean | null {
    const recent = [...(this.#recent.get(name) ?? []), isBad].slice(-WINDOW);
    this.#recent.set(name, recent);
    const bad = recent.filter(Boolean).length;
    if (bad >= BAD_OF_WINDOW) return true;
    return bad === 0 && recent.length === WINDOW ? false : null;
  }
}

function silenceOut(sample: Sample, { isMuted, isHeld, microphone }: Surroundings): SilenceOut | null {
  if (isMuted || isHeld) return null;
  if (microphone === 'gone') return 'microphone_gone';
  if (microphone === 'muted') return 'microphone_muted';
  if (sample.packetsOut === 0) return sample.hasSoundOut === false ? 'microphone_paused' : 'nothing_sent';
  return sample.hasSoundOut === false ? 'microphone_silent' : null;
}

function silenceIn(sample: Sample, { isHeld, isPlaybackBlocked }: Surroundings): SilenceIn | null {
  if (isHeld) return null;
  if (sample.packetsIn === 0) return 'nothing_received';
  if (isPlaybackBlocked) return 'playback_blocked';
  return sample.hasSoundIn === false ? 'silence_received' : null;
}

function warningOf(name: WarningName, reason: WarningReason): Warning {
  const side = name === 'no_audio_out' ? 'out' : 'in';
  return { name, reason, side, ...WARNINGS[reason] };
}
