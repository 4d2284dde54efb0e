import type { Ending } from '../../core/services/calls/program.js';

/** The program is done: an answered call ends normally; one that was not answered was picked up by nobody. */
export const NORMAL: Ending = { q850: 16, status: 'missed', disposition: 'no_answer' };

/** The other party was not to be had. */
export const NO_ANSWER: Ending = { q850: 19, status: 'missed', disposition: 'no_answer' };
