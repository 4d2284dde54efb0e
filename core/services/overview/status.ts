import type { OverviewRows, PhoneRow, TroubledEndpoint } from '../../data/repositories/engines/overview-rows.js';
import type { WebhookBacklog } from '../../data/repositories/webhooks/webhook-backlog.js';
import type { RefusedCallsSum } from '../../data/repositories/calls/refused-calls.js';
import type { QueueRow } from '../../data/rows.js';
import { within, type Clock } from '../../ports/clock.js';
import { figuresOf } from '../queues/figures.js';
import type { QueueCoordinator } from '../queues/coordinator.js';
import type { ReadRefusedCalls } from '../refused-calls/reading.js';
import type { TrunkService } from '../trunks/trunks.js';
import { readOverview, type OverviewOptions } from './overview.js';

/** The parts that an installation needs. `certificate`: those that an authority issues. */
export const PARTS = ['database', 'redis', 'engines', 'sip', 'jobs', 'certificate'] as const;
export type Part = (typeof PARTS)[number];
/** `off`: the installation has none. `unknown`: it could not be examined. */
export type PartState = 'up' | 'down' | 'off' | 'unknown';

export interface EngineStatus {
  readonly name: string;
  readonly kind: string;
  readonly version: string | null;
  readonly state: 'up' | 'down';
  readonly live_calls: number;
}

/** A queue now. */
export interface QueueStatus {
  readonly project_id: string;
  readonly queue: string;
  readonly waiting: number;
  readonly longest_wait_seconds: number;
  /** Logged-in agents whose phones would ring for the next caller. */
  readonly available: number;
  /** All logged-in agents, also paused ones. */
  readonly logged_in: number;
}

/** What runs, what happens now, and what went wrong last. It contains no secret and no customer's number. */
export interface InstallationStatus {
  readonly parts: Readonly<Record<Part, PartState>>;
  readonly engines: readonly EngineStatus[];
  readonly trunks: readonly { readonly name: string; readonly state: string; readonly is_default: boolean }[];
  readonly phones: { readonly registered: number; readonly total: number; readonly first: readonly PhoneRow[] };
  readonly live_calls: number;
  readonly queues: readonly QueueStatus[];
  /** Kinds of incoming calls that were refused in the last 24 hours, the last ones first. */
  readonly refused: readonly RefusedCallsSum[];
  readonly webhooks: {
    readonly pending: number;
    readonly oldest_due_seconds: number;
    /** Endpoints that fail, or that were disabled because they failed. */
    readonly troubled: readonly TroubledEndpoint[];
  };
}

export interface ReadStatusOptions extends OverviewOptions {
  readonly rows: OverviewRows;
  readonly trunks: Pick<TrunkService, 'listWatched'>;
  readonly queues: { all(): Promise<readonly QueueRow[]> };
  readonly coordinator: Pick<QueueCoordinator, 'view'>;
  readonly refusedCalls: Pick<ReadRefusedCalls, 'list'>;
  readonly backlog: () => Promise<WebhookBacklog>;
  /** Examine the parts that the database does not know. One that rejects or takes long counts as down. */
  readonly checks: Readonly<Record<'redis' | 'jobs' | 'certificate', () => Promise<PartState>>>;
  readonly clock: Clock;
}

const PATIENCE_MS = 2_000;
const REFUSED_HOURS = 24;
const REFUSED_LISTED = 5;

/** Reads the status of the whole installation, all projects included. */
export class ReadStatus {
  constructor(private readonly options: ReadStatusOptions) {}

  /** @throws DatabaseUnavailable */
  async read(): Promise<InstallationStatus> {
    const { rows, trunks, refusedCalls, backlog, checks } = this.options;
    const [overview, watched, queues, refused, webhooks, troubled, redis, jobs, certificate] = await Promise.all([
      readOverview(this.options),
      trunks.listWatched(),
      this.#queues(),
      refusedCalls.list(REFUSED_HOURS, REFUSED_LISTED),
      backlog(),
      rows.troubledEndpoints(),
      inTime(checks.redis),
      inTime(checks.jobs),
      inTime(checks.certificate),
    ]);
    const { engines, phones } = overview;
    const isUp = engines.map((engine) => engine.isUp);
    return {
      parts: {
        database: 'up',
        redis,
        // The phones and calls of one engine that is not up cannot be reached.
        engines: stateOf(isUp, !isUp.includes(false)),
        // Phones and carriers need one engine.
        sip: stateOf(isUp, isUp.includes(true)),
        jobs,
        certificate,
      },
      engines: engines.map(({ name, kind, version, isUp: up, liveCalls }) => ({
        ...{ name, kind, version, state: up ? 'up' : 'down', live_calls: liveCalls },
      })),
      trunks: watched.map(({ name, state, is_default }) => ({ name, state, is_default })),
      phones: {
        registered: phones.registered,
        total: phones.total,
        first: phones.rows.filter(({ registered }) => registered),
      },
      live_calls: engines.reduce((sum, { liveCalls }) => sum + liveCalls, 0),
      queues,
      refused,
      webhooks: { pending: webhooks.pending, oldest_due_seconds: Math.round(webhooks.oldestDueSeconds), troubled },
    };
  }

  async #queues(): Promise<QueueStatus[]> {
    const { queues, coordinator, clock } = this.options;
    const all = await queues.all();
    const projectIds = [...new Set(all.map(({ project_id }) => project_id))];
    const dispatchers = new Map(
      await Promise.all(projectIds.map(async (id) => [id, await coordinator.view(id)] as const)),
    );
    return all.flatMap(({ id, name, project_id }) => {
      const dispatcher = dispatchers.get(project_id);
      if (!dispatcher) return [];
      const { waiting, longestWaitMs, agents } = figuresOf(dispatcher, id, clock.now());
      return [
        {
          project_id,
          queue: name,
          waiting,
          longest_wait_seconds: Math.round(longestWaitMs / 1000),
          available: agents.idle,
          logged_in: Object.values(agents).reduce((sum, count) => sum + count, 0),
        },
      ];
    });
  }
}

function stateOf(engines: readonly boolean[], isUp: boolean): PartState {
  if (engines.length === 0) return 'off';
  return isUp ? 'up' : 'down';
}

function inTime(check: () => Promise<PartState>): Promise<PartState> {
  return within(PATIENCE_MS, check()).catch((): PartState => 'down');
}
