import { ENGINE_KINDS } from '../../model/engine-kinds.js';
import type { ReceivedText } from '../../model/messaging/softphone-text.js';
import { pause, type Clock, type Timer } from '../../ports/clock.js';
import type {
  CommandBus,
  CommandOutcome,
  EngineCommand,
  SoftphoneCommand,
  TextCommand,
} from '../../ports/command-bus.js';
import { EngineError, type Engine, type EngineErrorKind } from '../../ports/engine.js';
import type { EngineEvent } from '../../ports/engine-events.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';
import type { CallController } from '../live-calls/controller/call-controller.js';
import type { EngineLease } from './lease.js';
import type { Provisioning } from './provisioning.js';
import type { RegistrationRecorder } from './registration-recorder.js';

export interface OwnerOptions {
  readonly engineId: string;
  readonly engine: Engine;
  readonly lease: Pick<EngineLease, 'mayCommand' | 'renew'>;
  readonly controller: Pick<CallController, 'handle' | 'command' | 'adopt' | 'sweep' | 'giveUp' | 'stop'>;
  readonly provisioning: Provisioning;
  readonly registrations: Pick<RegistrationRecorder, 'note' | 'sync'>;
  /** Stores what softphones send. */
  readonly takeText: (text: ReceivedText) => Promise<void>;
  readonly bus: Pick<CommandBus, 'serve'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long to wait for a lost engine to return before its calls are ended. */
  readonly graceMs: number;
}

/** When the engine was last reached, and the boot id that it had then. */
export interface LastReached {
  readonly bootId: string | null;
  readonly at: Date | null;
}

/** How often to compare the tables with the engine, and to look for placed calls that were not announced. */
const SYNC_EVERY_MS = 5_000;
const SWEEP_EVERY_MS = 1_000;
const TAKE_OVER_RETRY_MS = 2_000;
/** The engine did not answer, which is no refusal. */
const AWAY: readonly EngineErrorKind[] = ['unreachable', 'timeout'];

/**
 * Commands one engine during one session, that is while the lease is held: connects, synchronizes softphones and
 * trunks, takes over live calls and serves commands. It does not acquire the lease. If the engine becomes unreachable,
 * its calls are kept for the grace time.
 */
