import type { TrunkAttempt, TrunkCalls, TrunkFigures } from '../../data/repositories/engines/trunk-calls.js';
import { invalidField } from '../../model/errors/index.js';
import { isId } from '../../model/ids.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';

/** The outcome of the outgoing calls through a trunk. */
export interface TrunkStatistics extends TrunkFigures {
  /** Answer-seizure ratio: the share of attempts that were answered, 0 to 1; null without attempts. */
  readonly asr: number | null;
  /** Average call duration of those that were answered; null if none was. */
  readonly acd_seconds: number | null;
}

const HOUR_MS = 3_600_000;
const MOST_HOURS = 24 * 31;

/** Reads the outcome of calls through trunks. */
export class ReadTrunkFigures {
  constructor(private readonly options: { readonly calls: TrunkCalls; readonly clock: Clock }) {}

  /**
   * The attempts of the last hours that are over, by the name of the trunk.
   * @throws HatifError VALIDATION_ERROR
   */
  async of(hours: number): Promise<readonly TrunkStatistics[]> {
    if (!(hours > 0 && hours <= MOST_HOURS)) {
      throw invalidField('hours', {
        en: `must be above 0 and at most ${MOST_HOURS}`,
        ar: arabic`يجب أن يكون أكبر من 0 وألا يزيد على ${MOST_HOURS}`,
      });
    }
    const now = this.options.clock.now();
    const figures = await this.options.calls.figures(new Date(now.getTime() - hours * HOUR_MS), now);
    return figures.map(withRatios);
  }

  /** The attempts of a call to reach numbers through trunks, in their order; none for an unknown call. */
  async attempts(callId: string): Promise<readonly TrunkAttempt[]> {
    return isId(callId) ? this.options.calls.attempts(callId) : [];
  }
}

export function withRatios(figures: TrunkFigures): TrunkStatistics {
  const { attempts, answered, talk_seconds } = figures;
  return {
    ...figures,
    asr: attempts === 0 ? null : answered / attempts,
    acd_seconds: answered === 0 ? null : talk_seconds / answered,
  };
}
