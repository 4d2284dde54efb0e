import { retentionOfFound } from '../../data/repositories/privacy/found-calls.js';
import type { PrivacyJobs } from '../../data/repositories/privacy/jobs.js';
import type { PrivacyJobRow } from '../../data/rows.js';
import type { Clock } from '../../ports/clock.js';
import type { Step } from '../resumable-work/work.js';

export interface FinishOptions {
  readonly jobs: PrivacyJobs;
  readonly cdrYears: number;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;

/**
 * Completes an erasure. What the law keeps is erased when its years end: until then the job knows who the person is.
 * @param later the step that erases it
 */
export function finishErasure({ jobs, cdrYears, clock }: FinishOptions, later: string): Step<PrivacyJobRow> {
  return (work) =>
    work.advance(async (tx) => {
      const { row } = work;
      const now = clock.now();
      const finished_at = row.finished_at ?? now;
      const kept = await retentionOfFound(tx, row.id, cdrYears);
      if (kept !== null) {
        const due_at = new Date(Math.max(kept.first.getTime(), now.getTime() + DAY_MS));
        return { status: 'completed', step: later, finished_at, due_at, kept_until: kept.last };
      }
      await jobs.forgetSubject(tx, row.id);
      return { status: 'completed', finished_at, due_at: null, kept_until: null };
    });
}
