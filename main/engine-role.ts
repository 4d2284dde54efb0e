import type { EngineRow } from '../core/data/rows.js';
import type { ProgramFactory, Prompts } from '../core/services/call-state/program.js';
import { PeriodicWork } from '../core/services/runtime/periodic-work.js';
import type { FlowDeps } from '../ivr/flow/deps.js';
import { programFactory, type CodePrograms, type VoicemailPrograms } from '../ivr/programs/index.js';
import { keepCelSmall } from './cel-rotation.js';
import { EngineDefinitions, type DefinitionOptions } from './engine-definitions.js';
import { OwnedEngine } from './owned-engine.js';
import type { Queueing } from './queues.js';
import { Sharing } from './share.js';
import type { EngineDefinition, OwnedEngineOptions } from './tenure.js';

export interface EngineRoleOptions
  extends DefinitionOptions, Omit<OwnedEngineOptions, 'programs' | 'consent' | 'stores' | 'cipher' | 'clock' | 'log'> {
  readonly prompts: Prompts;
  readonly queues: Queueing;
  readonly codes: CodePrograms;
  readonly voicemail: VoicemailPrograms;
  readonly flows: FlowDeps;
  /** What calls do, instead of the platform's own programs: for measurements. */
  readonly programs?: (own: ProgramFactory) => ProgramFactory;
}

/** How often it is looked whether engines were added, changed or removed without a word, and whether another process has too few. */
const LOOK_EVERY_MS = 5_000;
const SHARE_EVERY_MS = 2_000;

/** An engine in this process's hands, and what it was made of. */
interface Held {
  readonly owned: OwnedEngine;
  readonly fingerprint: string;
}

/**
 * Owns the engines of this installation, as far as other processes do not: the Asterisk of the settings where they name one, those that were
 * added by command, and the simulator that serves the sandbox.
 */
export class EngineRole {
  /** Added by command, by id. */
  readonly #managed = new Map<string, Held>();
  readonly #regular: readonly PeriodicWork[];
  readonly #rebalancer: Sharing;
  /** Engines that no longer fit what the database says of them, on their way out. */
  #looking: Promise<void> = Promise.resolve();
  #stopping = false;

  private constructor(
    private readonly options: OwnedEngineOptions,
    private readonly definitions: EngineDefinitions,
    private readonly fixed: readonly OwnedEngine[],
    private readonly stopRotation: () => void,
  ) {
    const { clock, log } = options;
    this.#rebalancer = new Sharing({ countOf: (owner) => options.stores.engines.countOf(owner), log });
    const every = (everyMs: number, work: () => Promise<void>): PeriodicWork => {
      const onFailure = (err: unknown): void => log.warn({ err }, 'looking after the engines failed');
      const regular = new PeriodicWork({ work, everyMs, clock, onFailure });
      regular.start();
      return regular;
    };
    this.#regular = [every(LOOK_EVERY_MS, () => this.#look()), every(SHARE_EVERY_MS, () => this.#share())];
  }

  /** Resolves when each engine was asked for once; it may connect later. */
  static async start(options: EngineRoleOptions): Promise<EngineRole> {
    const { prompts, queues, voicemail, codes, flows, cel, clock, log } = options;
    const { consent } = queues;
    const own = programFactory(prompts, queues, voicemail, codes, flows);
    const owning = { ...options, programs: options.programs?.(own) ?? own, consent };
    const definitions = new EngineDefinitions(options);
    const start = async (definition: Promise<EngineDefinition>): Promise<OwnedEngine> =>
      OwnedEngine.start(await definition, owning);
    const named = options.ari === null ? [] : [definitions.ofSettings(options.ari)];
    const fixed = await Promise.all([...named, definitions.sandbox()].map(start));
    const stopRotation = cel?.isEmbedded === true ? keepCelSmall(cel.file, clock, log) : () => undefined;
    const role = new EngineRole(owning, definitions, fixed, stopRotation);
    await role.#look();
    return role;
  }

  /** Calls that a stop waits for. */
  get liveCalls(): number {
    return this.#real.reduce((sum, engine) => sum + engine.liveCalls, 0);
  }

  /** Whether this process owns all engines and is connected to them. */
  get isUp(): boolean {
    return this.#all.every((engine) => engine.isUp);
  }

