import { LRUCache } from 'lru-cache';
import { DatabaseUnavailable, unlessUnavailable } from '../../data/errors.js';
import type { Agents } from '../../data/repositories/accounts/agents.js';
import type { Callflows } from '../../data/repositories/calls/callflows.js';
import type { FraudDefaultsTable, HighRiskPrefixes } from '../../data/repositories/calls/fraud-defaults.js';
import type { BlockedCallers } from '../../data/repositories/numbers/blocked-callers.js';
import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { Projects } from '../../data/repositories/accounts/projects.js';
import type { Queues } from '../../data/repositories/queues/queues.js';
import type { Registrations, SoftphonePlace } from '../../data/repositories/engines/registrations.js';
import type { TrunkRates } from '../../data/repositories/engines/trunk-rates.js';
import type { TrunkRoutes } from '../../data/repositories/engines/trunk-routes.js';
import type { Trunks } from '../../data/repositories/engines/trunks.js';
import type { RingingBrowser, WebCallee, WebSessions } from '../../data/repositories/web-calling/sessions.js';
import type { VirtualNumbers } from '../../data/repositories/numbers/virtual-numbers.js';
import type {
  AgentRow,
  CallflowRow,
  NumberRow,
  ProjectRow,
  QueueRow,
  TrunkRouteRow,
  TrunkRow,
  VirtualNumberRow,
  WebSessionRow,
} from '../../data/rows.js';
import type { CallerBlock } from '../../model/call/refusal.js';
import { fraudDefaultsOf, type FraudDefaults } from '../../model/fraud/limits.js';
import {
  DEFAULT_BLOCKED_CALLER_ANSWER,
  type BlockedCallerAnswer,
  type BlockedEntry,
} from '../../model/number/blocked-caller.js';
import { isId } from '../../model/ids.js';
import { isWebAor } from '../../model/web-calling.js';
import { atMost } from '../../model/cache-size.js';
import type { MicroSar } from '../../model/money.js';
import { parseNumber } from '../../model/phone-numbers.js';
import { fittingRoutes, orderedTrunks, type TrunkOffer } from '../../model/trunks/choice.js';
import { Batcher } from '../runtime/batcher.js';

/** How long a look-up is cached, unless a change is announced earlier. */
const CACHE_MS = 2_000;
/** How long a cached look-up is used while the database is unavailable: stale data is better than no call at all. */
const STALE_CACHE_MS = 600_000;
const MAX_ENTRIES = 50_000;
/** How many agents one look-up reads. */
const MAX_AGENTS = 200;

/** The trunks, the routes to them, and what they cost. */
export interface Carriers {
  readonly trunks: Pick<Trunks, 'enabled'>;
  readonly routes: Pick<TrunkRoutes, 'inUse'>;
  readonly rates: Pick<TrunkRates, 'of'>;
}

/** What is set against toll fraud beside the limits of projects. */
export interface DiallingGuards {
  readonly fraudDefaults: Pick<FraudDefaultsTable, 'own'>;
  readonly highRiskPrefixes: Pick<HighRiskPrefixes, 'list'>;
}

/**
 * The numbers, agents and trunks by which calls are routed. Look-ups are cached briefly, because the calls of a busy
 * line read the same row hundreds of times a second. While the database is unavailable, older entries are used.
 */
