import { DatabaseUnavailable } from '../core/data/errors.js';
import type { Candidate } from '../core/data/repositories/engines/engines.js';
import { pause } from '../core/ports/clock.js';
import { replayJournals } from '../core/services/live-calls/journal/journal-replay.js';
import { EngineLease } from '../core/services/engine-ownership/lease.js';
import { SipHealth } from '../core/services/engine-ownership/sip-health.js';
import { deadOwner, ownerName } from './owner-name.js';
import { OwnersTurn } from './owners-turn.js';
import { openTenure, type Claim, type EngineDefinition, type OwnedEngineOptions, type Tenure } from './tenure.js';

/** How often an engine that another process owns is asked for. */
const ACQUIRE_EVERY_MS = 1_000;
/** How often it is looked who owns an engine that was given back. */
const LOOK_FOR_OWNER_MS = 100;
/** How long a hang-up of everything that is still live may take. */
const HANG_UP_MS = 5_000;

/** Owns one engine as soon as its lease is free, and again after it was lost. */
export class OwnedEngine {
  readonly #owner = ownerName();
  #tenure: Tenure | null = null;
  #stopping = false;
  #closed = false;
  #running: Promise<void> = Promise.resolve();
  /** Of the last tenure that was given back; -1 where there was none. */
  #lastEpoch = -1;
  readonly #ownersTurn: OwnersTurn;

  private constructor(
    private readonly definition: EngineDefinition,
    private readonly options: OwnedEngineOptions,
  ) {
    this.#ownersTurn = new OwnersTurn(options.clock);
  }

  /** Resolves when the engine was asked for once; it may connect later. */
  static async start(definition: EngineDefinition, options: OwnedEngineOptions): Promise<OwnedEngine> {
    const owned = new OwnedEngine(definition, options);
    await new Promise<void>((resolve) => {
      owned.#running = owned.#run(resolve);
    });
    return owned;
  }

  get engineId(): string {
    return this.definition.engineId;
  }

  /** Whether this process holds the engine now. */
  get isOwned(): boolean {
    return this.#tenure !== null;
  }

  get outlivesProcess(): boolean {
    return this.definition.outlivesProcess;
  }

  get liveCalls(): number {
    return this.#tenure?.controller.liveCalls ?? 0;
  }

  /** Whether this process owns the engine and is connected to it. */
  get isUp(): boolean {
    return this.#tenure?.engine.status.status === 'up';
  }

  /** Resolves when the engine knows every softphone and trunk that there is now; at once where it is another's, and after so long in any case. */
  async knowsAll(limitMs: number): Promise<void> {
    const tenure = this.#tenure;
    if (!tenure) return;
    let giveUp = (): void => undefined;
    const late = pause(this.options.clock, limitMs, (end) => (giveUp = end));
    await Promise.race([tenure.owner.caughtUp, tenure.over, late]);
    giveUp();
    await tenure.owner.configurationChanged();
  }

  /** Softphones, trunks or numbers were changed. */
  async configurationChanged(): Promise<void> {
    await this.#tenure?.owner.configurationChanged();
  }

