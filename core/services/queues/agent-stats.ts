import type { AgentActivities, AgentFigures } from '../../data/repositories/queues/agent-activities.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { AgentService } from '../agents/agents.js';
import { onQueues, READING } from './failures.js';

export interface AgentStatsObject extends AgentFigures {
  readonly agent: string;
  readonly period: { readonly from: string | null; readonly to: string | null } | null;
}

/** `from` is inclusive, `to` exclusive; null is open. */
export interface StatsPeriod {
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface AgentStatsOptions {
  readonly agents: Pick<AgentService, 'get'>;
  readonly activities: AgentActivities;
  readonly clock: Clock;
}

/** Reads what an agent did in a period, from the stored beginnings and ends of each activity. */
export class AgentStats {
  constructor(private readonly options: AgentStatsOptions) {}

  /**
   * What has not ended yet counts until now. A former agent with the same extension does not count.
   * @throws HatifError NOT_FOUND, QUEUE_SERVICE_UNAVAILABLE
   */
  of(projectId: string, extension: string, { from, to }: StatsPeriod): Promise<AgentStatsObject> {
    return onQueues(READING, async () => {
      const { agents, activities, clock } = this.options;
      const { agent, created_at: createdAt } = await agents.get(projectId, extension);
      const now = clock.now();
      const since = from !== null && from > createdAt ? from : createdAt;
      const until = to !== null && to < now ? to : now;
      const { pauses, ...figures } = await activities.figures(projectId, agent, { from: since, to, until });
      const period = from === null && to === null ? null : { from: isoTime(from), to: isoTime(to) };
      return {
        agent,
        period,
        ...figures,
        signed_in_seconds: Math.round(figures.signed_in_seconds),
        talk_seconds: Math.round(figures.talk_seconds),
        hold_seconds: Math.round(figures.hold_seconds),
        wrap_up_seconds: Math.round(figures.wrap_up_seconds),
        paused_seconds: Math.round(figures.paused_seconds),
        pauses: pauses.map((pause) => ({ ...pause, seconds: Math.round(pause.seconds) })),
      };
    });
  }
}
