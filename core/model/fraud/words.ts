import type { Phrase } from '../errors/index.js';
import { formatSar } from '../money.js';
import { arabic } from '../wording/wording.js';
import type { FraudRule } from './limits.js';

/** A limit that was reached; `at_most` is calls, seconds or millionths of a riyal. */
export interface ReachedLimit {
  readonly rule: FraudRule;
  readonly at_most: number;
}

/** The agent, or the project (null). */
export function whoIsBlocked(agent: string | null): Phrase {
  if (agent === null) return { en: 'this project', ar: 'هذا المشروع' };
  return { en: `the agent ${agent}`, ar: arabic`الموظف ${agent}` };
}

/** The limit that was reached, with its value. */
export function whyBlocked({ rule, at_most }: ReachedLimit): Phrase {
  switch (rule) {
    case 'calls_per_hour':
      return { en: `calls per hour: ${at_most}`, ar: arabic`عدد المكالمات في الساعة: ${at_most}` };
    case 'night_calls_per_hour':
      return { en: `calls per hour at night: ${at_most}`, ar: arabic`عدد المكالمات في الساعة ليلًا: ${at_most}` };
    case 'new_number_calls_per_hour':
      return {
        en: `calls per hour to one new number: ${at_most}`,
        ar: arabic`عدد المكالمات في الساعة إلى رقم جديد واحد: ${at_most}`,
      };
    case 'minutes_per_day':
      return { en: `minutes per day: ${at_most / 60}`, ar: arabic`عدد الدقائق في اليوم: ${at_most / 60}` };
    case 'spend_per_hour': {
      const amount = formatSar(at_most);
      return { en: `spending per hour: ${amount} SAR`, ar: arabic`الإنفاق في الساعة: ${amount} ريال سعودي` };
    }
  }
}
