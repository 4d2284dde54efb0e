import type { Engine } from '../../core/ports/engine.js';
import type { CallController } from '../../core/services/live-calls/controller/call-controller.js';
import { replayJournals } from '../../core/services/live-calls/journal/journal-replay.js';
import type { EngineDefinition, OwnershipOptions } from './engine-definition.js';
import { openLease, type OpenLease } from './engine-lease.js';
import { openSessionParts, type SessionParts } from './session-parts.js';

/**
 * One period in which this process owns an engine: from the moment it acquires the lease until the lease is lost or
 * released. Everything in it writes under the epoch of that lease, so nothing of a session survives it.
 */
export class EngineSession {
  private constructor(
    private readonly definition: EngineDefinition,
    private readonly options: OwnershipOptions,
    private readonly engine: Engine,
    private readonly held: OpenLease,
    private readonly parts: SessionParts,
  ) {}

  /**
   * Tries once to acquire the engine's lease.
   * @param owner name under which this process requests it
   * @returns null while another process holds the lease
   */
  static async acquire(
    definition: EngineDefinition,
    options: OwnershipOptions,
    owner: string,
  ): Promise<EngineSession | null> {
    const engine = definition.open();
    let session: EngineSession | null = null;
    const isReady = (): boolean => session?.isReady ?? false;
    const held = openLease(definition, options, engine, owner, isReady, () => {
      session?.catchUp().catch((error: unknown) => options.log.error({ err: error }, 'catching up failed'));
    });
    if (!(await held.lease.acquire())) return null;
    const parts = openSessionParts(engine, held.lease, definition, options);
    void held.over.then(options.queues.callBridge.attach(parts.controller));
    void held.over.then(options.ownCalls.attach(parts.controller));
    session = new EngineSession(definition, options, engine, held, parts);
    return session;
  }

  get controller(): CallController {
    return this.parts.controller;
  }

  /** True while the engine is connected and has all softphones and trunks. */
  get isReady(): boolean {
    return this.parts.owner.isReady;
  }

  /** Null once the lease is known to be lost. */
  get epoch(): number | null {
    return this.held.lease.epoch;
  }

  /** Resolves when the lease is lost or released. */
  get over(): Promise<void> {
    return this.held.over;
  }

  /**
   * Resolves when the engine is connected, its calls are taken over, and it has all softphones and trunks, for the
   * first time.
   */
  get caughtUp(): Promise<void> {
    return this.parts.owner.caughtUp;
  }

  /**
   * Writes what earlier owners could not write, then starts to serve the engine. The engine may connect later.
   * @returns false if the lease was lost meanwhile
   */
  async start(): Promise<boolean> {
    if (!(await this.#replay())) return false;
    const row = await this.options.stores.engines.get(this.definition.engineId);
    await this.parts.owner.start({ bootId: row?.boot_id ?? null, at: row?.seen_at ?? null });
    this.held.sipHealth.start(row?.sip_status ?? null);
    this.parts.mwi.start();
    this.parts.trunkWatch.start();
    this.parts.refusals.start();
    return true;
  }

  /** Brings the engine up to date after softphones, trunks or numbers were changed. */
  async configurationChanged(): Promise<void> {
    await this.parts.owner.configurationChanged();
  }

  /**
   * Releases the engine to other processes. Its calls continue.
   * @returns the epoch of the session; null if the lease was already lost
   */
  async release(): Promise<number | null> {
    // Everything that happened is written first, while the epoch is still valid.
    await this.parts.owner.stop();
    await this.parts.committer.close();
    const { epoch } = this;
    await this.held.lease.release();
    return epoch;
  }

  /** Ends everything that still runs, after {@link over}. */
  async close(): Promise<void> {
    const { mwi, trunkWatch, refusals, collector, owner, committer } = this.parts;
    this.held.sipHealth.stop();
    // From now on the next owner counts the engine's calls and recordings.
    this.definition.metrics.live(0);
    this.definition.recorded.waiting(0);
    await mwi.stop();
    await trunkWatch.stop();
    await collector.stop();
    await owner.stop();
    await refusals.stop();
    await committer.close();
  }

  /** After the lease was regained: writes the waiting changes before new ones are made. */
  private async catchUp(): Promise<void> {
    await this.parts.committer.drained();
    await this.parts.owner.leaseRegained();
  }

  /** Writes the call changes that an earlier owner kept on disk because the database was unavailable. */
  async #replay(): Promise<boolean> {
    const { engineId } = this.definition;
    const { lease } = this.held;
    const { stores, journalStore, clock, log } = this.options;
    const { writer, calls } = stores;
    const onFenced = (): void => lease.lose('a write was fenced off');
    return replayJournals({ engineId, lease, journalStore, writer, calls, clock, log, onFenced });
  }
}
