import type { Database } from '../../data/database.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import type { Agents } from '../../data/repositories/accounts/agents.js';
import type { SipLockoutRow } from '../../data/rows.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';

export interface LockoutReportsOptions {
  readonly db: Database;
  readonly agents: Pick<Agents, 'findByAor'>;
  readonly clock: Clock;
}

/** Reports to a project that somebody guesses the password of one of its agents (`agent.locked_out`). */
export class LockoutReports {
  constructor(private readonly options: LockoutReportsOptions) {}

  /** Does nothing for a user that no agent has. The sweep of the lanes finds the deliveries. */
  async report({ subject, locked_until }: Pick<SipLockoutRow, 'subject' | 'locked_until'>): Promise<void> {
    const { db, agents, clock } = this.options;
    const agent = await agents.findByAor(subject);
    if (!agent) return;
    const { organization_id, project_id } = agent;
    await recordEvent(
      db,
      projectEvent({
        ...{ organization_id, project_id, sandbox: false, created_at: clock.now() },
        type: 'agent.locked_out',
        data: { agent: agent.agent, locked_until: isoTime(locked_until) },
      }),
    );
  }
}
