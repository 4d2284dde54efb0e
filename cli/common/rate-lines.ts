import { CALL_KINDS, type CallDirection, type CallKind } from '../../core/model/call/call.js';
import { microsFromSar } from '../../core/model/money.js';
import { OWNABLE_KINDS } from '../../core/model/number/search.js';
import { CHANNELS } from '../../core/model/messaging/channels.js';
import type { MessageRate } from '../../core/model/rating/message-rate.js';
import type { NumberFee } from '../../core/model/rating/number-fee.js';
import type { Rate } from '../../core/model/rating/rate.js';
import type { CsvFault, CsvRow } from './csv.js';

/** The columns of a file of rates. */
export const RATE_COLUMNS = [
  'direction',
  'kind',
  'prefix',
  'per_minute_sar',
  'increment_seconds',
  'minimum_seconds',
  'monthly_sar',
  'per_segment_sar',
] as const;

/** What a line holds: the rate of calls, the monthly fee of numbers, the price of messages, or a fault. */
export interface ReadLine {
  readonly rate?: Rate;
  readonly fee?: NumberFee;
  readonly messageRate?: MessageRate;
  readonly fault?: CsvFault;
}

/** Reads the rate of calls, the fee of numbers, or the price of messages, of a line. */
export function rateOf(row: CsvRow): ReadLine {
  const { line, values } = row;
  const { direction = '', kind = '', prefix = '', per_minute_sar = '', monthly_sar = '' } = values;
  const fault = (message: string): { fault: CsvFault } => ({ fault: { line, message } });
  if (direction === 'message') return messageRateOf(row);
  if (values.per_segment_sar) return fault('per_segment_sar is only for lines whose direction is message');
  if (direction === 'number') return feeOf(row);
  if (monthly_sar !== '') return fault('monthly_sar is only for lines whose direction is number');
  if (!isDirection(direction))
    return fault(`direction must be outbound, inbound, number or message, not "${direction}"`);
  if (kind !== '' && !isKind(kind)) return fault(`kind must be one of ${CALL_KINDS.join(', ')}, or empty`);
  const digits = prefix.replace(/^\+/, '');
  if (!/^\d{0,15}$/.test(digits)) return fault(`prefix must be the start of an E.164 number, not "${prefix}"`);
  if (!PRICE.test(per_minute_sar)) return fault(`per_minute_sar is not a price: "${per_minute_sar}"`);
  const incrementSeconds = secondsOf(values.increment_seconds, 60);
  const minimumSeconds = secondsOf(values.minimum_seconds, 0);
  if (incrementSeconds === null || incrementSeconds === 0) return fault('increment_seconds must be 1 to 3600');
  if (minimumSeconds === null) return fault('minimum_seconds must be 0 to 3600');
  const perMinute = microsFromSar(per_minute_sar);
  const rate = {
    direction,
    kind: kind === '' ? null : kind,
    prefix: digits,
    perMinute,
    incrementSeconds,
    minimumSeconds,
  };
  return { rate };
}

function feeOf({ line, values }: CsvRow): ReadLine {
  const { kind = '', prefix = '', monthly_sar = '' } = values;
  const fault = (message: string): { fault: CsvFault } => ({ fault: { line, message } });
  const known = OWNABLE_KINDS.find((one) => one === kind);
  if (kind !== '' && !known) return fault(`kind must be one of ${OWNABLE_KINDS.join(', ')}, or empty`);
  const digits = prefix.replace(/^\+/, '');
  if (!/^\d{0,15}$/.test(digits)) return fault(`prefix must be the start of an E.164 number, not "${prefix}"`);
  const unused = (['per_minute_sar', 'increment_seconds', 'minimum_seconds'] as const).find((name) => values[name]);
  if (unused !== undefined) return fault(`${unused} is not for a line whose direction is number`);
  if (!PRICE.test(monthly_sar)) return fault(`monthly_sar is not a price: "${monthly_sar}"`);
  return { fee: { kind: known ?? null, prefix: digits, monthly: microsFromSar(monthly_sar) } };
}

function messageRateOf({ line, values }: CsvRow): ReadLine {
  const { kind = '', prefix = '', per_segment_sar = '' } = values;
  const fault = (message: string): { fault: CsvFault } => ({ fault: { line, message } });
  const channel = CHANNELS.find((one) => one === kind);
  if (!channel) return fault(`kind must be one of ${CHANNELS.join(', ')} for a line whose direction is message`);
  const digits = prefix.replace(/^\+/, '');
  if (!/^\d{0,15}$/.test(digits)) return fault(`prefix must be the start of an E.164 number, not "${prefix}"`);
  const others = ['per_minute_sar', 'increment_seconds', 'minimum_seconds', 'monthly_sar'] as const;
  const unused = others.find((name) => values[name]);
  if (unused !== undefined) return fault(`${unused} is not for a line whose direction is message`);
  if (!PRICE.test(per_segment_sar)) return fault(`per_segment_sar is not a price: "${per_segment_sar}"`);
  return { messageRate: { channel, prefix: digits, perSegment: microsFromSar(per_segment_sar) } };
}

const PRICE = /^\d{1,6}(\.\d{1,6})?$/;

function isDirection(text: string): text is CallDirection {
  return text === 'outbound' || text === 'inbound';
}

function isKind(text: string): text is CallKind {
  return (CALL_KINDS as readonly string[]).includes(text);
}

function secondsOf(text: string | undefined, usual: number): number | null {
  if (text === undefined || text === '') return usual;
  return /^\d{1,4}$/.test(text) && Number(text) <= 3600 ? Number(text) : null;
}

/** With two rates for the same calls it would be undefined which one applies. */
export function repeated(rows: readonly CsvRow[]): CsvFault[] {
  const seen = new Map<string, number>();
  return rows.flatMap(({ line, values: { direction, kind, prefix = '' } }) => {
    const key = JSON.stringify([direction, kind, prefix.replace(/^\+/, '')]);
    const first = seen.get(key);
    if (first !== undefined) return { line, message: `has the same direction, kind and prefix as line ${first}` };
    seen.set(key, line);
    return [];
  });
}
