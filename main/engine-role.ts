import { join } from 'node:path';
import type { Cipher } from '../core/model/cipher.js';
import type { Clock } from '../core/ports/clock.js';
import type { CommandBus } from '../core/ports/command-bus.js';
import type { Logger } from '../core/ports/logger.js';
import type { JournalShelf } from '../core/ports/journal.js';
import type { ProgramFactory, Prompts } from '../core/services/calls/program.js';
import { DirectoryRouting } from '../core/services/routing/destinations.js';
import { RecordingConsent } from '../core/services/recordings/consent.js';
import { SandboxRouting } from '../core/services/sandbox/routing.js';
import { CelRecords } from '../engine/asterisk/cel-records.js';
import { entityIdOf } from '../engine/asterisk/engine-link.js';
import { AsteriskEngine } from '../engine/asterisk/asterisk-engine.js';
import { SimulatorEngine } from '../engine/simulator/simulator-engine.js';
import { programFactory } from '../ivr/programs/index.js';
import { keepCelSmall } from './cel-rotation.js';
import type { PlatformMetrics } from './metrics.js';
import { OwnedEngine } from './owned-engine.js';
import type { Parts } from './parts.js';
import type { Stores } from './stores.js';
import type { EngineDefinition, OwnedEngineOptions } from './tenure.js';

export interface EngineRoleOptions {
  readonly ari: Parts['ari'];
  readonly cel: Parts['cel'];
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly bus: CommandBus;
  readonly prompts: Prompts;
  readonly metrics: Pick<PlatformMetrics, 'calls' | 'journal' | 'recordings'>;
  readonly shelf: JournalShelf;
  readonly recordings: OwnedEngineOptions['recordings'];
  readonly emergency: ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Folder for generated sounds that the engine sees at the same path. */
  readonly mediaDir: string;
  readonly graceMs: number;
  /** What calls do, instead of the platform's own programs: for measurements. */
  readonly programs?: ProgramFactory;
}

/** Owns the engines of this installation: Asterisk, and the simulator that serves the sandbox. */
export class EngineRole {
  private constructor(
    private readonly stores: Stores,
    private readonly engines: readonly OwnedEngine[],
    private readonly stopRotation: () => void,
  ) {}

  /** Resolves when each engine was asked for once; it may connect later. */
  static async start(options: EngineRoleOptions): Promise<EngineRole> {
    const { prompts, programs = programFactory(prompts), ...rest } = options;
    const consent = new RecordingConsent({
      project: (projectId) => options.stores.directory.project(projectId),
      say: (text, language) => prompts.say(text, language),
    });
    const engines = await Promise.all(
      [asterisk(options), sandbox(options)].map((definition) =>
        OwnedEngine.start(definition, { ...rest, programs, consent }),
      ),
    );
    const { cel, clock, log } = options;
    return new EngineRole(
      options.stores,
      engines,
      cel?.isOurs === true ? keepCelSmall(cel.file, clock, log) : () => undefined,
    );
  }

  /** Calls that a stop waits for. */
  get liveCalls(): number {
    return this.#real.reduce((sum, engine) => sum + engine.liveCalls, 0);
  }

  /** Whether this process owns all engines and is connected to them. */
  get isUp(): boolean {
    return this.engines.every((engine) => engine.isUp);
  }

  /** Softphones, trunks or numbers were changed. */
  async configurationChanged(): Promise<void> {
    this.stores.directory.forget();
    await Promise.all(this.engines.map((engine) => engine.configurationChanged()));
  }

  /** Wait no longer for engines that are another's. */
  async standDown(): Promise<void> {
    await Promise.all(this.engines.map((engine) => engine.standDown()));
  }

  /** Whether others own the engines that were given back, within so long. */
  async isTaken(limitMs: number): Promise<boolean> {
    return (await Promise.all(this.#real.map((engine) => engine.isTaken(limitMs)))).every((taken) => taken);
  }

  /** Whether another process owns the engines that outlive this one, or waits to take them over. */
  async isShared(): Promise<boolean> {
    return (await Promise.all(this.#real.map((engine) => engine.isShared()))).some((shared) => shared);
  }

  /** Take no new calls and let the live ones end for so long; the sandbox is not waited for. @returns how many are left. */
  async drain(waitMs: number): Promise<number> {
    const left = await Promise.all(
      this.engines.map(async (engine) => {
        const live = await engine.drain(engine.outlivesProcess ? waitMs : 0);
        return engine.outlivesProcess ? live : 0;
      }),
    );
    return left.reduce((sum, live) => sum + live, 0);
  }

  /** Hang up whatever is still live, for when the engines are about to be stopped too. */
  async hangUpAll(): Promise<void> {
    await Promise.all(this.#real.map((engine) => engine.hangUpAll()));
  }

  /** Give the engines back; calls in them go on and are taken over by the next owner. */
  async stop(): Promise<void> {
    this.stopRotation();
    await Promise.all(this.engines.map((engine) => engine.stop()));
  }

  get #real(): readonly OwnedEngine[] {
    return this.engines.filter((engine) => engine.outlivesProcess);
  }
}

function asterisk({ ari, cel, stores, metrics, clock, log, mediaDir }: EngineRoleOptions): EngineDefinition {
  return {
    name: 'asterisk',
    kind: 'asterisk',
    open: () =>
      new AsteriskEngine({
        url: ari.url,
        username: ari.user,
        password: ari.password,
        codecs: ari.codecs,
        soundDir: join(mediaDir, 'sounds'),
        logger: log,
        clock,
      }),
    routing: new DirectoryRouting(stores.directory),
    provisioned: { agents: () => stores.agents.list(), trunks: () => stores.trunks.list() },
    metrics: metrics.calls,
    journal: metrics.journal('asterisk'),
    ...(cel && {
      detail: (engine) => {
        const entityId = (): string | null => engine.status.bootId && entityIdOf(engine.status.bootId);
        return new CelRecords({ ...cel, entityId, log });
      },
    }),
    recorded: metrics.recordings('asterisk'),
    outlivesProcess: true,
  };
}

/** No telephony: calls of sandbox keys live in this process and end with it. */
function sandbox({ metrics, clock }: EngineRoleOptions): EngineDefinition {
  return {
    name: 'sandbox',
    kind: 'simulator',
    open: () => new SimulatorEngine({ clock }),
    routing: new SandboxRouting(),
    provisioned: { agents: () => Promise.resolve([]), trunks: () => Promise.resolve([]) },
    // What is counted is real traffic, except for faults.
    metrics: {
      illegalMove: (from, to) => metrics.calls.illegalMove(from, to),
      finished: () => undefined,
      live: () => undefined,
    },
    journal: metrics.journal('sandbox'),
    recorded: { waiting: () => undefined },
    outlivesProcess: false,
  };
}
