import { HatifError } from '../../model/errors/index.js';
import { isoTime } from '../../model/time.js';

export interface TrialLimits {
  /** Days from the first request with one of the project's sandbox keys. */
  readonly days: number;
  /** Total talk time of all the project's sandbox calls. */
  readonly minutes: number;
}

export interface TrialRecords {
  /** Null before the first request. */
  startOf(projectId: string): Promise<Date | null>;
  /** Talk time of the project's sandbox calls in seconds, including calls in progress up to `now`. */
  secondsUsed(projectId: string, now: Date): Promise<number>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Limits how long, and for how many minutes, a project may use the sandbox. */
export class SandboxTrial {
  constructor(
    private readonly records: TrialRecords,
    private readonly limits: TrialLimits,
  ) {}

  /** @throws HatifError SANDBOX_EXPIRED */
  async assertRunning(projectId: string, now: Date): Promise<void> {
    const start = await this.records.startOf(projectId);
    if (start === null) return;
    const end = new Date(start.getTime() + this.limits.days * DAY_MS);
    if (now >= end) throw new HatifError('SANDBOX_EXPIRED', { expired_at: isoTime(end) });
  }

  /**
   * The remaining talk time in whole seconds, at least 1. Concurrent calls may each get all of it.
   * @throws HatifError SANDBOX_MINUTES_EXCEEDED
   */
  async secondsLeft(projectId: string, now: Date): Promise<number> {
    const { minutes } = this.limits;
    const left = minutes * 60 - (await this.records.secondsUsed(projectId, now));
    if (left <= 0) throw new HatifError('SANDBOX_MINUTES_EXCEEDED', { minutes });
    return Math.ceil(left);
  }
}
