import { timingSafeEqual } from 'node:crypto';
import type { Cipher } from '../../model/access/cipher.js';
import type { Clock } from '../../ports/clock.js';

/** How long a visitor can follow a callback. */
const LIFETIME_SECONDS = 3_600;

export interface StatusToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Signs tokens that let the visitor who requested a callback, and nobody else, follow it for an hour. */
export class StatusTokens {
  constructor(
    private readonly cipher: Cipher,
    private readonly clock: Clock,
  ) {}

  make(widgetId: string, callbackId: string): StatusToken {
    const expires = Math.floor(this.clock.now().getTime() / 1000) + LIFETIME_SECONDS;
    const token = `${expires}.${this.#sign(widgetId, callbackId, String(expires))}`;
    return { token, expiresAt: new Date(expires * 1000) };
  }

  isValid(widgetId: string, callbackId: string, token: string): boolean {
    const [expires = '', signature = ''] = token.split('.');
    const [expected, given] = [Buffer.from(this.#sign(widgetId, callbackId, expires)), Buffer.from(signature)];
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return false;
    return Number(expires) * 1000 > this.clock.now().getTime();
  }

  #sign(widgetId: string, callbackId: string, expires: string): string {
    return this.cipher.mac('widget', `callback/${widgetId}/${callbackId}/${expires}`);
  }
}
