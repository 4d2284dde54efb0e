import { join } from 'node:path';
import type { Cipher } from '../core/model/cipher.js';
import type { Clock } from '../core/ports/clock.js';
import type { CommandBus } from '../core/ports/command-bus.js';
import type { Engine } from '../core/ports/engine.js';
import type { Logger } from '../core/ports/logger.js';
import { Committer } from '../core/services/calls/committer.js';
import type { CallArchive } from '../core/services/calls/adoption.js';
import { Conductor } from '../core/services/calls/conductor.js';
import { IncomingRouter } from '../core/services/calls/incoming.js';
import type { CallMetrics } from '../core/services/calls/live-calls.js';
import type { ProgramFactory, Prompts } from '../core/services/calls/program.js';
import { EngineLease } from '../core/services/engines/lease.js';
import { EngineOwner } from '../core/services/engines/owner.js';
import { Provisioning } from '../core/services/engines/provisioning.js';
import { DirectoryRouting } from '../core/services/routing/destinations.js';
import { AsteriskEngine } from '../engine/asterisk/asterisk-engine.js';
import { programFactory } from '../ivr/programs/index.js';
import { deadOwner, ownerName } from './owner-name.js';
import type { Parts } from './parts.js';
import type { Stores } from './stores.js';

export interface EngineRoleOptions {
  readonly ari: Parts['ari'];
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly bus: CommandBus;
  readonly prompts: Prompts;
  readonly metrics: CallMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  /** Folder for generated sounds that the engine sees at the same path. */
  readonly mediaDir: string;
  readonly graceMs: number;
  /** What calls do, instead of the platform's own programs: for measurements. */
  readonly programs?: ProgramFactory;
}

/** The time in which this process owns the engine, and what it owns it with. */
interface Tenure {
  readonly engine: Engine;
  readonly lease: EngineLease;
  readonly conductor: Conductor;
  readonly owner: EngineOwner;
  /** Resolves when the lease is lost or given back. */
  readonly over: Promise<void>;
}

/** How often an engine that another process owns is asked for. */
const ACQUIRE_EVERY_MS = 1_000;
/** How long a hang-up of everything that is still live may take. */
const HANG_UP_MS = 5_000;

/** Owns Asterisk as soon as its lease is free, and again after it was lost. */
export class EngineRole {
  readonly #owner = ownerName();
  #tenure: Tenure | null = null;
  #stopping = false;
  #running: Promise<void> = Promise.resolve();

  private constructor(
    private readonly options: EngineRoleOptions,
    private readonly engineId: string,
  ) {}

  /** Resolves when the engine was asked for once; it may connect later. */
  static async start(options: EngineRoleOptions): Promise<EngineRole> {
    const { id } = await options.stores.engines.upsert('asterisk', 'asterisk');
    const role = new EngineRole(options, id);
    await new Promise<void>((resolve) => {
      role.#running = role.#run(resolve);
    });
    return role;
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
    this.options.stores.directory.forget();
    await this.#tenure?.owner.configurationChanged();
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
    // First everything that happened is written, under the epoch that still is ours.
    await tenure?.owner.stop();
    await tenure?.lease.release();
    await this.#running;
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
    const tenure = this.#open();
    if (!(await tenure.lease.acquire())) return;
    this.#tenure = tenure;
    try {
      await tenure.owner.start();
      onAsked();
      await tenure.over;
    } finally {
      this.#tenure = null;
      await tenure.owner.stop();
    }
  }

  #open(): Tenure {
    const { ari, stores, cipher, bus, prompts, metrics, clock, log, mediaDir, graceMs } = this.options;
    const { engineId } = this;
    const engine = new AsteriskEngine({
      url: ari.url,
      username: ari.user,
      password: ari.password,
      codecs: ari.codecs,
      soundDir: join(mediaDir, 'sounds'),
      logger: log,
      clock,
    });
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
        owner.leaseRegained().catch((error: unknown) => log.error({ err: error }, 'catching up failed'));
      },
    });
    const routing = new DirectoryRouting(stores.directory);
    const committer = new Committer(stores.writer, clock, log, () => lease.lose('a write was fenced off'));
    const conductor = new Conductor({
      engineId,
      engine,
      lease,
      committer,
      archive: archiveOf(stores),
      routing,
      incoming: new IncomingRouter(stores.directory, log),
      programs: this.options.programs ?? programFactory(prompts),
      clock,
      log,
      metrics,
    });
    const provisioning = new Provisioning(
      engine,
      { agents: () => stores.agents.list(), trunks: () => stores.trunks.list() },
      cipher,
      log,
    );
    const owner = new EngineOwner({ engineId, engine, lease, conductor, provisioning, bus, clock, log, graceMs });
    return { engine, lease, conductor, owner, over };
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

function archiveOf({ calls }: Stores): CallArchive {
  return {
    find: async (callId) => {
      const call = await calls.find(callId);
      return call && { call, legs: await calls.legsOf([callId]) };
    },
    unplaced: (engineId) => calls.unplaced(engineId),
    unfinished: async (engineId) => {
      const rows = await calls.unfinished(engineId);
      const legs = await calls.legsOf(rows.map((row) => row.id));
      return rows.map((call) => ({ call, legs: legs.filter((leg) => leg.call_id === call.id) }));
    },
  };
}
