import type { CallLimits, Projects } from '../../data/repositories/accounts/projects.js';
import { invalidField } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';

/** How many calls a new project may have at once. */
export const DEFAULT_MAX_CALLS = 50;
/** More calls than one installation carries. */
const MOST_CALLS = 100_000;

export interface ProjectLimitsOptions {
  readonly projects: Pick<Projects, 'setCallLimits'>;
  /** Notifies the processes that route calls. */
  readonly announce: () => Promise<void>;
}

/** Sets what a project may call, and how many calls it may have at once. */
export class ProjectLimits {
  constructor(private readonly options: ProjectLimitsOptions) {}

  /** Calls in progress continue. @throws HatifError VALIDATION_ERROR */
  async set(projectId: string, limits: CallLimits): Promise<void> {
    this.check(limits);
    await this.options.projects.setCallLimits(projectId, limits);
    await this.options.announce();
  }

  /** @throws HatifError VALIDATION_ERROR */
  check({ max_calls: max }: CallLimits): void {
    if (max !== undefined && !(Number.isInteger(max) && max >= 1 && max <= MOST_CALLS)) {
      throw invalidField('max_calls', {
        en: `must be a number of calls from 1 to ${MOST_CALLS}`,
        ar: arabic`يجب أن يكون عدد مكالمات من 1 إلى ${MOST_CALLS}`,
      });
    }
  }
}
