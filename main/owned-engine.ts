import { DatabaseUnavailable } from '../core/data/errors.js';
import type { EngineKind } from '../core/data/rows.js';
import type { Cipher } from '../core/model/cipher.js';
import { NO_DETAIL, type CallDetail } from '../core/ports/call-detail.js';
import type { Clock } from '../core/ports/clock.js';
import type { CommandBus } from '../core/ports/command-bus.js';
import type { Engine } from '../core/ports/engine.js';
import type { JournalShelf } from '../core/ports/journal.js';
import type { Logger } from '../core/ports/logger.js';
import { Committer, type JournalObserver } from '../core/services/calls/committer.js';
import { replayJournals } from '../core/services/calls/journal-replay.js';
import { CallArchive } from '../core/services/calls/archive.js';
import { Conductor } from '../core/services/calls/conductor.js';
import { IncomingRouter } from '../core/services/calls/incoming.js';
import type { CallMetrics } from '../core/services/calls/live-calls.js';
import type { ProgramFactory } from '../core/services/calls/program.js';
import { EngineLease } from '../core/services/engines/lease.js';
import { EngineOwner } from '../core/services/engines/owner.js';
import { Provisioning, type ProvisioningTables } from '../core/services/engines/provisioning.js';
import type { RecordingConsent } from '../core/services/recordings/consent.js';
import {
  RecordingKeeper,
  type RecordingKeeperOptions,
  type RecordingObserver,
} from '../core/services/recordings/keeper.js';
import type { Routing } from '../core/services/routing/destinations.js';
import { deadOwner, ownerName } from './owner-name.js';
import type { Stores } from './stores.js';

/** An engine as this process owns it. */
export interface EngineDefinition {
  /** Its name in the table of engines; one row for all processes. */
  readonly name: string;
  readonly kind: EngineKind;
  /** A new connection to it, for each time that it is owned. */
  readonly open: () => Engine;
  /** The engine's own record of its legs, where it keeps one. */
  readonly detail?: (engine: Engine) => CallDetail;
  readonly routing: Routing;
  /** The softphones and trunks that it is kept up to date with. */
  readonly provisioned: ProvisioningTables;
  readonly metrics: CallMetrics;
  readonly journal: JournalObserver;
  readonly recorded: RecordingObserver;
  /** Whether its calls go on without this process. Those of one that lives in it are ended, and not waited for, at a stop. */
  readonly outlivesProcess: boolean;
}

export interface OwnedEngineOptions {
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly bus: CommandBus;
  readonly programs: ProgramFactory;
  readonly consent: RecordingConsent;
  /** Numbers that are let through past every limit. */
  readonly emergency: ReadonlySet<string>;
  /** Where recordings are kept. */
  readonly recordings: Pick<RecordingKeeperOptions, 'audio' | 'store' | 'folder'>;
  /** Where changes of calls wait while the database is away. */
  readonly shelf: JournalShelf;
  readonly clock: Clock;
  readonly log: Logger;
  readonly graceMs: number;
}

/** What the engine is asked for with. */
interface Claim {
  readonly engine: Engine;
  readonly lease: EngineLease;
  /** Resolves when the lease is lost or given back. */
  readonly over: Promise<void>;
}

