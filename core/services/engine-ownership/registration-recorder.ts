import type { Engine } from '../../ports/engine.js';
import type { EngineEvent } from '../../ports/engine-events.js';
import type { Logger } from '../../ports/logger.js';

/** The registrations of softphones in the database. */
export interface RegistrationTable {
  replace(engineId: string, aors: readonly string[]): Promise<void>;
  add(engineId: string, aor: string): Promise<void>;
  remove(engineId: string, aor: string): Promise<void>;
}

/**
 * Records which softphones are registered at an engine, so that calls on other engines can reach them. The next {@link
 * sync} repairs a failed write.
 */
export class RegistrationRecorder {
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly engineId: string,
    private readonly engine: Engine,
    private readonly table: RegistrationTable,
    private readonly log: Logger,
  ) {}

  note({ aor, registered }: Extract<EngineEvent, { type: 'registration.changed' }>): void {
    void this.#inTurn(() => (registered ? this.table.add(this.engineId, aor) : this.table.remove(this.engineId, aor)));
  }

  /** Replaces the recorded registrations by those that the engine reports now. */
  async sync(): Promise<void> {
    await this.#inTurn(async () => {
      await this.table.replace(this.engineId, [...(await this.engine.registrations.registered())]);
    });
  }

  /** Writes one change at a time, in the order in which they were seen. */
  #inTurn(write: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(write).catch((error: unknown) => {
      this.log.warn({ err: error }, 'failed to record softphone registrations');
    });
    return this.#writing;
  }
}
