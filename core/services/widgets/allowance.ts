import ipaddr from 'ipaddr.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError } from '../../model/errors/index.js';
import { isBlocked } from '../verify/limits.js';
import type { RateLimiter } from '../access/rate-limit.js';

export interface WidgetLimits {
  /** Maximum callbacks, and codes, that one visitor's address can request in ten minutes. */
  readonly perAddress: number;
  /** Maximum per telephone number in ten minutes, across all widgets. */
  readonly perNumber: number;
  /** Number prefixes (E.164) that are never called, because their owners earn on incoming calls. */
  readonly blockedPrefixes: readonly string[];
}

const WINDOW_SECONDS = 600;

/** Limits how often visitors can make the platform call telephones. */
export class WidgetAllowance {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly limits: WidgetLimits,
    private readonly cipher: Cipher,
  ) {}

  /** @throws HatifError INVALID_PHONE_NUMBER, RATE_LIMIT_EXCEEDED */
  async take(action: 'callback' | 'code', ip: string, e164: string): Promise<void> {
    const { perAddress, perNumber, blockedPrefixes } = this.limits;
    if (isBlocked(e164, blockedPrefixes)) throw new HatifError('INVALID_PHONE_NUMBER', { field: 'to' });
    await this.#take(`widget:${action}:address:${subscriber(ip)}`, perAddress);
    await this.#take(`widget:${action}:number:${this.cipher.mac('widget', `number/${e164}`)}`, perNumber);
  }

  async #take(subject: string, limit: number): Promise<void> {
    const { allowed, resetSeconds } = await this.limiter.take(subject, limit, WINDOW_SECONDS);
    if (allowed) return;
    throw new HatifError('RATE_LIMIT_EXCEEDED', {
      limit,
      window_seconds: WINDOW_SECONDS,
      retry_after_seconds: resetSeconds,
    });
  }
}

/** The IPv4 address, or the /64 network of an IPv6 address, which is what a provider assigns to one customer. */
function subscriber(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4' ? address.toString() : (address as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
