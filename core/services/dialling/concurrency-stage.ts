import { unlessUnavailable } from '../../data/errors.js';
import type { ProjectRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';
import type { LegStage } from './dialled-leg.js';

export interface LiveCallCounts {
  project(projectId: string): Promise<Pick<ProjectRow, 'max_calls'> | null>;
  /** The project's calls that are not over, without those of the sandbox. @param except leaves out this call */
  liveCalls(projectId: string, except: string | null): Promise<number>;
}

/** When a client may try again: calls end all the time. */
const RETRY_AFTER_SECONDS = 10;

/**
 * Limits how many calls a project has at once: beyond the limit nothing outside is dialled. Its softphones still ring.
 * While the database is unavailable, calls are not limited.
 * @throws HatifError CALL_FAILED with `Retry-After`
 */
export function concurrencyStage(counts: LiveCallCounts): LegStage {
  return async ({ projectId, route, callId }) => {
    if (route?.billable === false) return;
    const max = (await counts.project(projectId))?.max_calls ?? 0;
    if ((await unlessUnavailable(counts.liveCalls(projectId, callId), () => 0)) < max) return;
    const reason = {
      en: `the project already has ${max} calls at once, the most that it may have`,
      ar: arabic`بلغ المشروع الحد الأقصى لعدد المكالمات المتزامنة وهو ${max}`,
    };
    throw new HatifError('CALL_FAILED', { reason }, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  };
}
