/** Shorter is a hang-up, not a message. */
export const SHORTEST_MESSAGE_MS = 1_000;
/** Of full scale (-40 dBFS): what stays below it is the noise of a line on which nobody speaks. */
const SILENT_PEAK = 0.01;

/** Whether somebody said something. @param peak of the loudest sample, 1 is full scale */
export function isMessage(durationMs: number, peak: number): boolean {
  return durationMs >= SHORTEST_MESSAGE_MS && peak >= SILENT_PEAK;
}

/** For how long a box records by itself. */
export const DEFAULT_MESSAGE_SECONDS = 120;

/** How many messages there are for somebody. */
export interface MessageCounts {
  /** That nobody heard yet. */
  readonly fresh: number;
  readonly heard: number;
}

/** Of a box that is heard by phone. */
export const PIN_PATTERN = /^[0-9]{4,10}$/;
