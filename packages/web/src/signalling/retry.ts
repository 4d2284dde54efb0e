const FIRST_MS = 250;
const LONGEST_MS = 8_000;
/** Who speaks does not wait longer than this for a network that is back. */
const LONGEST_IN_CALL_MS = 500;

/** A registration that is refused for a passing reason is tried again after this. */
export const REFUSED_RETRY_MS = 5_000;
/** The pauses before a browser that nobody knows yet tries again: soon, then three times as long. */
const UNKNOWN_RETRIES_MS = [250, 750, 2_250];

const PATIENT_MS = 10_000;
/** Enough for a network that answers, and for the second packet of one that has just come back. */
const IMPATIENT_MS = 3_000;

/**
 * How long to wait before another connection: at once at first, then doubled, with up to a half less, so that the browsers
 * of a platform that restarts do not come all at once.
 * @param attempts those that failed before
 * @param random 0 to 1
 */
export function retryDelayMs(attempts: number, random: number, isInCall: boolean): number {
  if (attempts === 0) return 0;
  const longest = Math.min(isInCall ? LONGEST_IN_CALL_MS : LONGEST_MS, FIRST_MS * 2 ** (attempts - 1));
  return Math.round(longest * (1 - random / 2));
}

/**
 * How long a connection may take before it is given up: a network that is away answers nothing, and each unanswered packet
 * makes the browser wait twice as long before the next. During a call only every third attempt is for slow networks.
 * @param attempts those that failed before
 */
export function connectWithinMs(attempts: number, isInCall: boolean): number {
  return isInCall && attempts % 3 !== 2 ? IMPATIENT_MS : PATIENT_MS;
}

/**
 * How long to wait after a refusal of the first registration. If an engine has just started, or many browsers reach it at
 * once, it may not know this one yet, and refuses it like a wrong password.
 * @param status of SIP
 * @param refusals those before
 * @returns null if another attempt does not help
 */
export function firstRetryMs(status: number, refusals: number): number | null {
  return status === 401 || status === 403 ? (UNKNOWN_RETRIES_MS[refusals] ?? null) : null;
}
