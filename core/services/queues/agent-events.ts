import { projectEvent } from '../../data/outbox.js';
import type { EventRow, QueueRow } from '../../data/rows.js';
import type { Decision } from '../../model/queue/types.js';
import type { Clock } from '../../ports/clock.js';

const EVENT_TYPES = {
  agent_logged_in: 'queue.agent_logged_in',
  agent_logged_out: 'queue.agent_logged_out',
} as const;

/** Builds the webhook events about agents, which belong to no call. */
export class QueueAgentEvents {
  constructor(
    private readonly queue: (queueId: string) => Promise<QueueRow | null>,
    private readonly clock: Clock,
  ) {}

  async eventsOf(decisions: readonly Decision[]): Promise<EventRow[]> {
    const events: EventRow[] = [];
    for (const decision of decisions) {
      if (decision.type !== 'agent_logged_in' && decision.type !== 'agent_logged_out') continue;
      const queue = await this.queue(decision.queueId);
      if (!queue) continue;
      const { agent, type } = decision;
      events.push(
        projectEvent({
          organization_id: queue.organization_id,
          project_id: queue.project_id,
          sandbox: false,
          type: EVENT_TYPES[type],
          data: { agent, queue: queue.name, queue_id: queue.id },
          created_at: this.clock.now(),
        }),
      );
    }
    return events;
  }
}
