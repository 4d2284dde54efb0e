import type { BlockedCallers } from '../../data/repositories/numbers/blocked-callers.js';
import { DEFAULT_BLOCKED_CALLER_ANSWER, type BlockedCallerAnswer } from '../../model/number/blocked-caller.js';

export interface BlockedCallerAnswersOptions {
  readonly table: Pick<BlockedCallers, 'answerOf' | 'setAnswer'>;
  /** Notifies the processes that route calls. */
  readonly announce: () => Promise<void>;
}

/** What is set for a project or the installation, and what blocked callers get because of it. */
export interface AnswerInForce {
  /** Null: as the next place says. */
  readonly own: BlockedCallerAnswer | null;
  readonly effective: BlockedCallerAnswer;
}

/** What blocked callers get: as a project says, or else the installation (null). */
export class BlockedCallerAnswers {
  constructor(private readonly options: BlockedCallerAnswersOptions) {}

  async read(projectId: string | null): Promise<AnswerInForce> {
    const { table } = this.options;
    const own = await table.answerOf(projectId);
    const usual = projectId === null ? null : await table.answerOf(null);
    return { own, effective: own ?? usual ?? DEFAULT_BLOCKED_CALLER_ANSWER };
  }

  /** @param answer null: as the next place says */
  async set(projectId: string | null, answer: BlockedCallerAnswer | null): Promise<AnswerInForce> {
    await this.options.table.setAnswer(projectId, answer);
    await this.options.announce();
    return this.read(projectId);
  }
}
