import type { EngineRow } from '../../core/data/rows.js';
import type { ProgramFactory, Prompts } from '../../core/services/call-state/program.js';
import { PeriodicWork } from '../../core/services/runtime/periodic-work.js';
import type { FlowDeps } from '../../ivr/flow/deps.js';
import { programFactory, type CodePrograms, type VoicemailPrograms } from '../../ivr/programs/index.js';
import { keepCelSmall } from './cel-rotation.js';
import { EngineDefinitions, type DefinitionOptions } from './engine-definitions.js';
import { OwnedEngine } from './owned-engine.js';
import type { Queueing } from '../wiring/queues.js';
import { EngineRebalancer } from './engine-rebalancer.js';
import type { EngineDefinition, OwnershipOptions } from './engine-definition.js';

export interface EngineRoleOptions
  extends DefinitionOptions, Omit<OwnershipOptions, 'programs' | 'consent' | 'stores' | 'cipher' | 'clock' | 'log'> {
  readonly prompts: Prompts;
  readonly queues: Queueing;
  readonly codes: CodePrograms;
  readonly voicemail: VoicemailPrograms;
  readonly flows: FlowDeps;
  /** For measurements: replaces the programs of calls. */
  readonly programs?: (own: ProgramFactory) => ProgramFactory;
}

/** How often the table of engines is checked for changes that were not announced, and the engines are rebalanced. */
const FOLLOW_EVERY_MS = 5_000;
const SHARE_EVERY_MS = 2_000;

/** An engine that an operator added, and the columns from which it was opened. */
interface Held {
  readonly owned: OwnedEngine;
  readonly fingerprint: string;
}

/**
 * All engines that this process may own: the Asterisk of the settings, if they name one, the engines that operators
 * added, and the simulator of the sandbox. Follows the table of engines, and hands engines to processes that own fewer.
 * Each engine is an {@link OwnedEngine}, which competes for the lease of its engine; each acquisition starts an
 * EngineSession.
 */
export class EngineRole {
  /** Engines that operators added, by id. */
  readonly #managed = new Map<string, Held>();
  readonly #regular: readonly PeriodicWork[];
  readonly #rebalancer: EngineRebalancer;
  /** Resolves when the last comparison with the table of engines has ended. */
  #comparison: Promise<void> = Promise.resolve();
  #stopping = false;
  #stopped: Promise<void> | null = null;

  private constructor(
    private readonly options: OwnershipOptions,
    private readonly definitions: EngineDefinitions,
    private readonly fixed: readonly OwnedEngine[],
    private readonly stopRotation: () => void,
  ) {
    const { clock, log } = options;
    this.#rebalancer = new EngineRebalancer({ countOf: (owner) => options.stores.engines.countOf(owner), log });
    const every = (everyMs: number, work: () => Promise<void>): PeriodicWork => {
      const onFailure = (err: unknown): void => log.warn({ err }, 'following the table of engines failed');
      const regular = new PeriodicWork({ work, everyMs, clock, onFailure });
      regular.start();
      return regular;
    };
    this.#regular = [every(FOLLOW_EVERY_MS, () => this.#compare()), every(SHARE_EVERY_MS, () => this.#share())];
  }

  /** Resolves when each lease was requested once; engines may connect later. */
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
    await role.#compare();
    return role;
  }

  /** Number of calls that a stop waits for. */
  get liveCalls(): number {
    return this.#real.reduce((sum, engine) => sum + engine.liveCalls, 0);
  }

  /** Number of live calls that this process took over with its engines, without those of the sandbox. */
  get adoptedCalls(): number {
    return this.#real.reduce((sum, engine) => sum + engine.adoptedCalls, 0);
  }

  /** True if this process owns all engines, which are connected and have all softphones and trunks. */
  get isReady(): boolean {
    return this.#all.every((engine) => engine.isReady);
  }

  /** Resolves when this process's engines have all current softphones and trunks, or after `limitMs`. */
  async knowsAll(limitMs: number): Promise<void> {
    await Promise.all(this.#all.map((engine) => engine.knowsAll(limitMs)));
  }

  /** Brings the engines up to date after softphones, trunks, numbers or engines were changed. */
  async configurationChanged(): Promise<void> {
    await this.#compare();
    await Promise.all(this.#all.map((engine) => engine.configurationChanged()));
  }

  /** Stops requesting engines that other processes own, and stops following the table. */
  async standDown(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#regular.map((regular) => regular.stop()));
    await this.#comparison;
    await Promise.all(this.#all.map((engine) => engine.standDown()));
  }

  /** Waits up to `limitMs` for other processes to own the released engines. @returns true if they do */
  async isTaken(limitMs: number): Promise<boolean> {
    return (await Promise.all(this.#real.map((engine) => engine.isTaken(limitMs)))).every((taken) => taken);
  }

  /**
   * True if other processes wait for all the engines that this one owns and that outlive it; if it owns none, true if
   * another process owns or waits for one.
   */
  async isShared(): Promise<boolean> {
    const owned = this.#real.filter((engine) => engine.isOwned);
    const relevant = owned.length > 0 ? owned : this.#real;
    const shared = await Promise.all(relevant.map((engine) => engine.isShared()));
    return owned.length > 0 ? shared.every((is) => is) : shared.some((is) => is);
  }

  /**
   * Accepts no new calls and waits up to `waitMs` for live ones to end, except those of the sandbox.
   * @returns the number of calls still live
   */
  async drain(waitMs: number): Promise<number> {
    const left = await Promise.all(
      this.#all.map(async (engine) => {
        const live = await engine.drain(engine.outlivesProcess ? waitMs : 0);
        return engine.outlivesProcess ? live : 0;
      }),
    );
    return left.reduce((sum, live) => sum + live, 0);
  }

  /** Hangs up all live calls, except on engines that another process waits for. */
  async hangUpAll(): Promise<void> {
    await hangUp(this.#real);
  }

  /** Like {@link hangUpAll}, but only on the engine of the settings, before it is stopped too. */
  async hangUpEmbedded(): Promise<void> {
    await hangUp(this.fixed.filter((engine) => engine.outlivesProcess));
  }

  /**
   * Releases the engines. Their calls continue, and the next owner takes them over. A repeated call waits for the first
   * one.
   */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
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

  /** Compares with the table, one comparison after another. */
  #compare(): Promise<void> {
    const compared = this.#comparison.then(() => this.#follow());
    this.#comparison = compared.catch(() => undefined);
    return compared;
  }

  /** Opens added engines, closes removed ones, and reopens changed ones. */
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
      this.options.log.warn({ engine: row.name, kind: row.kind }, 'this version cannot use engines of this kind');
      return;
    }
    const owned = await OwnedEngine.start(definition, this.options);
    this.#managed.set(row.id, { owned, fingerprint: fingerprintOf(row) });
  }

  /** Hands an engine to a process that owns fewer. */
  async #share(): Promise<void> {
    if (!this.#stopping) await this.#rebalancer.passOne(this.#real);
  }
}

async function hangUp(engines: readonly OwnedEngine[]): Promise<void> {
  await Promise.all(engines.map(async (engine) => (await engine.isShared()) || engine.hangUpAll()));
}

/** The columns that define a connection: when they change, the engine is reopened. */
function fingerprintOf({ kind, address, password, sip_host, sip_port }: EngineRow): string {
  return JSON.stringify([kind, address, password, sip_host, sip_port]);
}
