import { pause, type Clock, type Timer } from '../../ports/clock.js';
import type { CommandBus } from '../../ports/command-bus.js';
import type { Engine, EngineEvent } from '../../ports/engine.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';
import type { CallController } from '../live-calls/controller/call-controller.js';
import type { EngineLease } from './lease.js';
import type { Provisioning } from './provisioning.js';
import type { RegistrationRecorder } from './registration-recorder.js';

export interface OwnerOptions {
  readonly engineId: string;
  readonly engine: Engine;
  readonly lease: EngineLease;
  readonly controller: CallController;
  readonly provisioning: Provisioning;
  readonly registrations: RegistrationRecorder;
  readonly bus: CommandBus;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long the calls of an engine that was lost are given to show up again. */
  readonly graceMs: number;
}

/** The engine as it was last reached: which start of it, and when. */
export interface LastReached {
  readonly bootId: string | null;
  readonly at: Date | null;
}

/** How often the tables are compared with the engine, and placed calls looked for that nobody announced. */
const SYNC_EVERY_MS = 5_000;
const SWEEP_EVERY_MS = 1_000;
const TAKE_OVER_RETRY_MS = 2_000;

/**
 * What the owner of an engine does while the lease is held, that is during one session: connects, brings softphones and trunks up to date,
 * takes over live calls and serves commands. It does not acquire the lease. An engine that cannot be reached is not dead: its calls wait
 * for the grace time.
 */
export class EngineOwner {
  #stopServing: (() => Promise<void>) | null = null;
  #grace: Timer | null = null;
  #reached: LastReached = { bootId: null, at: null };
  /** When the engine was last reached before it started again, until the calls that went with it are ended. */
  #diedAt: Date | null = null;
  readonly #regular: PeriodicWork[] = [];
  #running = false;
  #connected = false;
  #tellCaughtUp!: () => void;
  /** Resolves when the engine is connected, its calls are taken over, and it knows all softphones and trunks, for the first time. */
  readonly caughtUp = new Promise<void>((resolve) => (this.#tellCaughtUp = resolve));

  constructor(private readonly options: OwnerOptions) {}

  /**
   * The lease is held: start. Resolves once commands are served; the engine may connect later.
   * @param reached by whoever owned it before
   */
  async start(reached: LastReached): Promise<void> {
    const { engine, engineId, bus, controller } = this.options;
    this.#running = true;
    this.#reached = reached;
    this.#stopServing = await bus.serve(engineId, (command) => controller.command(command));
    this.#startGrace();
    engine.start((event) => this.#onEvent(event));
    this.#every(SYNC_EVERY_MS, () => this.#whenUp(() => this.options.provisioning.sync()));
    this.#every(SWEEP_EVERY_MS, () => this.#whenUp(() => controller.sweep()));
  }

  /** The lease had run out and is held again: catch up with what the engine did meanwhile. */
  async leaseRegained(): Promise<void> {
    const { bootId } = this.options.engine.status;
    await this.#whenUp(() => this.#catchUp(bootId));
  }

  /** Softphones or trunks were changed: bring the engine up to date now. */
  async configurationChanged(): Promise<void> {
    await this.#whenUp(() => this.options.provisioning.sync());
  }

  /** Stop commanding; calls in the engine go on. A repeat does nothing. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#grace?.cancel();
    // Not waited for: what is under way may be waiting for the engine, which is stopped last.
    for (const regular of this.#regular) void regular.stop();
    await this.#stopServing?.();
    await this.options.controller.stop();
    await this.options.engine.stop();
  }

  #onEvent(event: EngineEvent): void {
    const { controller, log, lease } = this.options;
    if (event.type === 'engine.connected') {
      log.info({ version: event.version, bootId: event.bootId }, 'the engine is connected');
      this.#grace?.cancel();
      this.#grace = null;
      this.#noteStart(event.bootId);
      this.#inBackground(() => this.#takeOver(event.bootId));
      this.#inBackground(() => lease.renew());
    } else if (event.type === 'engine.unreachable') {
      log.warn({ reason: event.reason }, 'the engine cannot be reached; its calls are waited for');
      this.#noteLoss();
      this.#startGrace();
      this.#inBackground(() => lease.renew());
    } else if (event.type === 'registration.changed') {
      this.options.registrations.note(event);
    }
    controller.handle(event);
  }

  /** The first word of an outage tells when; further ones only why. */
  #noteLoss(): void {
    if (this.#connected) this.#reached = { bootId: this.options.engine.status.bootId, at: this.options.clock.now() };
    this.#connected = false;
  }

  #noteStart(bootId: string): void {
    const { bootId: before, at } = this.#reached;
    if (before !== null && before !== bootId) this.#diedAt ??= at;
    this.#reached = { bootId, at: null };
    this.#connected = true;
  }

  async #takeOver(bootId: string): Promise<void> {
    this.options.provisioning.forget();
    await this.#catchUp(bootId);
  }

  /** The live calls first, then softphones and trunks; both are repeated until they succeed. */
  async #catchUp(bootId: string | null): Promise<void> {
    const { controller, engine, provisioning, registrations, clock, log } = this.options;
    while (this.#running && engine.status.bootId === bootId && engine.status.status === 'up') {
      try {
        await controller.adopt(this.#diedAt);
        this.#diedAt = null;
        await provisioning.sync();
        await registrations.sync();
        this.#tellCaughtUp();
        return;
      } catch (error) {
        log.warn({ err: error }, 'taking over the calls of the engine failed; it is tried again');
        await pause(clock, TAKE_OVER_RETRY_MS);
      }
    }
  }

  #startGrace(): void {
    this.#grace ??= this.options.clock.after(this.options.graceMs, () => {
      this.options.log.error({}, 'the engine did not come back in time; its calls are taken as over');
      this.#inBackground(() => this.options.controller.giveUp());
    });
  }

  async #whenUp(work: () => Promise<void>): Promise<void> {
    if (this.options.engine.status.status === 'up') await work();
  }

  #every(everyMs: number, work: () => Promise<void>): void {
    const { clock, log } = this.options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'a regular task of the engine failed');
    const regular = new PeriodicWork({ work, everyMs, clock, onFailure });
    this.#regular.push(regular);
    regular.start();
  }

  #inBackground(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.options.log.error({ err: error }, 'following the engine failed'));
  }
}
