/** How far ahead of their time messages of a broadcast with a rate are accepted. */
const AHEAD_MS = 2_000;

/** How many messages may be accepted now, and when each is due. */
export interface Pace {
  readonly most: number;
  readonly at: (place: number) => Date;
  /** When the message after these may be sent. */
  readonly next: (count: number) => Date | null;
  /** When it makes sense to look again if `most` is 0. */
  readonly lookAt: Date;
}

/**
 * Spreads messages evenly over time.
 * @param until when the next message may be sent, as the last batch left it
 */
export function paceOf(ratePerMinute: number | null, until: Date | null, now: Date): Pace {
  if (ratePerMinute === null) return { most: Infinity, at: () => now, next: () => null, lookAt: now };
  const intervalMs = 60_000 / ratePerMinute;
  const startMs = Math.max(now.getTime(), until?.getTime() ?? 0);
  const roomMs = now.getTime() + AHEAD_MS - startMs;
  const at = (place: number): Date => new Date(startMs + place * intervalMs);
  return {
    most: roomMs < 0 ? 0 : Math.floor(roomMs / intervalMs) + 1,
    at,
    next: at,
    lookAt: new Date(Math.max(now.getTime(), startMs - AHEAD_MS)),
  };
}
