import { z } from 'zod';
import { readIban } from './iban.js';

/** The forms that values of settings may have, as the environment spells them. */

export const text = z.string().trim().min(1);
export const flag = z
  .enum(['true', 'false', '1', '0', 'on', 'off'])
  .transform((value) => ['true', '1', 'on'].includes(value));
export const port = z.coerce.number().int().min(0).max(65535);
export const seconds = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
export const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
export const url = (...protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    message: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

const CALL_PRICE = /^(inbound|outbound)(?:\.(inbound|outbound|callback|web))?=(\d{1,6}(?:\.\d{1,6})?)$/;

/** The price of a minute; without a kind it applies to all kinds of the direction. */
export interface CallPriceSetting {
  readonly direction: 'inbound' | 'outbound';
  readonly kind: 'inbound' | 'outbound' | 'callback' | 'web' | null;
  readonly sar: string;
}

export const callPrice = z.string().transform((given, ctx): CallPriceSetting => {
  const [, direction, kind = null, sar] = CALL_PRICE.exec(given) ?? [];
  if (direction !== undefined && sar !== undefined) return { direction, kind, sar } as CallPriceSetting;
  ctx.addIssue({
    code: 'custom',
    message: `must have a form such as outbound=0.12 or outbound.callback=0.15, not ${given}`,
  });
  return z.NEVER;
});

export function areDifferent(prices: readonly CallPriceSetting[]): boolean {
  return new Set(prices.map(({ direction, kind }) => `${direction}.${String(kind)}`)).size === prices.length;
}

/** Scheme and host, `*.` for all subdomains, and a port. */
export const ORIGIN = /^https?:\/\/(\*\.)?[a-z0-9.-]+(:\d{1,5})?$/;

/** A range of numbers, both ends included. */
export interface NumberRangeSetting {
  readonly from: string;
  readonly to: string;
}

export const numberRange = z.string().transform((given, ctx): NumberRangeSetting => {
  const [, from = '', to = from] = /^(\+[1-9]\d{6,14})(?:-(\+[1-9]\d{6,14}))?$/.exec(given) ?? [];
  if (from !== '' && from.length === to.length && from <= to) return { from, to };
  ctx.addIssue({ code: 'custom', message: `must have a form such as +966115551000-+966115551999, not ${given}` });
  return z.NEVER;
});

/** Larger ranges are imported instead. */
export const MOST_IN_RANGES = 100_000;

export function isSearchable(ranges: readonly NumberRangeSetting[]): boolean {
  const count = ranges.reduce((sum, { from, to }) => sum + Number(BigInt(to) - BigInt(from)) + 1, 0);
  return count <= MOST_IN_RANGES;
}

export const ibanSetting = z.string().transform((given, ctx): string => {
  const iban = readIban(given);
  if (iban !== null) return iban;
  ctx.addIssue({ code: 'custom', message: 'is not an IBAN: its checksum or length is wrong' });
  return z.NEVER;
});

/** Standard Webhooks' form of secrets: `whsec_` and the base64 of at least 24 bytes. */
export function isWebhookSecret(secret: string): boolean {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/.exec(secret) ?? [];
  return encoded !== undefined && Buffer.from(encoded, 'base64').toString('base64') === encoded;
}
