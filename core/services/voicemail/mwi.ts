import type { Voicemails } from '../../data/repositories/voicemail/voicemails.js';
import type { MessageCounts } from '../../model/voicemail.js';
import type { Clock } from '../../ports/clock.js';
import { EngineError, type Engine } from '../../ports/engine.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

export interface MwiUpdaterOptions {
  readonly engine: Pick<Engine, 'capabilities' | 'mwi' | 'registrations' | 'status'>;
  readonly voicemails: Pick<Voicemails, 'countsOf'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Two seconds by default. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 2_000;

/**
 * Keeps the lamps of an engine's registered softphones as their boxes are. What was left, heard or deleted, by whatever process, shows in
 * PostgreSQL, and is looked for there: no word can be lost. Each change is told once, and how it stands to a phone that registers (again).
 */
export class MwiUpdater {
  readonly #regular: PeriodicWork;
  /** As the phones were told, by address of record. */
  readonly #shown = new Map<string, MessageCounts>();

  constructor(private readonly options: MwiUpdaterOptions) {
    const { clock, log, intervalMs: everyMs = INTERVAL_MS } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'message lamps could not be looked after');
    this.#regular = new PeriodicWork({ work: () => this.look(), everyMs, restFactor: 10, clock, onFailure });
  }

  /** Does nothing for an engine without lamps. */
  start(): void {
    if (this.options.engine.capabilities.has('mwi')) this.#regular.start();
  }

  stop(): Promise<void> {
    return this.#regular.stop();
  }

  /** A phone registered, or went: the next one begins with its lamp out. */
  registered(aor: string): void {
    this.#shown.delete(aor);
  }

  /** All phones may have changed. */
  forget(): void {
    this.#shown.clear();
  }

  /** @throws DatabaseUnavailable */
  async look(): Promise<void> {
    const { engine, voicemails } = this.options;
    if (engine.status.status !== 'up') return;
    const registered = [...(await engine.registrations.registered())];
    const counts = await voicemails.countsOf(registered);
    // Whose box is gone has a lamp that nobody would put out.
    for (const aor of this.#shown.keys()) if (!counts.has(aor)) await this.#show(aor, { fresh: 0, heard: 0 });
    for (const [aor, count] of counts) {
      const shown = this.#shown.get(aor);
      if (shown?.fresh !== count.fresh || shown.heard !== count.heard) await this.#show(aor, count);
    }
    for (const aor of this.#shown.keys()) if (!counts.has(aor)) this.#shown.delete(aor);
  }

  async #show(aor: string, count: MessageCounts): Promise<void> {
    try {
      await this.options.engine.mwi.show(aor, count);
      this.#shown.set(aor, count);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.options.log.warn({ err: error, aor }, 'a message lamp could not be told; it is tried again');
    }
  }
}
