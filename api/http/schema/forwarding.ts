import { z } from 'zod';
import { NO_ANSWER_SECONDS } from '../../../core/model/call/forwarding.js';
import { destination } from './schemas.js';

const target = destination(['agent', 'number', 'voicemail']).nullable().optional();

/** A change of an agent's forwarding. The route must declare INVALID_PHONE_NUMBER. */
export const forwardingChange = z.strictObject({
  do_not_disturb: z.boolean().optional(),
  always: target,
  busy: target,
  no_answer: target,
  no_answer_seconds: z.int().min(NO_ANSWER_SECONDS.min).max(NO_ANSWER_SECONDS.max).optional(),
  unregistered: target,
});

/** The errors with which a change is refused, besides those of any request. */
export const FORWARDING_ERRORS = ['NOT_FOUND', 'INVALID_PHONE_NUMBER'] as const;

export const FORWARDING_CHANGES =
  'Absent members stay unchanged; null cancels a forward. It applies to the next direct call. Calls are forwarded to an ' +
  'agent of the project, to a number that the agent may call, or to voicemail: that of a number of the project, or of ' +
  'the agent’s own number if `target` is null. Queues offer their callers to phones and do not forward them.';
