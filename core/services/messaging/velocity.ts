import type { Queryable } from '../../data/database.js';
import { addMessageMinute, lockMessageMinutes } from '../../data/repositories/messaging/message-minutes.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';

/** How many messages a project may have accepted now. */
export interface MessageRoom {
  readonly most: number;
  /** When there is more room. */
  readonly lookAt: Date;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Limits how many messages a project has accepted in an hour, so that a stolen key costs no fortune. The hour is that of
 * the last sixty minutes, to the minute. Messages of the sandbox cost nothing, and do not count.
 */
export class MessageVelocity {
  /** @param perHour null: no limit; then nothing is counted */
  constructor(
    private readonly perHour: number | null,
    private readonly clock: Clock,
  ) {}

  /** Nobody else takes it before the transaction ends. */
  async room(tx: Queryable, { projectId, sandbox }: ProjectKind): Promise<MessageRoom> {
    const now = this.clock.now();
    const { perHour } = this;
    if (perHour === null || sandbox) return { most: Infinity, lookAt: now };
    const minutes = await lockMessageMinutes(tx, projectId, hourBefore(now));
    const most = Math.max(0, perHour - minutes.reduce((sum, { count }) => sum + count, 0));
    return { most, lookAt: new Date((minutes[0]?.minute ?? now).getTime() + HOUR_MS + MINUTE_MS) };
  }

  /** @throws HatifError MESSAGE_VELOCITY_EXCEEDED if there is no room for as many */
  async assert(tx: Queryable, kind: ProjectKind, count: number): Promise<void> {
    const { most, lookAt } = await this.room(tx, kind);
    if (count <= most) return;
    const waitSeconds = Math.ceil((lookAt.getTime() - this.clock.now().getTime()) / 1_000);
    throw new HatifError('MESSAGE_VELOCITY_EXCEEDED', {
      ...{ limit: this.perHour ?? 0, window_seconds: HOUR_MS / 1_000, retry_after_seconds: Math.max(1, waitSeconds) },
    });
  }

  /**
   * Counts messages that the transaction accepts.
   * @throws HatifError MESSAGE_VELOCITY_EXCEEDED: then nothing must be committed
   */
  async take(tx: Queryable, kind: ProjectKind, count: number): Promise<void> {
    if (this.perHour === null || kind.sandbox || count === 0) return;
    await this.assert(tx, kind, count);
    const now = this.clock.now();
    const minute = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
    await addMessageMinute(tx, kind.projectId, { minute, count }, hourBefore(now));
  }
}

/** A minute is over an hour old when it has ended an hour ago. */
function hourBefore(now: Date): Date {
  return new Date(now.getTime() - HOUR_MS - MINUTE_MS);
}
