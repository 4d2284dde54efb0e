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
  /** Default: two seconds. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 2_000;

/**
 * Keeps the message waiting indicators (MWI) of an engine's registered softphones up to date. Polls PostgreSQL, so that
 * a change by any process is found and no notification can be lost. Sends each change once, and the current state to a
 * phone that registers.
 */
export class MwiUpdater {
  readonly #regular: PeriodicWork;
  /** Counts last sent to each phone, by address of record. */
  readonly #sent = new Map<string, MessageCounts>();

  constructor(private readonly options: MwiUpdaterOptions) {
    const { clock, log, intervalMs: everyMs = INTERVAL_MS } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'failed to update message waiting indicators');
    this.#regular = new PeriodicWork({ work: () => this.update(), everyMs, restFactor: 10, clock, onFailure });
  }

  /** Does nothing if the engine does not support MWI. */
  start(): void {
    if (this.options.engine.capabilities.has('mwi')) this.#regular.start();
  }

  stop(): Promise<void> {
    return this.#regular.stop();
  }

  /** Called when a phone registers or unregisters: a newly registered phone shows no messages. */
  registered(aor: string): void {
    this.#sent.delete(aor);
  }

  /** Called when the state of all phones is unknown. */
  reset(): void {
    this.#sent.clear();
  }

  /** @throws DatabaseUnavailable */
  async update(): Promise<void> {
    const { engine, voicemails } = this.options;
    if (engine.status.status !== 'up') return;
    const registered = [...(await engine.registrations.registered())];
    const counts = await voicemails.countsOf(registered);
    // A phone whose box was deleted would keep its indicator on.
    for (const aor of this.#sent.keys()) if (!counts.has(aor)) await this.#send(aor, { fresh: 0, heard: 0 });
    for (const [aor, count] of counts) {
      const sent = this.#sent.get(aor);
      if (sent?.fresh !== count.fresh || sent.heard !== count.heard) await this.#send(aor, count);
    }
    for (const aor of this.#sent.keys()) if (!counts.has(aor)) this.#sent.delete(aor);
  }

  async #send(aor: string, count: MessageCounts): Promise<void> {
    try {
      await this.options.engine.mwi.show(aor, count);
      this.#sent.set(aor, count);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.options.log.warn({ err: error, aor }, 'failed to send a message waiting indicator; will retry');
    }
  }
}
