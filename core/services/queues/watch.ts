import type { CallEffect } from '../../data/call-writer.js';
import type { QueueLog } from '../../data/repositories/queues/queue-log.js';
import type { QueueVisits } from '../../data/repositories/queues/queue-visits.js';
import type { AgentRow, LegRow } from '../../data/rows.js';
import type { Dispatcher } from '../../model/queue/dispatcher.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';
import { SerialExecutor } from '../runtime/serial-executor.js';
import type { QueueCoordinator, DispatcherInput } from './coordinator.js';
import { agentFacts } from './facts.js';

export interface QueueWatchOptions {
  readonly coordinator: QueueCoordinator;
  readonly log: Pick<QueueLog, 'heads'>;
  readonly visits: Pick<QueueVisits, 'liveLegs' | 'registered' | 'endedLegs' | 'endedCalls'>;
  readonly agentByAor: (aor: string) => Promise<AgentRow | null>;
  readonly agentsOf: (projectId: string) => Promise<readonly AgentRow[]>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * How often the log is polled for decisions of other processes and for due timeouts, in case a notification is lost.
 */
const POLL_EVERY_MS = 1_000;
/** How often the dispatchers' state is compared with the stored calls and registrations. */
const COMPARE_EVERY_MS = 5_000;

/**
 * Reports the state of agents' softphones (registered, in a call) to the dispatchers. Events of this process are
 * reported immediately. A periodic comparison repairs what a process that died did not report.
 */
export class QueueWatch {
  #active: ReadonlySet<string> = new Set();
  /** Legs that were reported as live. */
  readonly #reportedLegs = new Set<string>();
  /** Serializes the reports of each softphone: a leg's end that overtook its start would leave the agent busy. */
  readonly #reports = new SerialExecutor();
  readonly #regular: PeriodicWork[] = [];

  constructor(private readonly options: QueueWatchOptions) {}

  start(): void {
    const { clock, logger } = this.options;
    const every = (everyMs: number, work: () => Promise<void>): void => {
      const onFailure = (err: unknown): void => logger.warn({ err }, 'polling the queues failed');
      const regular = new PeriodicWork({ work, everyMs, clock, onFailure });
      this.#regular.push(regular);
      regular.startNow();
    };
    every(POLL_EVERY_MS, () => this.poll());
    every(COMPARE_EVERY_MS, () => this.compare());
  }

  /** Resolves when all events of this process are reported. */
  idle(): Promise<void> {
    return this.#reports.idle();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#regular.map((regular) => regular.stop()));
    await this.idle();
  }

  /** Handles a committed change of a call. */
  wrote({ legs }: Pick<CallEffect, 'legs'>): void {
    for (const leg of legs) {
      const aor = aorOf(leg);
      const isOver = leg.status === 'ended';
      if (aor === null || (!isOver && this.#reportedLegs.has(leg.id))) continue;
      if (isOver) this.#reportedLegs.delete(leg.id);
      else this.#reportedLegs.add(leg.id);
      this.#ofAgent(aor, (agent, projectId) => {
        this.options.coordinator.notifyReliably(projectId, (dispatcher) =>
          legFacts(dispatcher, agent.agent, leg.id, isOver),
        );
      });
    }
  }

  /** Handles a change of registrations. */
  registered(aors: readonly string[]): void {
    for (const aor of aors) {
      this.#ofAgent(aor, async ({ agent, aor: own }, projectId) => {
        const registered = (await this.options.visits.registered([own])).has(own);
        this.options.coordinator.notifyReliably(projectId, (dispatcher) => {
          const known = dispatcher.agent(agent);
          return known && known.registered !== registered ? [{ type: 'registration', agent, registered }] : [];
        });
      });
    }
  }

  /** Applies decisions of other processes, and due timeouts. */
  async poll(): Promise<void> {
    const { coordinator, log, clock } = this.options;
    const heads = await log.heads();
    this.#active = new Set(heads.map(({ project_id }) => project_id));
    const now = clock.now();
    for (const { project_id: projectId, sequence, due_at: dueAt } of heads) {
      if (dueAt !== null && dueAt <= now) await coordinator.tick(projectId);
      else if ((coordinator.known(projectId)?.sequence ?? sequence) < sequence) await coordinator.view(projectId);
    }
  }

  /** Compares now, because many states may have changed at once. */
  compareSoon(): void {
    this.compare().catch((error: unknown) =>
      this.options.logger.warn({ err: error }, 'comparing the queues with calls and registrations failed; retrying'),
    );
  }

  async compare(): Promise<void> {
    for (const projectId of this.#active) await this.#compare(projectId);
  }

  async #compare(projectId: string): Promise<void> {
    const { coordinator, visits, agentsOf } = this.options;
    const dispatcher = await coordinator.view(projectId);
    const known = dispatcher.agents;
    const waiting = dispatcher.waiting().map(({ callId }) => callId);
    if (known.length === 0 && waiting.length === 0) return;
    const rows = await agentsOf(projectId);
    const aors = rows.map(({ aor }) => aor);
    const legIds = known.flatMap((entry) => [
      ...entry.legIds,
      ...(typeof entry.reservation?.legId === 'string' ? [entry.reservation.legId] : []),
    ]);
    const [registered, liveLegs, endedLegIds, endedCalls] = await Promise.all([
      visits.registered(aors),
      visits.liveLegs(aors),
      visits.endedLegs(legIds),
      visits.endedCalls(waiting),
    ]);
    const missing: DispatcherInput = (now) => [
      ...now.agents.flatMap(({ agent }) => {
        const row = rows.find((one) => one.agent === agent);
        if (!row) return [{ type: 'agent_removed', agent } as const];
        const liveLegIds = liveLegs.filter(({ aor }) => aor === row.aor).map(({ id }) => id);
        const { priority, skills, forwarding } = row;
        const { do_not_disturb: doNotDisturb } = forwarding;
        const phone = { registered: registered.has(row.aor), doNotDisturb, liveLegIds, endedLegIds };
        return agentFacts(now, { agent, priority, skills, ...phone });
      }),
      ...[...endedCalls].filter((callId) => now.caller(callId)).map((callId) => ({ type: 'left', callId }) as const),
    ];
    // Does not lock the log if nothing has changed.
    if (missing(dispatcher).length > 0) await coordinator.notify(projectId, missing);
  }

  /** Makes no query if no project has queues. */
  #ofAgent(aor: string, then: (agent: AgentRow, projectId: string) => void | Promise<void>): void {
    if (this.#active.size === 0) return;
    const report = async (): Promise<void> => {
      const agent = await this.options.agentByAor(aor);
      if (agent && this.#active.has(agent.project_id)) await then(agent, agent.project_id);
    };
    this.#reports
      .post(aor, report)
      .catch((error: unknown) =>
        this.options.logger.warn(
          { err: error },
          'reporting a softphone to its queues failed; the next comparison repairs it',
        ),
      );
  }
}

/** The softphone's address of record, on any engine. */
function aorOf({ endpoint }: LegRow): string | null {
  const { aor } = endpoint as { readonly aor?: unknown };
  return typeof aor === 'string' ? aor : null;
}

function legFacts(dispatcher: Dispatcher, agent: string, legId: string, isOver: boolean) {
  const known = dispatcher.agent(agent);
  if (!known) return [];
  const isKnown = known.legIds.includes(legId);
  if (!isOver) return isKnown ? [] : [{ type: 'leg_began', agent, legId } as const];
  return isKnown || known.reservation?.legId === legId ? [{ type: 'leg_ended', agent, legId } as const] : [];
}
