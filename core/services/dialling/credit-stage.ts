import type { Credit } from '../billing/credit.js';
import type { LegStage } from './dialled-leg.js';

export type LegCredit = Pick<Credit, 'check' | 'checkIncoming' | 'admit'>;

/**
 * Refuses a leg that costs money when the project's spend cap or balance is used up. Legs that cost nothing, such as
 * those to its softphones, still ring.
 * @throws HatifError SPEND_CAP_EXCEEDED, INSUFFICIENT_CREDITS
 */
export function creditStage(credit?: LegCredit): LegStage {
  return async ({ to, route, kind, callId, others, ...payer }) => {
    if (route?.billable === false) return;
    const leg = { direction: 'outbound', kind, number: route ? route.number : to.target } as const;
    if (callId !== null && others) await credit?.admit(callId, payer, leg, others);
    else await credit?.check(payer, leg);
  };
}