export class EngineOwner {
  #stopServing: (() => Promise<void>) | null = null;
  #grace: Timer | null = null;
  #reached: LastReached = { bootId: null, at: null };
  /** When the engine was last reached before it restarted; kept until the calls that it lost have been ended. */
  #diedAt: Date | null = null;
  /** The boot id of the engine when it had all softphones and trunks. */
  #readyBootId: string | null = null;
  readonly #regular: PeriodicWork[] = [];
  #running = false;
  #connected = false;
  #resolveCaughtUp!: () => void;
  /**
   * Resolves when, for the first time, the engine is connected, its calls are taken over and all softphones and trunks
   * are synchronized.
   */
  readonly caughtUp = new Promise<void>((resolve) => (this.#resolveCaughtUp = resolve));

  constructor(private readonly options: OwnerOptions) {}

  /**
   * True if the engine is connected and has all softphones and trunks: from this owner, or, if the engine has not
   * restarted since, from an earlier one.
   */
  get isReady(): boolean {
    const { status, bootId } = this.options.engine.status;
    return status === 'up' && bootId === this.#readyBootId;
  }

  /**
   * Called when the lease is acquired. Resolves once commands are served; the engine may connect later.
   * @param reached as recorded by the previous owner, who recorded the boot id of an engine that was ready
   */
  async start(reached: LastReached): Promise<void> {
    const { engine, engineId, bus, controller } = this.options;
    this.#running = true;
    this.#reached = reached;
    this.#readyBootId = reached.bootId;
    this.#stopServing = await bus.serve(engineId, (command) => this.#command(command));
    this.#startGrace();
    engine.start((event) => this.#onEvent(event));
    this.#every(SYNC_EVERY_MS, () => this.#whenUp(() => this.options.provisioning.sync()));
    this.#every(SWEEP_EVERY_MS, () => this.#whenUp(() => controller.sweep()));
  }

  /** Called when the lease is held again after it had lapsed: catches up with what the engine did in the meantime. */
  async leaseRegained(): Promise<void> {
    const { bootId } = this.options.engine.status;
    await this.#whenUp(() => this.#catchUp(bootId));
  }

  /** Called when softphones or trunks changed: synchronizes the engine now. */
  async configurationChanged(): Promise<void> {
    await this.#whenUp(() => this.options.provisioning.sync());
  }

  /** Stops commanding the engine; its calls continue. Calling it again does nothing. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#grace?.cancel();
    // Not awaited: running work may be waiting for the engine, which is stopped last.
    for (const regular of this.#regular) void regular.stop();
    await this.#stopServing?.();
    await this.options.controller.stop();
    await this.options.engine.stop();
  }

  #onEvent(event: EngineEvent): void {
    const { controller, log, lease } = this.options;
    if (event.type === 'engine.connected') {
      log.info({ version: event.version, bootId: event.bootId }, 'engine connected');
      this.#grace?.cancel();
      this.#grace = null;
      this.#noteStart(event.bootId);
      this.#inBackground(() => this.#takeOver(event.bootId));
      this.#inBackground(() => lease.renew());
    } else if (event.type === 'engine.unreachable') {
      log.warn({ reason: event.reason }, 'engine unreachable; keeping its calls for the grace time');
      this.#noteLoss();
      this.#startGrace();
      this.#inBackground(() => lease.renew());
    } else if (event.type === 'registration.changed') {
      this.options.registrations.note(event);
    } else if (event.type === 'text.received') {
      this.#inBackground(() => this.options.takeText(event));
    }
    controller.handle(event);
  }

  #command(command: EngineCommand): Promise<CommandOutcome> {
    switch (command.type) {
      case 'accept_softphone':
        return this.#acceptSoftphone(command);
      case 'send_text':
        return this.#sendText(command);
      default:
        return this.options.controller.command(command);
    }
  }

  /** Whether the engine accepts the softphone of an agent that is about to be stored. */
  async #acceptSoftphone(command: SoftphoneCommand): Promise<CommandOutcome> {
    const { engine, lease, provisioning } = this.options;
    if (!lease.mayCommand || engine.status.status !== 'up') return { result: 'not_controllable' };
    try {
      const { aor, displayName, password, isBrowser = false } = command;
      await provisioning.accept({ aor, display_name: displayName, sip_password: password }, isBrowser);
      return { result: 'done' };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (AWAY.includes(error.kind)) return { result: 'not_controllable' };
      return { result: 'engine_refused', kind: error.kind, message: error.message };
    }
  }

  async #sendText({ aor, from, body }: TextCommand): Promise<CommandOutcome> {
    const { engine, lease } = this.options;
    if (!lease.mayCommand) return { result: 'not_controllable' };
    try {
      return { result: 'text', text: await engine.texts.send({ aor, from, body }) };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.kind === 'unreachable') return { result: 'not_controllable' };
      return { result: 'engine_refused', kind: error.kind, message: error.message };
    }
  }

  /** Only the first event of an outage sets the time. */
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

  /**
   * Adopts the live calls, then synchronizes softphones and trunks; retries until both succeed. Trunks are pushed
   * before, because FreeSWITCH identifies callers by them. So are the softphones of an engine that fetches them: it keeps
   * none, and the calls that are adopted may ring some, or come from some.
   */
  async #catchUp(bootId: string | null): Promise<void> {
    const { controller, engine, provisioning, registrations, lease, clock, log } = this.options;
    while (this.#running && engine.status.bootId === bootId && engine.status.status === 'up') {
      try {
        const keepsNone = ENGINE_KINDS[engine.kind]?.fetchesConfiguration === true;
        await (keepsNone ? provisioning.sync() : provisioning.pushTrunks());
        await controller.adopt(this.#diedAt);
        this.#diedAt = null;
        await provisioning.sync();
        await registrations.sync();
        this.#readyBootId = bootId;
        this.#inBackground(() => lease.renew());
        this.#resolveCaughtUp();
        return;
      } catch (error) {
        log.warn({ err: error }, 'failed to take over the calls of the engine; will retry');
        await pause(clock, TAKE_OVER_RETRY_MS);
      }
    }
  }

  #startGrace(): void {
    this.#grace ??= this.options.clock.after(this.options.graceMs, () => {
      this.options.log.error({}, 'the engine did not return within the grace time; ending its calls');
      this.#inBackground(() => this.options.controller.giveUp(this.#reached.at));
    });
  }

  async #whenUp(work: () => Promise<void>): Promise<void> {
    if (this.options.engine.status.status === 'up') await work();
  }

  #every(everyMs: number, work: () => Promise<void>): void {
    const { clock, log } = this.options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'a periodic task of the engine failed');
    const regular = new PeriodicWork({ work, everyMs, clock, onFailure });
    this.#regular.push(regular);
    regular.start();
  }

  #inBackground(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.options.log.error({ err: error }, 'handling an engine event failed'));
  }
}