/** The time in which this process owns the engine, and what it owns it with. */
interface Tenure extends Claim {
  readonly committer: Committer;
  readonly conductor: Conductor;
  readonly owner: EngineOwner;
  readonly keeper: RecordingKeeper;
}

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
  #running: Promise<void> = Promise.resolve();
  /** Of the last tenure that was given back; -1 where there was none. */
  #lastEpoch = -1;

  private constructor(
    private readonly definition: EngineDefinition,
    private readonly options: OwnedEngineOptions,
    private readonly engineId: string,
  ) {}

  /** Resolves when the engine was asked for once; it may connect later. */
  static async start(definition: EngineDefinition, options: OwnedEngineOptions): Promise<OwnedEngine> {
    const { id } = await options.stores.engines.upsert(definition.name, definition.kind);
    const owned = new OwnedEngine(definition, options, id);
    await new Promise<void>((resolve) => {
      owned.#running = owned.#run(resolve);
    });
    return owned;
  }

  get outlivesProcess(): boolean {
    return this.definition.outlivesProcess;
  }

  get liveCalls(): number {
    return this.#tenure?.conductor.liveCalls ?? 0;
  }

  /** Whether this process owns the engine and is connected to it. */
  get isUp(): boolean {
    return this.#tenure?.engine.status.status === 'up';
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
      await this.#wait(LOOK_FOR_OWNER_MS);
    } while (this.options.clock.monotonicMs() < untilMs);
    return false;
  }

  /** Take no new calls and let the live ones end for so long. @returns how many are left. */
  async drain(waitMs: number): Promise<number> {
    return (await this.#tenure?.conductor.drain(waitMs)) ?? 0;
  }

  /** Hang up whatever is still live, for when the engine is about to be stopped too. */
  async hangUpAll(): Promise<void> {
    await this.#tenure?.conductor.endAll(HANG_UP_MS);
  }

  /** Give the engine back; calls in it go on and are taken over by the next owner. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const tenure = this.#tenure;
    if (!this.outlivesProcess) await this.hangUpAll();
    // First everything that happened is written, under the epoch that still is ours.
    await tenure?.owner.stop();
    await tenure?.committer.close();
    this.#lastEpoch = tenure?.lease.epoch ?? this.#lastEpoch;
    await tenure?.lease.release();
    await this.#running;
    await this.#withdraw();
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
        this.options.log.error({ err: error }, 'owning the engine failed; it is tried again');
      }
      onAsked();
      await this.#pause();
    } while (!this.#stopping);
  }

  async #holdOnce(onAsked: () => void): Promise<void> {
    const claim = this.#claim();
    if (!(await claim.lease.acquire())) {
      if (!this.#stopping) await this.options.stores.engines.apply(this.engineId, this.#owner);
      return;
    }
    const tenure = (this.#tenure = this.#open(claim));
    try {
      if (!(await this.#replay(tenure))) return;
      await tenure.owner.start();
      onAsked();
      await tenure.over;
    } finally {
      this.#tenure = null;
      await tenure.keeper.stop();
      await tenure.owner.stop();
      await tenure.committer.close();
    }
  }

  /** First what is written down must be whole. */
  async #catchUp(): Promise<void> {
    const tenure = this.#tenure;
    await tenure?.committer.drained();
    await tenure?.owner.leaseRegained();
  }

  /** What waited for the database when an owner before went away. */
  async #replay({ lease }: Tenure): Promise<boolean> {
    const { stores, shelf, clock, log } = this.options;
    const { writer, calls } = stores;
    const onFenced = (): void => lease.lose('a write was fenced off');
    return replayJournals({ engineId: this.engineId, lease, shelf, writer, calls, clock, log, onFenced });
  }

  #claim(): Claim {
    const { stores, clock, log } = this.options;
    const { engineId } = this;
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
        renew: (id, owner, epoch, ttlMs, status) => engines.renew(id, owner, epoch, ttlMs, status),
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
    return { engine, lease, over };
  }

  #open({ engine, lease, over }: Claim): Tenure {
    const { stores, cipher, bus, programs, consent, emergency, recordings, shelf, clock, log, graceMs } = this.options;
    const { routing, provisioned, metrics, journal: observer, recorded, detail } = this.definition;
    const { engineId } = this;
    const committer = new Committer({
      writer: stores.writer,
      journal: shelf.open(engineId, given(lease.epoch)),
      clock,
      log,
      observer,
      onFenced: () => lease.lose('a write was fenced off'),
    });
    const keeper = new RecordingKeeper({
      ...recordings,
      engine,
      waiting: (limit) => stores.calls.recordingsToKeep(engineId, limit),
      done: (ids) => stores.calls.recordingsDone(ids),
      finish: (recording, kept) => conductor.finishRecording(recording, kept),
      clock,
      log,
      observer: recorded,
    });
    const conductor: Conductor = new Conductor({
      engineId,
      engine,
      lease,
      committer,
      archive: new CallArchive(stores.calls, committer),
      detail: detail?.(engine) ?? NO_DETAIL,
      routing,
      incoming: new IncomingRouter(stores.directory, log, emergency),
      programs,
      consent,
      clock,
      log,
      metrics,
      onRecorded: () => keeper.wake(),
    });
    const provisioning = new Provisioning(engine, provisioned, cipher, log);
    const owner = new EngineOwner({ engineId, engine, lease, conductor, provisioning, bus, clock, log, graceMs });
    return { engine, lease, over, committer, conductor, owner, keeper };
  }

  async #pause(): Promise<void> {
    if (!this.#stopping) await this.#wait(ACQUIRE_EVERY_MS);
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.options.clock.after(delayMs, resolve);
    });
  }
}

/** A lease that was just acquired has an epoch. */
function given(epoch: number | null): number {
  if (epoch === null) throw new Error('the lease was lost as soon as it was acquired');
  return epoch;
}
