import { setTimeout as delay } from 'node:timers/promises';
import { AriRefusal } from './ari-http.js';

const EVERY_MS = 20;
const ATTEMPTS = 50;

/**
 * Sends a command to something that Asterisk reports as started a moment before it accepts commands. Repeats it for up
 * to a second while Asterisk refuses it with `notYet`.
 * @param notYet the HTTP status of a refusal that means "not yet"
 * @throws EngineError for another failure, or if Asterisk still refuses after a second
 */
export async function untilReady(notYet: number, send: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await send();
      return;
    } catch (error) {
      const isTooEarly = error instanceof AriRefusal && error.status === notYet;
      if (!isTooEarly || attempt === ATTEMPTS) throw error;
      await delay(EVERY_MS);
    }
  }
}
