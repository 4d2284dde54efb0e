import ipaddr from 'ipaddr.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError } from '../../model/errors/index.js';
import { isBlocked } from '../verify/limits.js';
import type { RateLimiter } from '../access/rate-limit.js';

export interface WidgetLimits {
  /** Telephones that are rung, or sent a code, for one address in ten minutes. */
  readonly perAddress: number;
  /** How often in ten minutes for one telephone, whatever the widget. */
  readonly perNumber: number;
  /** Beginnings of numbers (E.164) that are never rung: somebody is paid for calls to them. */
  readonly blockedPrefixes: readonly string[];
}

const WINDOW_SECONDS = 600;

/** How often visitors may have telephones rung. */
export class WidgetAllowance {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly limits: WidgetLimits,
    private readonly cipher: Cipher,
  ) {}

  /** @throws HatifError INVALID_PHONE_NUMBER, RATE_LIMIT_EXCEEDED */
  async take(what: 'callback' | 'code', ip: string, e164: string): Promise<void> {
    const { perAddress, perNumber, blockedPrefixes } = this.limits;
    if (isBlocked(e164, blockedPrefixes)) throw new HatifError('INVALID_PHONE_NUMBER', { field: 'to' });
    await this.#take(`widget:${what}:address:${household(ip)}`, perAddress);
    await this.#take(`widget:${what}:number:${this.cipher.mac('widget', `number/${e164}`)}`, perNumber);
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

/** The address, or of an IPv6 address the network of 64 bits, which is what one customer of a provider has. */
function household(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4' ? address.toString() : (address as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
