import { timingSafeEqual } from 'node:crypto';
import type { Cipher } from '../../model/access/cipher.js';
import type { Clock } from '../../ports/clock.js';

/** How long a visitor can follow a callback. */
const LASTS_SECONDS = 3_600;

export interface StatusToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Lets whoever asked for a callback follow it, and nobody else, for an hour. */
export class StatusTokens {
  constructor(
    private readonly cipher: Cipher,
    private readonly clock: Clock,
  ) {}

  make(widgetId: string, callbackId: string): StatusToken {
    const expires = Math.floor(this.clock.now().getTime() / 1000) + LASTS_SECONDS;
    const token = `${expires}.${this.#sign(widgetId, callbackId, String(expires))}`;
    return { token, expiresAt: new Date(expires * 1000) };
  }

  isGood(widgetId: string, callbackId: string, token: string): boolean {
    const [expires = '', signature = ''] = token.split('.');
    const [wanted, given] = [Buffer.from(this.#sign(widgetId, callbackId, expires)), Buffer.from(signature)];
    if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) return false;
    return Number(expires) * 1000 > this.clock.now().getTime();
  }

  #sign(widgetId: string, callbackId: string, expires: string): string {
    return this.cipher.mac('widget', `callback/${widgetId}/${callbackId}/${expires}`);
  }
}
