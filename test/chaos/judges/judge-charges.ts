import type { Conversation } from '../phones/conversation.js';
import type { CallRecord } from './loss.js';
import { talkTimesOf, type ReportLoss } from './judge-call.js';

/** One second of tolerance, and half a second for rounding. */
const TOLERANCE_SECONDS = 1.5;

/**
 * Each answered billable leg must have exactly one charge, for the talk time that its phone saw; no other leg may have
 * one.
 */
export function judgeCharges(conversation: Conversation, { legs, charges }: CallRecord, loss: ReportLoss): void {
  for (const { id, role, billable, answered_at } of legs) {
    const own = charges.filter(({ leg_id }) => leg_id === id);
    const expected = billable && answered_at !== null ? 1 : 0;
    if (own.length !== expected)
      loss('wrong charge', `the ${role}'s leg has ${own.length} charges instead of ${expected}`);
  }
  for (const leg of [conversation.customer, conversation.other]) {
    if (!leg) continue;
    const { user, confirmedAt } = leg.facts;
    const own = charges.filter(({ number }) => number === user);
    if (confirmedAt === null) {
      if (own.length > 0) loss('wrong charge', `${user} was charged and never answered`);
      continue;
    }
    const isFree = !user.startsWith('+');
    if (own.length !== (isFree ? 0 : 1)) loss('wrong charge', `${user} answered and was charged ${own.length} times`);
    const [shortest, longest] = talkTimesOf(leg.facts);
    for (const { seconds } of own) {
      if (seconds < shortest / 1000 - TOLERANCE_SECONDS || seconds > longest / 1000 + TOLERANCE_SECONDS) {
        loss('wrong charge', `${user} was charged ${seconds} s instead of ${(longest / 1000).toFixed(1)} s`);
      }
    }
  }
}
