import { sampleOf, type Counters, type Sample } from './sample.js';
import { readCounters } from './stats.js';
import { Warnings, type Surroundings, type Warning, type WarningName } from './warnings.js';

/** How loud both sides are: 0 (silence) to 1. */
export interface Volume {
  readonly out: number;
  readonly in: number;
}

export interface MonitorOptions {
  readonly connection: () => RTCPeerConnection;
  readonly surroundings: () => Surroundings;
  /** Whether silence is a fault now. */
  readonly isJudged: () => boolean;
  /** Whether anybody wants volumes, which cost a look at the counters each time. */
  readonly wantsVolume: () => boolean;
  readonly onVolume: (volume: Volume) => void;
  readonly onSample: (sample: Sample) => void;
  readonly onWarning: (warning: Warning) => void;
  readonly onCleared: (name: WarningName) => void;
}

const TICK_MS = 200;
const TICKS_PER_SAMPLE = 5;

/** Looks at the audio of a call once a second, and at its volume five times a second if anybody wants it. */
export class Monitor {
  readonly #warnings = new Warnings();
  #timer: ReturnType<typeof setInterval> | null = null;
  #before: Counters | null = null;
  #ticks = 0;
  #isReading = false;
  #last: Sample | null = null;
  /** The sums of the values that {@link summary} averages. */
  readonly #sums = { samples: 0, mos: 0, roundTripMs: 0, jitterMs: 0, lossPercent: 0 };

  constructor(private readonly options: MonitorOptions) {}

  get warnings(): readonly Warning[] {
    return this.#warnings.active;
  }

  get last(): Sample | null {
    return this.#last;
  }

  /** The averages over the call; null if there was no sample. */
  get summary(): { mos: number; roundTripMs: number; jitterMs: number; lossPercent: number } | null {
    const { samples, ...sums } = this.#sums;
    if (samples === 0) return null;
    const average = (sum: number): number => Math.round((sum / samples) * 100) / 100;
    return {
      mos: average(sums.mos),
      roundTripMs: average(sums.roundTripMs),
      jitterMs: average(sums.jitterMs),
      lossPercent: average(sums.lossPercent),
    };
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#tick(), TICK_MS);
  }

  /** Forgets how long there was silence, and the counters of a connection that was replaced. */
  restart(): void {
    this.#warnings.restart();
    this.#before = null;
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #tick(): Promise<void> {
    const isSample = ++this.#ticks % TICKS_PER_SAMPLE === 0;
    if (this.#isReading || !(isSample || this.options.wantsVolume())) return;
    this.#isReading = true;
    try {
      const counters = await readCounters(this.options.connection());
      if (this.#timer === null) return;
      if (this.options.wantsVolume()) this.options.onVolume({ out: counters.levelOut ?? 0, in: counters.levelIn ?? 0 });
      if (isSample) this.#sample(counters);
    } catch {
      // The connection was closed while it was read.
    } finally {
      this.#isReading = false;
    }
  }

  #sample(counters: Counters): void {
    const before = this.#before;
    this.#before = counters;
    if (before === null) return;
    const sample = sampleOf(before, counters);
    this.#last = sample;
    this.#addUp(sample);
    this.options.onSample(sample);
    if (!this.options.isJudged()) {
      this.#warnings.restart();
      return;
    }
    const { raised, cleared } = this.#warnings.add(sample, this.options.surroundings());
    for (const name of cleared) this.options.onCleared(name);
    for (const warning of raised) this.options.onWarning(warning);
  }

  #addUp({ mos, roundTripMs, jitterMs, lossPercent }: Sample): void {
    if (mos === null) return;
    this.#sums.samples += 1;
    this.#sums.mos += mos;
    this.#sums.roundTripMs += roundTripMs ?? 0;
    this.#sums.jitterMs += jitterMs ?? 0;
    this.#sums.lossPercent += lossPercent ?? 0;
  }
}
