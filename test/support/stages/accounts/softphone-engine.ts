import type { Database } from '../../../../core/data/database.js';
import { Agents } from '../../../../core/data/repositories/accounts/agents.js';
import { Engines } from '../../../../core/data/repositories/engines/engines.js';
import { WebSessions } from '../../../../core/data/repositories/web-calling/sessions.js';
import { CommandTimeout, type CommandBus, type CommandHandler } from '../../../../core/ports/command-bus.js';
import { systemClock } from '../../../../core/ports/clock.js';
import type { EngineError } from '../../../../core/ports/engine.js';
import type { Softphone } from '../../../../core/ports/engine/peers.js';
import { EngineOwner } from '../../../../core/services/engine-ownership/engine-owner.js';
import { Provisioning } from '../../../../core/services/engine-ownership/provisioning.js';
import { SimulatorEngine } from '../../../../engine/simulator/simulator-engine.js';
import { TEST_CIPHER } from '../../cipher.js';
import { quiet } from '../../logger.js';

/** Carries commands within this process. An engine without a handler has no owner. */
export class LocalBus implements CommandBus {
  readonly #handlers = new Map<string, CommandHandler>();

  async send(...[engineId, command]: Parameters<CommandBus['send']>): ReturnType<CommandBus['send']> {
    const handler = this.#handlers.get(engineId);
    if (handler === undefined) throw new CommandTimeout(`engine ${engineId} has no owner`, false);
    return handler(command);
  }

  serve(engineId: string, handler: CommandHandler): Promise<() => Promise<void>> {
    this.#handlers.set(engineId, handler);
    return Promise.resolve(() => {
      this.#handlers.delete(engineId);
      return Promise.resolve();
    });
  }

  /** No engine has an owner any more. */
  close(): Promise<void> {
    this.#handlers.clear();
    return Promise.resolve();
  }
}

/** A simulated engine that counts as one for telephones, with its owner: it has the softphones of all agents. */
export class SoftphoneEngine {
  /** By SIP user name. */
  readonly softphones = new Map<string, Softphone>();
  refusal: EngineError | null = null;

  private constructor(
    private readonly engine: SimulatorEngine,
    private readonly owner: EngineOwner,
  ) {}

  static async start(db: Database, bus: CommandBus, name: string): Promise<SoftphoneEngine> {
    const { id: engineId } = await new Engines(db).upsert(name, 'asterisk');
    const clock = systemClock;
    const engine = new SimulatorEngine({ clock });
    const agents = new Agents(db);
    const tables = {
      agents: () => agents.list(),
      browsers: () => new WebSessions(db).phones(clock.now()),
      trunks: () => Promise.resolve([]),
      peers: () => Promise.resolve([]),
    };
    const done = (): Promise<void> => Promise.resolve();
    const owner = new EngineOwner({
      ...{ engineId, engine, bus, clock, log: quiet, graceMs: 60_000 },
      provisioning: new Provisioning(engine, tables, TEST_CIPHER, quiet),
      controller: {
        handle: () => undefined,
        command: () => Promise.resolve({ result: 'not_active' }),
        ...{ adopt: done, sweep: done, giveUp: done, stop: done },
      },
      registrations: { sync: done, note: () => undefined },
      takeText: done,
      lease: { mayCommand: true, renew: done },
    });
    const made = new SoftphoneEngine(engine, owner);
    const { registrations } = engine;
    const [put, remove] = [registrations.put.bind(registrations), registrations.remove.bind(registrations)];
    registrations.put = async (softphone) => {
      if (made.refusal) throw made.refusal;
      await put(softphone);
      made.softphones.set(softphone.aor, softphone);
    };
    registrations.remove = async (aor) => {
      await remove(aor);
      made.softphones.delete(aor);
    };
    await owner.start({ bootId: null, at: null });
    await owner.caughtUp;
    return made;
  }

  /** Compares the engine with the tables, as every few seconds. */
  sync(): Promise<void> {
    return this.owner.configurationChanged();
  }

  async stop(): Promise<void> {
    await this.owner.stop();
  }
}
