import { Q850 } from '../../core/model/call/hangup-cause.js';
import type { Ending } from '../../core/services/call-state/program.js';

/** The program has finished: an answered call ends normally, an unanswered one counts as missed. */
export const NORMAL: Ending = { q850: Q850.NORMAL_CLEARING, status: 'missed', disposition: 'no_answer' };

/** No agent of the queue answered in time. */
export const QUEUE_TIMEOUT: Ending = { q850: Q850.NO_ANSWER, status: 'timeout', disposition: 'queue_timeout' };

/** The queue does not exist, or no longer exists. */
export const NO_QUEUE: Ending = { q850: Q850.NO_ROUTE_DESTINATION, status: 'failed', disposition: 'failed' };
