import type { Callbacks, CallbackScope } from '../../data/repositories/calls/callbacks.js';
import type { CallStatus } from '../../model/call/call.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import { presentCallback, summarizeCallback, type CallbackObject, type CallbackSummary } from './present.js';

export interface CallbackQuery {
  readonly status?: CallStatus | undefined;
  /** An unknown queue matches nothing. */
  readonly queueId?: string | undefined;
  /** Default: seven days ago. */
  readonly from?: Date | undefined;
  /** Default: now. */
  readonly to?: Date | undefined;
}

const DEFAULT_PERIOD_MS = 7 * 24 * 60 * 60 * 1000;

/** The organization's callbacks, as the API shows them. */
export class ReadCallbacks {
  constructor(
    private readonly callbacks: Callbacks,
    private readonly clock: Clock,
  ) {}

  /** @throws HatifError CALLBACK_NOT_FOUND, also for another organization's callback. */
  async get(scope: CallbackScope, callbackId: string): Promise<CallbackObject> {
    const row = await this.callbacks.get(scope, callbackId);
    if (!row) throw new HatifError('CALLBACK_NOT_FOUND', { callback_id: callbackId });
    return presentCallback(row);
  }

  /**
   * Returns one page, newest first. @throws HatifError VALIDATION_ERROR if `from` is later than `to`, defaults
   * included.
   */
  async page(
    scope: CallbackScope,
    query: CallbackQuery,
    page: number,
    pageSize: number,
  ): Promise<{ items: CallbackSummary[]; total: number }> {
    const now = this.clock.now();
    const from = query.from ?? new Date(now.getTime() - DEFAULT_PERIOD_MS);
    if (from > (query.to ?? now)) {
      throw invalidField('from', {
        en: 'must not be later than to; the defaults are seven days ago and now',
        ar: 'يجب ألا يكون بعد `to`. وإن لم يُذكرا فالفترة هي آخر سبعة أيام',
      });
    }
    const filter = { status: query.status, queueId: query.queueId, from, to: query.to };
    const { rows, totalCount } = await this.callbacks.page(scope, filter, { page, pageSize });
    return { items: rows.map(summarizeCallback), total: totalCount };
  }
}
