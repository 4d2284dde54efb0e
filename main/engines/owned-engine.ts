import { DatabaseUnavailable } from '../../core/data/errors.js';
import type { Candidate } from '../../core/data/repositories/engines/engines.js';
import { pause } from '../../core/ports/clock.js';
import type { EngineDefinition, OwnershipOptions } from './engine-definition.js';
import { EngineSession } from './engine-session.js';
import { ownerName } from './owner-name.js';
import { OwnersTurn } from './owners-turn.js';

/** How often the lease of an engine that another process owns is requested. */
const ACQUIRE_EVERY_MS = 1_000;
/** How often the owner of a released engine is looked up. */
const LOOK_FOR_OWNER_MS = 100;
/** How long hanging up all live calls may take. */
const HANG_UP_MS = 5_000;

/**
 * One engine that this process may own. Requests its lease until it is free, opens a session each time the lease is
 * acquired, and requests it again after the session. Between sessions another process owns the engine, or none.
 */
export class OwnedEngine {
  readonly #owner = ownerName();
  #session: EngineSession | null = null;
  #stopping = false;
  #closed = false;
  #running: Promise<void> = Promise.resolve();
  /** Epoch of the last released session; -1 if there was none. */
  #lastEpoch = -1;
  readonly #ownersTurn: OwnersTurn;

  private constructor(
    private readonly definition: EngineDefinition,
    private readonly options: OwnershipOptions,
  ) {
    this.#ownersTurn = new OwnersTurn(options.clock);
  }

  /** Resolves when the lease was requested once; the engine may connect later. */
  static async start(definition: EngineDefinition, options: OwnershipOptions): Promise<OwnedEngine> {
    const owned = new OwnedEngine(definition, options);
    await new Promise<void>((resolve) => {
      owned.#running = owned.#run(resolve);
    });
    return owned;
  }

  get engineId(): string {
    return this.definition.engineId;
  }

  /** True if this process owns the engine now. */
  get isOwned(): boolean {
    return this.#session !== null;
  }

  get outlivesProcess(): boolean {
    return this.definition.outlivesProcess;
  }

  get liveCalls(): number {
    return this.#session?.controller.liveCalls ?? 0;
  }

  /** Number of live calls that this process took over with the engine. */
  get adoptedCalls(): number {
    return this.#session?.controller.adoptedCalls ?? 0;
  }

  /** True if this process owns the engine, which is connected and has all softphones and trunks. */
  get isReady(): boolean {
    return this.#session?.isReady ?? false;
  }

  /**
   * Resolves when the engine has all current softphones and trunks, when another process owns it, or after `limitMs`.
   */
  async knowsAll(limitMs: number): Promise<void> {
    const session = this.#session;
    if (!session) return;
    let giveUp = (): void => undefined;
    const late = pause(this.options.clock, limitMs, (end) => (giveUp = end));
    await Promise.race([session.caughtUp, session.over, late]);
    giveUp();
    await session.configurationChanged();
  }

  /** Brings the engine up to date after softphones, trunks or numbers were changed. */
  async configurationChanged(): Promise<void> {
    await this.#session?.configurationChanged();
  }

  /** True if another process owns the engine or waits for it; false while the database is unavailable. */
  async isShared(): Promise<boolean> {
    try {
      return await this.options.stores.engines.isSharedWith(this.engineId, this.#owner);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      return false;
    }
  }

  /** The process that waits for the engine; null if none does, or if this process does not own the engine. */
  async candidate(): Promise<Candidate | null> {
    return this.#session && this.options.stores.engines.candidate(this.engineId);
  }

  /** @param closed true: incoming calls are refused, because the engine drains */
  close(closed: boolean): void {
    this.#closed = closed;
    this.#session?.controller.close(closed);
  }

  /** Hands the engine to the process that waits for it, then waits for it in turn. Its calls continue. */
  async pass(): Promise<void> {
    if (!this.#stopping) await this.#giveBack();
  }

  /** Stops requesting the engine if another process owns it. */
  async standDown(): Promise<void> {
    if (this.#session) return;
    this.#stopping = true;
    await this.#withdraw();
  }

  /** Waits up to `limitMs` for another process to own the engine. @returns true if one does */
  async isTaken(limitMs: number): Promise<boolean> {
    const untilMs = this.options.clock.monotonicMs() + limitMs;
    do {
      const row = await this.options.stores.engines.get(this.engineId).catch(() => null);
      if (row !== null && row.epoch > this.#lastEpoch) return true;
      await pause(this.options.clock, LOOK_FOR_OWNER_MS);
    } while (this.options.clock.monotonicMs() < untilMs);
    return false;
  }

  /** Accepts no new calls and waits up to `waitMs` for live ones to end. @returns the number of calls still live */
  async drain(waitMs: number): Promise<number> {
    return (await this.#session?.controller.drain(waitMs)) ?? 0;
  }

  /** Hangs up all live calls, before the engine itself is stopped. */
  async hangUpAll(): Promise<void> {
    await this.#session?.controller.endAll(HANG_UP_MS);
  }

  /** Releases the engine. Its calls continue, and the next owner takes them over. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (!this.outlivesProcess) await this.hangUpAll();
    await this.#giveBack();
    await this.#running;
    await this.#withdraw();
  }

  async #giveBack(): Promise<void> {
    this.#lastEpoch = (await this.#session?.release()) ?? this.#lastEpoch;
  }

  async #withdraw(): Promise<void> {
    await this.options.stores.engines.withdraw(this.engineId, this.#owner).catch((error: unknown) => {
      this.options.log.warn({ err: error }, 'the application for the engine could not be withdrawn; it expires');
    });
  }

  async #run(onRequested: () => void): Promise<void> {
    do {
      try {
        await this.#holdOnce(onRequested);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) this.#ownersTurn.noteOutage();
        this.options.log.error({ err: error }, 'owning the engine failed; retrying');
      }
      onRequested();
      if (!this.#stopping) await pause(this.options.clock, ACQUIRE_EVERY_MS);
    } while (!this.#stopping);
  }

  /** One session, if the lease is free. */
  async #holdOnce(onRequested: () => void): Promise<void> {
    const { engines } = this.options.stores;
    const session = (await this.#isOwnersTurn())
      ? null
      : await EngineSession.acquire(this.definition, this.options, this.#owner);
    if (!session) {
      if (!this.#stopping) await engines.apply(this.engineId, this.#owner);
      return;
    }
    this.#session = session;
    try {
      // Acquired while the stop waited for the engines, so the stop would not release it.
      if (this.#stopping) {
        await session.release();
        return;
      }
      session.controller.close(this.#closed);
      if (!(await session.start())) return;
      onRequested();
      await session.over;
    } finally {
      this.#session = null;
      await session.close();
    }
  }

  async #isOwnersTurn(): Promise<boolean> {
    const row = await this.options.stores.engines.get(this.engineId);
    return this.#ownersTurn.isOf(row?.owner ?? null, this.#owner);
  }
}
