import type { Engine, EngineEvent } from '../../ports/engine.js';
import type { Logger } from '../../ports/logger.js';

/** Where softphones are registered, as the database keeps it. */
export interface RegistrationTable {
  replace(engineId: string, aors: readonly string[]): Promise<void>;
  add(engineId: string, aor: string): Promise<void>;
  remove(engineId: string, aor: string): Promise<void>;
}

/** Writes down which softphones are at an engine, for calls of the other engines. What is not written is made good at the next {@link sync}. */
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

  /** As the engine tells it now. */
  async sync(): Promise<void> {
    await this.#inTurn(async () => {
      await this.table.replace(this.engineId, [...(await this.engine.registrations.registered())]);
    });
  }

  /** One after another: what was seen first is written first. */
  #inTurn(write: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(write).catch((error: unknown) => {
      this.log.warn({ err: error }, 'where softphones are registered could not be written down');
    });
    return this.#writing;
  }
}
