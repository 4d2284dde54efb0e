import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import { z } from 'zod';
import { readIban } from './iban.js';

/**
 * The forms that values of settings may have, as the environment spells them. A message says what is allowed and reads
 * on from the variable's name: `must be …`. readSettings() adds the value.
 */

export const text = z.string().trim().min(1, 'must not be empty');

export const shortText = (most: number) => text.max(most, `must have at most ${most} characters`);

export const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

export const flag = oneOf('true', 'false', '1', '0', 'on', 'off').transform((value) =>
  ['true', '1', 'on'].includes(value),
);

/** A whole number in decimal digits. */
export const count = (min: number, max: number) =>
  z.string().transform((given, ctx): number => {
    const digits = given.trim();
    if (/^\d+$/.test(digits) && Number(digits) >= min && Number(digits) <= max) return Number(digits);
    ctx.addIssue({ code: 'custom', message: `must be a whole number from ${min} to ${max}` });
    return z.NEVER;
  });

export const port = count(1, 65_535);

/** A port of which 0 lets the system choose a free one. */
export const anyPort = count(0, 65_535);

const NOT_EMPTY = 'must name at least one';

/** Several values with commas between. */
export const list = z.string().transform(itemsOf);

export function itemsOf(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Some of these values, at least one. */
export const someOf = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  list.pipe(z.array(oneOf(...values)).min(1, `${NOT_EMPTY} of ${values.join(', ')}`));

/** Items of one form. */
export const listOf = <Item extends z.ZodType<unknown, string>>(item: Item) => list.pipe(z.array(item));

export const matching = (form: RegExp, message: string) => z.string().regex(form, message);

/** `feature=code`, as the two. */
export const codeOfFeature = z.string().transform((given, ctx): readonly [string, string] => {
  const [, feature, code] = /^([a-z_]+)=(\S+)$/.exec(given) ?? [];
  if (feature !== undefined && code !== undefined) return [feature, code];
  ctx.addIssue({ code: 'custom', message: 'must be features with codes such as do_not_disturb=*76' });
  return z.NEVER;
});

export const url = (...protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    message: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

/** An address to listen on. Names are not resolved, because a name can have several addresses. */
export const ipAddress = z
  .string()
  .trim()
  .refine((value) => isIP(value) !== 0, 'must be an IP address of this machine, or 0.0.0.0 for all of them');

/** An address to connect to. */
export const hostName = matching(/^[\w.:-]+$/, 'must be an IP address or a host name');

/** A name that an authority can put into a certificate: no address, and without a placeholder. */
export const domainName = z
  .string()
  .transform((name) => name.toLowerCase())
  .pipe(
    matching(
      /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/,
      'must be host names such as voice.example.com, without *',
    ),
  );

export const hostAndPort = matching(/^(\[[\da-f:]+\]|[\w.-]+)(:\d{1,5})?$/i, 'must be host or host:port');

/** An address of another machine, which no name stands for. */
export const address = z.string().refine((value) => isIP(value) !== 0, 'must be IP addresses');

const NETWORK = 'must be IP addresses or networks such as 192.168.0.0/16';

/** An IP address, or a network with the length of its prefix or an IPv4 mask. */
export const network = z.string().refine(isNetwork, NETWORK);

/** Express takes these names, too. */
export const proxy = z
  .string()
  .refine(
    (value) => ['loopback', 'linklocal', 'uniquelocal'].includes(value) || isNetwork(value),
    `${NETWORK}, or loopback, linklocal or uniquelocal`,
  );

function isNetwork(value: string): boolean {
  const [address = '', mask, ...more] = value.split('/');
  if (isIP(address) === 0 || more.length > 0) return false;
  if (mask === undefined || ipaddr.isValidCIDR(value)) return true;
  return isIP(address) === 4 && isIP(mask) === 4 && ipaddr.IPv4.parse(mask).prefixLengthFromSubnetMask() !== null;
}

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
  ctx.addIssue({ code: 'custom', message: 'must have a form such as outbound=0.12 or outbound.callback=0.15' });
  return z.NEVER;
});

const NUMBER_PRICE = /^(geographic|mobile|toll_free|unified|foreign)=(\d{1,6}(?:\.\d{1,6})?)$/;

/** The price of a number of that kind for a month. */
export interface NumberPriceSetting {
  readonly kind: 'geographic' | 'mobile' | 'toll_free' | 'unified' | 'foreign';
  readonly sar: string;
}

export const numberPrice = z.string().transform((given, ctx): NumberPriceSetting => {
  const [, kind, sar] = NUMBER_PRICE.exec(given) ?? [];
  if (kind !== undefined && sar !== undefined) return { kind, sar } as NumberPriceSetting;
  ctx.addIssue({ code: 'custom', message: 'must have a form such as geographic=15 or mobile=20.50' });
  return z.NEVER;
});

/** The price of a segment of messages on a channel. */
export interface MessagePriceSetting {
  readonly channel: 'chatapp' | 'sms' | 'webchat' | 'email';
  readonly sar: string;
}

export const messagePrice = z.string().transform((given, ctx): MessagePriceSetting => {
  const [, channel, sar] = /^(chatapp|sms|webchat|email)=(\d{1,6}(?:\.\d{1,6})?)$/.exec(given) ?? [];
  if (channel !== undefined && sar !== undefined) return { channel, sar } as MessagePriceSetting;
  ctx.addIssue({ code: 'custom', message: 'must have a form such as sms=0.08 or email=0.01' });
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
  ctx.addIssue({ code: 'custom', message: 'must have a form such as +966115551000-+966115551999' });
  return z.NEVER;
});

/** A server of web calling: `[region=]turn:host[:port][?transport=udp|tcp]`, or with `turns:` or `stun:`. */
export const iceServerAddress = z.string().transform((given, ctx): IceServerSetting => {
  const [, region = null, url] =
    /^(?:([a-z0-9-]{1,32})=)?((?:stun|turns?):(?:[\w.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?(?:\?transport=(?:udp|tcp))?)$/.exec(
      given,
    ) ?? [];
  if (url !== undefined) return { region, url };
  ctx.addIssue({ code: 'custom', message: 'must have a form such as turn:turn.example.com:3478 or eu=turns:…' });
  return z.NEVER;
});

interface IceServerSetting {
  readonly region: string | null;
  readonly url: string;
}

/** Larger ranges are imported instead. */
export const MOST_IN_RANGES = 100_000;

export function isSearchable(ranges: readonly NumberRangeSetting[]): boolean {
  const count = ranges.reduce((sum, { from, to }) => sum + Number(BigInt(to) - BigInt(from)) + 1, 0);
  return count <= MOST_IN_RANGES;
}

export const ibanSetting = z.string().transform((given, ctx): string => {
  const iban = readIban(given);
  if (iban !== null) return iban;
  ctx.addIssue({ code: 'custom', message: 'must be an IBAN with the right length and checksum' });
  return z.NEVER;
});

/** Standard Webhooks' form of secrets: `whsec_` and the base64 of at least 24 bytes. */
export const webhookSecret = z.string().refine(isWebhookSecret, 'must be whsec_ and the base64 of at least 24 bytes');

function isWebhookSecret(secret: string): boolean {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/.exec(secret) ?? [];
  return encoded !== undefined && Buffer.from(encoded, 'base64').toString('base64') === encoded;
}
