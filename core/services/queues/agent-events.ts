import { projectEvent } from '../../data/outbox.js';
import type { EventRow, ProjectRow, QueueRow } from '../../data/rows.js';
import type { Decision } from '../../model/queue/types.js';
import type { Clock } from '../../ports/clock.js';

export interface QueueAgentEventsOptions {
  readonly queue: (queueId: string) => Promise<QueueRow | null>;
  readonly project: (projectId: string) => Promise<Pick<ProjectRow, 'organization_id'> | null>;
  readonly clock: Clock;
}

/** Builds the webhook events about agents, which belong to no call. */
export class QueueAgentEvents {
  constructor(private readonly options: QueueAgentEventsOptions) {}

  async eventsOf(projectId: string, decisions: readonly Decision[]): Promise<EventRow[]> {
    const events: EventRow[] = [];
    for (const decision of decisions) {
      // One after another, because the ids of events are in their order.
      const event = await this.#eventOf(projectId, decision);
      if (event) events.push(event);
    }
    return events;
  }

  async #eventOf(projectId: string, decision: Decision): Promise<EventRow | null> {
    switch (decision.type) {
      case 'agent_logged_in':
      case 'agent_logged_out':
        return this.#ofQueue(decision);
      case 'agent_paused':
      case 'agent_unpaused':
        return this.#ofPause(projectId, decision);
      default:
        return null;
    }
  }

  async #ofQueue({
    type,
    agent,
    queueId,
  }: Extract<Decision, { type: 'agent_logged_in' | 'agent_logged_out' }>): Promise<EventRow | null> {
    const queue = await this.options.queue(queueId);
    if (!queue) return null;
    const { organization_id, project_id, name, id } = queue;
    const data = { agent, queue: name, queue_id: id };
    const owner = { organization_id, project_id, sandbox: false, created_at: this.#now() };
    return projectEvent({ ...owner, type: `queue.${type}`, data });
  }

  async #ofPause(
    projectId: string,
    decision: Extract<Decision, { type: 'agent_paused' | 'agent_unpaused' }>,
  ): Promise<EventRow | null> {
    const project = await this.options.project(projectId);
    if (!project) return null;
    const { organization_id } = project;
    const owner = { organization_id, project_id: projectId, sandbox: false, created_at: this.#now() };
    const { agent, reason } = decision;
    if (decision.type === 'agent_paused')
      return projectEvent({ ...owner, type: 'queue.agent_paused', data: { agent, reason } });
    const paused_seconds = Math.round(decision.pausedMs / 1000);
    return projectEvent({ ...owner, type: 'queue.agent_unpaused', data: { agent, reason, paused_seconds } });
  }

  #now(): Date {
    return this.options.clock.now();
  }
}
