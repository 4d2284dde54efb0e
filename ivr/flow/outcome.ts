/** What an action results in: never null or undefined, which mean that there is no outcome yet. */
export type Outcome = string | number | boolean | object;

/** The outcome of an action that has nothing to report. */
export const DONE = 'done';
export type Done = typeof DONE;
