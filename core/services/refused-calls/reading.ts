import type { RefusedCalls, RefusedCallsSum } from '../../data/repositories/calls/refused-calls.js';
import { invalidField } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';

export interface ReadRefusedCallsOptions {
  readonly refusedCalls: Pick<RefusedCalls, 'list'>;
  readonly clock: Clock;
}

const HOUR_MS = 3_600_000;
const MAX_HOURS = 24 * 366;
const MAX_LIMIT = 1_000;

/** Lists refused calls for the operator. */
export class ReadRefusedCalls {
  constructor(private readonly options: ReadRefusedCallsOptions) {}

  /**
   * The refused calls of the last hours, the last ones first. Calls that have source, number and reason in common are
   * one entry.
   * @throws HatifError VALIDATION_ERROR
   */
  list(hours: number, limit: number): Promise<readonly RefusedCallsSum[]> {
    checkWhole('hours', hours, MAX_HOURS);
    checkWhole('limit', limit, MAX_LIMIT);
    const since = new Date(this.options.clock.now().getTime() - hours * HOUR_MS);
    return this.options.refusedCalls.list(since, limit);
  }
}

function checkWhole(field: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  throw invalidField(field, {
    en: `must be a whole number from 1 to ${max}`,
    ar: `يجب أن يكون عددًا صحيحًا من 1 إلى ${max}`,
  });
}
