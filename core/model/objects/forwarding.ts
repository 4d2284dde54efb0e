import { z } from 'zod';
import { maskNumber } from '../access/masking.js';
import { FORWARD_CASES, NO_ANSWER_SECONDS, type CallForwarding, type ForwardTarget } from '../call/forwarding.js';

const target = z
  .strictObject({
    type: z.enum(['agent', 'number', 'voicemail']),
    target: z
      .string()
      .nullable()
      .describe(
        'An extension, a number (E.164), or the number of a voicemail box; null: the box of the agent’s number',
      ),
  })
  .nullable();

/** Where the calls of an agent are forwarded to, as the API and events show it. */
export const forwardingObject = z
  .strictObject({
    agent: z.string().describe('The extension'),
    do_not_disturb: z
      .boolean()
      .describe('The phone does not ring: direct calls find it busy, and queues do not offer calls'),
    always: target.describe('Instead of ringing the phone; null: not forwarded'),
    busy: target.describe('If the phone is busy or declines, or `do_not_disturb` is on'),
    no_answer: target.describe('If nobody answers within `no_answer_seconds`'),
    no_answer_seconds: z.int().min(NO_ANSWER_SECONDS.min).max(NO_ANSWER_SECONDS.max),
    unregistered: target.describe('If the phone is not registered or cannot be reached'),
  })
  .meta({ id: 'CallForwarding' });

export type ForwardingObject = z.output<typeof forwardingObject>;

export function presentForwarding(agent: string, forwarding: CallForwarding): ForwardingObject {
  return { agent, ...forwarding };
}

/** The same with the numbers masked, for those who need not call them. */
export function maskedForwarding(agent: string, forwarding: CallForwarding): ForwardingObject {
  const masked = FORWARD_CASES.map((each) => [each, maskedTarget(forwarding[each])] as const);
  return { agent, ...forwarding, ...Object.fromEntries(masked) };
}

function maskedTarget(forward: ForwardTarget | null): ForwardTarget | null {
  if (forward === null || forward.type === 'agent' || forward.target === null) return forward;
  return { ...forward, target: maskNumber(forward.target) };
}
