/**
 * The result of probing a trunk. `up`: it answers, with any response; `down`: it does not. `unknown`: there is no result
 * yet.
 */
export type TrunkState = 'up' | 'down' | 'unknown';
