import { z } from 'zod';
import { FRAUD_RULES, type FraudRule } from '../fraud/limits.js';
import { whyBlocked } from '../fraud/words.js';
import { microsFromSar, sarNumber } from '../money.js';
import { isoTime } from '../time.js';
import { idOutput, maskedNumber, timeOutput } from './fields.js';

/** Why an agent or a project may dial nothing outside, as the API and events show it. */
export const fraudBlockObject = z
  .strictObject({
    id: idOutput,
    agent: z.string().nullable().describe('The extension; null if the whole project is blocked'),
    rule: z.enum(FRAUD_RULES).describe('The limit that was reached'),
    limit: z.number().describe('Its value when it was reached: calls, minutes or riyals'),
    reason: z.string().describe('The same in English'),
    reason_ar: z.string().describe('The same in Arabic'),
    number_masked: maskedNumber.describe('What was called when the limit was reached'),
    blocked_at: timeOutput,
    released_at: timeOutput.nullable().describe('Null while the block is in force'),
    ends_calls: z.boolean().describe('Whether live calls to the outside are ended, too'),
  })
  .meta({ id: 'FraudBlock' });

export type FraudBlockObject = z.output<typeof fraudBlockObject>;

/** @param block `at_most` is calls, seconds or millionths of a riyal */
export function presentFraudBlock(block: {
  readonly id: string;
  readonly agent: string | null;
  readonly rule: FraudRule;
  readonly at_most: number;
  readonly number_masked: string;
  readonly blocked_at: Date;
  readonly released_at: Date | null;
  readonly ends_calls: boolean | null;
}): FraudBlockObject {
  const { id, agent, rule, at_most, number_masked, blocked_at, released_at } = block;
  const { en: reason, ar: reason_ar } = whyBlocked(block);
  return {
    ...{ id, agent, rule, limit: limitOf(rule, at_most), reason, reason_ar, number_masked },
    blocked_at: isoTime(blocked_at),
    released_at: isoTime(released_at),
    ends_calls: block.ends_calls === true,
  };
}

/** The value of a limit as it is stored. @param limit as {@link presentFraudBlock} shows it */
export function atMostOf(rule: FraudRule, limit: number): number {
  if (rule === 'minutes_per_day') return Math.round(limit * 60);
  return rule === 'spend_per_hour' ? microsFromSar(String(limit)) : limit;
}

function limitOf(rule: FraudRule, atMost: number): number {
  if (rule === 'minutes_per_day') return atMost / 60;
  return rule === 'spend_per_hour' ? sarNumber(atMost) : atMost;
}