  /** Resolves when the engines of this process know every softphone and trunk that there is now, and after so long in any case. */
  async knowsAll(limitMs: number): Promise<void> {
    await Promise.all(this.#all.map((engine) => engine.knowsAll(limitMs)));
  }

  /** Softphones, trunks, numbers or engines were changed. */
  async configurationChanged(): Promise<void> {
    this.options.stores.directory.forget();
    await this.#look();
    await Promise.all(this.#all.map((engine) => engine.configurationChanged()));
  }

  /** Wait no longer for engines that are another's, and look for no others. */
  async standDown(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#regular.map((regular) => regular.stop()));
    await this.#looking;
    await Promise.all(this.#all.map((engine) => engine.standDown()));
  }

  /** Whether others own the engines that were given back, within so long. */
  async isTaken(limitMs: number): Promise<boolean> {
    return (await Promise.all(this.#real.map((engine) => engine.isTaken(limitMs)))).every((taken) => taken);
  }

  /**
   * Whether other processes own or wait for all the engines that this one owns and that outlive it; where it owns none, whether one of them
   * is another's.
   */
  async isShared(): Promise<boolean> {
    const owned = this.#real.filter((engine) => engine.isOwned);
    const looked = owned.length > 0 ? owned : this.#real;
    const shared = await Promise.all(looked.map((engine) => engine.isShared()));
    return owned.length > 0 ? shared.every((is) => is) : shared.some((is) => is);
  }

  /** Take no new calls and let the live ones end for so long; the sandbox is not waited for. @returns how many are left. */
  async drain(waitMs: number): Promise<number> {
    const left = await Promise.all(
      this.#all.map(async (engine) => {
        const live = await engine.drain(engine.outlivesProcess ? waitMs : 0);
        return engine.outlivesProcess ? live : 0;
      }),
    );
    return left.reduce((sum, live) => sum + live, 0);
  }

  /** Hang up whatever is still live, except where another process waits for it. */
  async hangUpAll(): Promise<void> {
    await hangUp(this.#real);
  }

  /** The same in the engine of the settings only, for when it is about to be stopped too. */
  async hangUpEmbedded(): Promise<void> {
    await hangUp(this.fixed.filter((engine) => engine.outlivesProcess));
  }

  /** Give the engines back; calls in them go on and are taken over by the next owner. */
  async stop(): Promise<void> {
    this.stopRotation();
    await this.standDown();
    await Promise.all(this.#all.map((engine) => engine.stop()));
  }

  get #all(): readonly OwnedEngine[] {
    return [...this.fixed, ...[...this.#managed.values()].map(({ owned }) => owned)];
  }

  get #real(): readonly OwnedEngine[] {
    return this.#all.filter((engine) => engine.outlivesProcess);
  }

  /** One look after another. */
  #look(): Promise<void> {
    const looked = this.#looking.then(() => this.#follow());
    this.#looking = looked.catch(() => undefined);
    return looked;
  }

  /** Take up what was added, let go of what was removed, and both for what was changed. */
  async #follow(): Promise<void> {
    if (this.#stopping) return;
    const rows = await this.options.stores.engines.list();
    const managed = new Map(rows.filter((row) => row.managed).map((row) => [row.id, row]));
    for (const [id, held] of this.#managed) {
      const row = managed.get(id);
      if (row && fingerprintOf(row) === held.fingerprint) continue;
      this.#managed.delete(id);
      await held.owned.stop();
    }
    for (const row of managed.values()) if (!this.#managed.has(row.id)) await this.#take(row);
    const draining = new Set(rows.filter((row) => row.draining).map(({ id }) => id));
    for (const engine of this.#all) engine.close(draining.has(engine.engineId));
  }

  async #take(row: EngineRow): Promise<void> {
    const definition = this.definitions.managed(row);
    if (!definition) {
      this.options.log.warn({ engine: row.name, kind: row.kind }, 'this version cannot drive the engine');
      return;
    }
    const owned = await OwnedEngine.start(definition, this.options);
    this.#managed.set(row.id, { owned, fingerprint: fingerprintOf(row) });
  }

  /** An engine too many goes to a process that waits for it. */
  async #share(): Promise<void> {
    if (!this.#stopping) await this.#rebalancer.passOne(this.#real);
  }
}

async function hangUp(engines: readonly OwnedEngine[]): Promise<void> {
  await Promise.all(engines.map(async (engine) => (await engine.isShared()) || engine.hangUpAll()));
}

/** What an engine is made of; another makes it another engine. */
function fingerprintOf({ kind, address, password, sip_host, sip_port }: EngineRow): string {
  return JSON.stringify([kind, address, password, sip_host, sip_port]);
}