  /** Whether another process owns the engine or waits to take it over. Nobody is known to, while the database is away. */
  async isShared(): Promise<boolean> {
    try {
      return await this.options.stores.engines.isSharedWith(this.engineId, this.#owner);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      return false;
    }
  }

  /** The process that waits for the engine; null where nobody does, or it is not ours to give. */
  async candidate(): Promise<Candidate | null> {
    return this.#tenure && this.options.stores.engines.candidate(this.engineId);
  }

  /** Whether calls that come in are refused, because the engine is being emptied. */
  close(closed: boolean): void {
    this.#closed = closed;
    this.#tenure?.controller.close(closed);
  }

  /** Hand the engine to the process that waits for it, and wait for it from now on. Its calls go on. */
  async pass(): Promise<void> {
    if (!this.#stopping) await this.#giveBack();
  }

  /** Wait for the engine no longer, where it is another's. */
  async standDown(): Promise<void> {
    if (this.#tenure) return;
    this.#stopping = true;
    await this.#withdraw();
  }

  /** Whether another process owns the engine by now; looks until then or until the time is up. */
  async isTaken(limitMs: number): Promise<boolean> {
    const untilMs = this.options.clock.monotonicMs() + limitMs;
    do {
      const row = await this.options.stores.engines.get(this.engineId).catch(() => null);
      if (row !== null && row.epoch > this.#lastEpoch) return true;
      await pause(this.options.clock, LOOK_FOR_OWNER_MS);
    } while (this.options.clock.monotonicMs() < untilMs);
    return false;
  }

  /** Take no new calls and let the live ones end for so long. @returns how many are left. */
  async drain(waitMs: number): Promise<number> {
    return (await this.#tenure?.controller.drain(waitMs)) ?? 0;
  }

  /** Hang up whatever is still live, for when the engine is about to be stopped too. */
  async hangUpAll(): Promise<void> {
    await this.#tenure?.controller.endAll(HANG_UP_MS);
  }

  /** Give the engine back; calls in it go on and are taken over by the next owner. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (!this.outlivesProcess) await this.hangUpAll();
    await this.#giveBack();
    await this.#running;
    await this.#withdraw();
  }

  async #giveBack(): Promise<void> {
    const tenure = this.#tenure;
    // First everything that happened is written, under the epoch that still is ours.
    await tenure?.owner.stop();
    await tenure?.committer.close();
    this.#lastEpoch = tenure?.lease.epoch ?? this.#lastEpoch;
    await tenure?.lease.release();
  }

  async #withdraw(): Promise<void> {
    await this.options.stores.engines.withdraw(this.engineId, this.#owner).catch((error: unknown) => {
      this.options.log.warn({ err: error }, 'waiting for the engine could not be ended; it ends by itself');
    });
  }

  async #run(onAsked: () => void): Promise<void> {
    do {
      try {
        await this.#holdOnce(onAsked);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) this.#ownersTurn.noteOutage();
        this.options.log.error({ err: error }, 'owning the engine failed; it is tried again');
      }
      onAsked();
      if (!this.#stopping) await pause(this.options.clock, ACQUIRE_EVERY_MS);
    } while (!this.#stopping);
  }

  async #holdOnce(onAsked: () => void): Promise<void> {
    const claim = this.#claim();
    if ((await this.#isOwnersTurn()) || !(await claim.lease.acquire())) {
      if (!this.#stopping) await this.options.stores.engines.apply(this.engineId, this.#owner);
      return;
    }
    const tenure = (this.#tenure = openTenure(claim, this.definition, this.options));
    try {
      if (!(await this.#replay(tenure))) return;
      tenure.controller.close(this.#closed);
      const row = await this.options.stores.engines.get(this.engineId);
      await tenure.owner.start({ bootId: row?.boot_id ?? null, at: row?.seen_at ?? null });
      tenure.sipHealth.start(row?.sip_status ?? null);
      tenure.mwi.start();
      onAsked();
      await tenure.over;
    } finally {
      this.#tenure = null;
      tenure.sipHealth.stop();
      // What is in the engine is counted by the next owner.
      this.definition.metrics.live(0);
      this.definition.recorded.waiting(0);
      await tenure.mwi.stop();
      await tenure.collector.stop();
      await tenure.owner.stop();
      await tenure.committer.close();
    }
  }

  async #isOwnersTurn(): Promise<boolean> {
    const row = await this.options.stores.engines.get(this.engineId);
    return this.#ownersTurn.isOf(row?.owner ?? null, this.#owner);
  }

  /** First what is written down must be whole. */
  async #catchUp(): Promise<void> {
    const tenure = this.#tenure;
    await tenure?.committer.drained();
    await tenure?.owner.leaseRegained();
  }

  /** What waited for the database when an owner before went away. */
  async #replay({ lease }: Tenure): Promise<boolean> {
    const { stores, journalStore, clock, log } = this.options;
    const { writer, calls } = stores;
    const onFenced = (): void => lease.lose('a write was fenced off');
    return replayJournals({ engineId: this.engineId, lease, journalStore, writer, calls, clock, log, onFenced });
  }

  #claim(): Claim {
    const { stores, probe, clock, log } = this.options;
    const { engineId } = this;
    const { sip: address } = this.definition;
    const engine = this.definition.open();
    let end: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const { engines } = stores;
    const lease = new EngineLease({
      table: {
        acquire: async (id, owner, ttlMs) => {
          const dead = deadOwner((await engines.get(id))?.owner ?? null);
          return engines.acquire(id, owner, ttlMs, dead === null ? {} : { evenFrom: dead });
        },
        renew: (id, owner, epoch, ttlMs, status) =>
          engines.renew(id, owner, epoch, ttlMs, { ...status, sip: sipHealth.status }),
        release: (id, owner, epoch) => engines.release(id, owner, epoch),
      },
      engineId,
      owner: this.#owner,
      clock,
      log,
      status: () => engine.status,
      onOver: end,
      onRegained: () => {
        this.#catchUp().catch((error: unknown) => log.error({ err: error }, 'catching up failed'));
      },
    });
    const tell = (): void => {
      lease.renew().catch((error: unknown) => log.error({ err: error }, 'renewing the lease failed'));
    };
    const sipHealth = new SipHealth({
      address,
      probe,
      isConnected: () => engine.status.status === 'up',
      clock,
      log,
      onChange: tell,
    });
    return { engine, lease, sipHealth, over };
  }
}
