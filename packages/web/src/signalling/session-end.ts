import { answeredError, type HatifError } from '../errors/error.js';

/** Codes after which no other connection helps. */
const FINAL = /^(WCS_(EXPIRED|REVOKED|NOT_FOUND)|WEB_CALLING_DISABLED)$/;
const ANSWER_MS = 5_000;

/**
 * Why the platform refuses a WebSocket: browsers do not report it to pages, so that a session that is over looks like a network
 * that is away. The address answers plain requests with the same error.
 * @returns null if the session is not over, or nobody answers
 */
export async function endOfSession(webSocketUrl: string): Promise<HatifError | null> {
  const answer = await fetch(webSocketUrl.replace(/^ws/, 'http'), {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => null);
  if (answer === null) return null;
  const error = answeredError(answer.status, await answer.json().catch(() => null));
  return FINAL.test(error.code) ? error : null;
}
