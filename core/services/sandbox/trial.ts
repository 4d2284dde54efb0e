import { HatifError } from '../../model/errors/index.js';
import { isoTime } from '../../model/time.js';

export interface TrialLimits {
  /** From the first request of one of the project's sandbox keys. */
  readonly days: number;
  /** Talking time of all its sandbox calls together. */
  readonly minutes: number;
}

export interface TrialRecords {
  /** Null before the first request. */
  startOf(projectId: string): Promise<Date | null>;
  /** Seconds that the project's sandbox calls have been talking; those that talk now until `now`. */
  secondsUsed(projectId: string, now: Date): Promise<number>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long, and how much, a project may try the platform out in the sandbox. */
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
   * Talking time that is left, in whole seconds, at least 1. Calls that are placed at the same moment may each be given all of it.
   * @throws HatifError SANDBOX_MINUTES_EXCEEDED
   */
  async secondsLeft(projectId: string, now: Date): Promise<number> {
    const { minutes } = this.limits;
    const left = minutes * 60 - (await this.records.secondsUsed(projectId, now));
    if (left <= 0) throw new HatifError('SANDBOX_MINUTES_EXCEEDED', { minutes });
    return Math.ceil(left);
  }
}
