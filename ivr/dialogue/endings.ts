import { Q850 } from '../../core/model/call/hangup-cause.js';
import type { Ending } from '../../core/services/call-state/program.js';

/** The program is done: an answered call ends normally; one that was not answered was picked up by nobody. */
export const NORMAL: Ending = { q850: Q850.NORMAL_CLEARING, status: 'missed', disposition: 'no_answer' };

/** No agent of the queue came in time. */
export const QUEUE_TIMEOUT: Ending = { q850: Q850.NO_ANSWER, status: 'timeout', disposition: 'queue_timeout' };

/** There is no such queue (any more). */
export const NO_QUEUE: Ending = { q850: Q850.NO_ROUTE_DESTINATION, status: 'failed', disposition: 'failed' };