export class CachedDirectory {
  // Wrapped in objects, because the cache cannot hold null.
  readonly #cache = new LRUCache<string, { readonly row: unknown; readonly seenMs: number }>({
    ...atMost(MAX_ENTRIES),
    ttl: STALE_CACHE_MS,
  });

  /** Hundreds of phones register at the same time. The names are those that strangers send. */
  readonly #agentsByAor = new Batcher<string, AgentRow | null>((aors) => this.agents.findByAors(aors), {
    maxItems: MAX_AGENTS,
    isolates: true,
  });
  #changedMs = -Infinity;

  constructor(
    private readonly numbers: Numbers,
    private readonly agents: Agents,
    private readonly carriers: Carriers,
    private readonly projects: Projects,
    private readonly registrations: Registrations,
    private readonly queues: Pick<Queues, 'findByDialCode' | 'getIncludingRemoved' | 'get' | 'findByName'>,
    private readonly virtualNumbers: Pick<VirtualNumbers, 'assigned'>,
    private readonly callflows: Pick<Callflows, 'findActive'>,
    private readonly blockedCallers: Pick<BlockedCallers, 'blockOf' | 'hasAny' | 'answerOf'>,
    private readonly guards: DiallingGuards,
    private readonly webSessions: Pick<WebSessions, 'phone' | 'ringing'>,
  ) {}

  /** Makes the next look-ups read the database again. Entries stay in the cache in case the database is unavailable. */
  invalidate(): void {
    this.#changedMs = performance.now();
  }

  numberByE164(e164: string): Promise<NumberRow | null> {
    return this.#load(`number ${e164}`, () => this.numbers.findByE164(e164));
  }

  isDemoNumber(e164: string): Promise<boolean> {
    return this.#load(`demo number ${e164}`, () => this.numbers.isDemo(e164));
  }

  numberOfAgent(projectId: string, agent: string): Promise<NumberRow | null> {
    return this.#load(`number of ${projectId} ${agent}`, () => this.numbers.findByAgent(projectId, agent));
  }

  /** Null if the number is no longer assigned. */
  virtualNumber(id: string): Promise<VirtualNumberRow | null> {
    return this.#load(`virtual number ${id}`, () => this.virtualNumbers.assigned(id));
  }

  /** The agent of a softphone, or of a browser; null for a browser that is nobody of the project's agents. */
  async agentByAor(aor: string): Promise<AgentRow | null> {
    if (!isWebAor(aor)) return this.#load(`aor ${aor}`, () => this.#agentsByAor.add(aor));
    const session = await this.browser(aor);
    return session && session.agent !== null ? this.agentByExtension(session.project_id, session.agent) : null;
  }

  /** The session of a browser; null if it is over. */
  browser(aor: string): Promise<WebSessionRow | null> {
    return this.#load(`browser ${aor}`, () => this.webSessions.phone(aor, new Date()));
  }

  /** The browser that calls for an agent, or for an identity, ring; null if none is registered. */
  ringingBrowser(projectId: string, of: WebCallee): Promise<RingingBrowser | null> {
    return this.#load(`browser of ${projectId} ${JSON.stringify(of)}`, () =>
      this.webSessions.ringing(projectId, of, new Date()),
    );
  }

  agentByExtension(projectId: string, agent: string): Promise<AgentRow | null> {
    return this.#load(`agent ${projectId} ${agent}`, () => this.agents.findByExtension(projectId, agent));
  }

  project(projectId: string): Promise<ProjectRow | null> {
    return this.#load(`project ${projectId}`, () => this.projects.get(projectId));
  }

  queueByDialCode(projectId: string, dialCode: string): Promise<QueueRow | null> {
    return this.#load(`queue of ${projectId} ${dialCode}`, () => this.queues.findByDialCode(projectId, dialCode));
  }

  /** By its id or name. */
  queueNamed(projectId: string, name: string): Promise<QueueRow | null> {
    return this.#load(`queue of ${projectId} named ${name}`, () =>
      isId(name) ? this.queues.get(projectId, name) : this.queues.findByName(projectId, name),
    );
  }

  activeFlow(callflowId: string): Promise<Pick<CallflowRow, 'id' | 'project_id' | 'version'> | null> {
    return this.#load(`callflow ${callflowId}`, () => this.callflows.findActive(null, callflowId));
  }

  /**
   * The entry that blocks a live call to the project, or to its agent; null if none does. Costs one query for each new
   * caller, and none for a project without a list. While the database is unavailable, callers that were not looked up
   * before pass.
   */
  blockOf(projectId: string, agent: string | null, entries: readonly BlockedEntry[]): Promise<CallerBlock | null> {
    return unlessUnavailable(this.#blockOf(projectId, agent, entries), () => null);
  }

  async #blockOf(
    projectId: string,
    agent: string | null,
    entries: readonly BlockedEntry[],
  ): Promise<CallerBlock | null> {
    const [first] = entries;
    if (!first) return null;
    const hasList = await this.#load(`blocks of ${projectId}`, () => this.blockedCallers.hasAny(projectId, false));
    if (!hasList) return null;
    // The first entry is the caller's own number, from which the others follow.
    return this.#load(`block ${projectId} ${agent ?? ''} ${first.number ?? first.kind}`, () =>
      this.blockedCallers.blockOf({ projectId, sandbox: false, agent, entries }),
    );
  }

  /** What blocked callers get that call the project. */
  async blockedCallerAnswer(projectId: string): Promise<BlockedCallerAnswer> {
    const answers = this.blockedCallers;
    const own = await unlessUnavailable(
      this.#load(`blocked answer of ${projectId}`, () => answers.answerOf(projectId)),
      () => null,
    );
    if (own !== null) return own;
    const usual = this.#load('blocked answer', () => answers.answerOf(null));
    return (await unlessUnavailable(usual, () => null)) ?? DEFAULT_BLOCKED_CALLER_ANSWER;
  }

  /** What the organization and the installation set against toll fraud. */
  async fraudDefaults(organizationId: string): Promise<FraudDefaults> {
    const { fraudDefaults } = this.guards;
    const [own, installation] = await Promise.all([
      this.#load(`fraud defaults of ${organizationId}`, () => fraudDefaults.own(organizationId)),
      this.#load('fraud defaults', () => fraudDefaults.own(null)),
    ]);
    return fraudDefaultsOf(own, installation);
  }

  /** The prefixes whose numbers count as premium. */
  highRiskPrefixes(): Promise<readonly string[]> {
    return this.#load('high risk prefixes', async () =>
      (await this.guards.highRiskPrefixes.list()).map(({ prefix }) => prefix),
    );
  }

  /** Also returns a deleted queue. */
  queue(queueId: string): Promise<QueueRow | null> {
    return this.#load(`queue ${queueId}`, () => this.queues.getIncludingRemoved(queueId));
  }

  /** The engines at which the softphone is registered. */
  placesOf(aor: string): Promise<readonly SoftphonePlace[]> {
    return this.#load(`places of ${aor}`, () => this.registrations.placesOf(aor));
  }

  /** Null if the trunk is unknown or off. */
  async trunk(id: string): Promise<TrunkRow | null> {
    return (await this.#trunks()).find((trunk) => trunk.id === id) ?? null;
  }

  /**
   * The trunks that may carry a call of the project to a number, in the order in which they are tried: those of the
   * routes that fit, or the default trunk if none fits. An emergency number takes the default trunk, full or not, and
   * any other while there is no default.
   */
  async trunksTo(projectId: string, number: string): Promise<readonly TrunkOffer[]> {
    const trunks = await this.#trunks();
    const usual = trunks.find(({ is_default }) => is_default);
    if (!number.startsWith('+')) {
      const carrier = usual ?? trunks[0];
      return carrier ? [{ trunkId: carrier.id, capacity: null }] : [];
    }
    const isForeign = parseNumber(number, { allowForeign: false }) === null;
    const usable = trunks.filter(({ foreign_numbers }) => foreign_numbers || !isForeign);
    const offerOf = (id: string): readonly TrunkOffer[] =>
      usable.filter((trunk) => trunk.id === id).map(({ capacity }) => ({ trunkId: id, capacity }));
    const routed = (await this.#routed(projectId, number)).flatMap(offerOf);
    return routed.length > 0 || !usual ? routed : offerOf(usual.id);
  }

  /** Whether a call to another country may find a trunk; true while there is none at all. */
  async carriesForeign(): Promise<boolean> {
    const [trunks, routes] = await Promise.all([this.#trunks(), this.#routes()]);
    const carriers = trunks.filter(
      ({ id, is_default }) => is_default || routes.some(({ trunk_id }) => trunk_id === id),
    );
    return carriers.length === 0 || carriers.some(({ foreign_numbers }) => foreign_numbers);
  }

  /** The ids of the trunks whose routes fit, in order. */
  async #routed(projectId: string, number: string): Promise<readonly string[]> {
    const routes = await this.#routes();
    if (routes.length === 0) return [];
    const organizationId = (await this.project(projectId))?.organization_id ?? '';
    const fitting = fittingRoutes(routes, { organizationId, number, at: new Date() });
    // What a call costs decides only between several.
    const rates: ReadonlyMap<string, MicroSar> =
      fitting.length < 2 ? new Map() : await unlessUnavailable(this.#ratesOf(number), () => new Map());
    return orderedTrunks(fitting, rates, Math.random);
  }

  #trunks(): Promise<readonly TrunkRow[]> {
    return this.#load('trunks', () => this.carriers.trunks.enabled());
  }

  #routes(): Promise<readonly TrunkRouteRow[]> {
    return this.#load('trunk routes', () => this.carriers.routes.inUse());
  }

  #ratesOf(number: string): Promise<ReadonlyMap<string, MicroSar>> {
    return this.#load(`rates of ${number}`, () => this.carriers.rates.of(number));
  }

  async #load<T>(key: string, load: () => Promise<T>): Promise<T> {
    const cached = this.#cache.get(key);
    const now = performance.now();
    if (cached && cached.seenMs > this.#changedMs && now - cached.seenMs < CACHE_MS) return cached.row as T;
    try {
      const row = await load();
      // Dated at the start of the read: a change made during the read may be missing from it.
      this.#cache.set(key, { row, seenMs: now });
      return row;
    } catch (error) {
      if (cached && error instanceof DatabaseUnavailable) return cached.row as T;
      throw error;
    }
  }
}
