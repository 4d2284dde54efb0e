import type { Command } from 'commander';

import { isTimeZone, RIYADH } from '../../../core/model/calendar/index.js';
import type { FraudLimits, NightLimits } from '../../../core/model/fraud/limits.js';
import { formatSar, microsFromSar } from '../../../core/model/money.js';
import { CLASSES_HELP, readClasses } from '../../common/destination-classes.js';
import { CliError, EXIT } from '../../common/failure.js';
import type { Shared } from '../../common/options.js';

/** The options that name limits. */
export interface LimitOptions extends Shared {
  readonly callsPerHour?: string;
  readonly minutesPerDay?: string;
  readonly spendPerHour?: string;
  readonly newNumberCallsPerHour?: string;
  readonly night?: string;
  readonly nightClasses?: string;
  readonly nightCallsPerHour?: string;
  readonly timeZone?: string;
}

const MOST = 1_000_000;
const NIGHT = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d)$/;
const VALUES = 'a number, none, or inherit';

/** Adds the options that name limits. */
export function addLimitOptions(command: Command): Command {
  return command
    .option('--calls-per-hour <calls>', `calls to the outside: ${VALUES}`)
    .option('--minutes-per-day <minutes>', `minutes of answered calls: ${VALUES}`)
    .option('--spend-per-hour <riyals>', `what calls cost: ${VALUES}`)
    .option('--new-number-calls-per-hour <calls>', `calls to one number that was not called before: ${VALUES}`)
    .option('--night <from-to>', 'hours such as 22:00-06:00, none, or inherit; with the three options below')
    .option('--night-classes <classes>', CLASSES_HELP)
    .option('--night-calls-per-hour <calls>', 'instead of --calls-per-hour')
    .option('--time-zone <name>', `of the night; ${RIYADH} by default`);
}

/** A limit that is to be set, or `inherit`. */
export type Change = { readonly [K in keyof FraudLimits]: FraudLimits[K] | 'inherit' };

/** @throws CliError */
export function readChange(options: LimitOptions): Change {
  const { callsPerHour, minutesPerDay, spendPerHour, newNumberCallsPerHour, night } = options;
  const others = [options.nightClasses, options.nightCallsPerHour, options.timeZone];
  if (night === undefined && others.some((option) => option !== undefined)) {
    throw new CliError('Give --night with the other options of the night.', EXIT.usage);
  }
  const whole = (option: string, text: string): number => {
    if (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= MOST) return Number(text);
    throw new CliError(`--${option}: must be a whole number from 1 to ${MOST}, none or inherit.`, EXIT.usage);
  };
  const given = <T>(text: string | undefined, read: (text: string) => T): T | null | 'inherit' | undefined => {
    if (text === undefined || text === 'inherit') return text;
    return text === 'none' ? null : read(text);
  };
  const change = {
    calls_per_hour: given(callsPerHour, (text) => whole('calls-per-hour', text)),
    minutes_per_day: given(minutesPerDay, (text) => whole('minutes-per-day', text)),
    spend_per_hour: given(spendPerHour, readRiyals),
    new_number_calls_per_hour: given(newNumberCallsPerHour, (text) => whole('new-number-calls-per-hour', text)),
    night: given(night, (text) => readNight(text, options, whole)),
  };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

function readRiyals(text: string): number {
  if (/^\d{1,7}(\.\d{1,2})?$/.test(text) && Number(text) > 0) return microsFromSar(text);
  throw new CliError('--spend-per-hour: must be an amount in riyals such as 12.50, none or inherit.', EXIT.usage);
}

function readNight(
  text: string,
  { nightClasses, nightCallsPerHour, timeZone = RIYADH }: LimitOptions,
  whole: (option: string, text: string) => number,
): NightLimits {
  const [, from = '', to = ''] = NIGHT.exec(text) ?? [];
  if (from === to) throw new CliError('--night: must be hours such as 22:00-06:00, none or inherit.', EXIT.usage);
  if (!isTimeZone(timeZone)) throw new CliError('--time-zone: must be an IANA time zone.', EXIT.usage);
  return {
    from,
    to,
    time_zone: timeZone,
    destination_classes: nightClasses === undefined ? [] : readClasses(nightClasses),
    calls_per_hour:
      nightCallsPerHour === undefined || nightCallsPerHour === 'none'
        ? null
        : whole('night-calls-per-hour', nightCallsPerHour),
  };
}

/** What an inherited limit leaves out: the next place has it. */
export function changed(before: FraudLimits, change: Change): FraudLimits {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== 'inherit'));
}

/** The columns of a table of limits. */
export const LIMIT_COLUMNS = {
  'CALLS/HOUR': ({ limits: { calls_per_hour: value } }: ShownLimits) => shownLimit(value),
  'MINUTES/DAY': ({ limits: { minutes_per_day: value } }: ShownLimits) => shownLimit(value),
  'SAR/HOUR': ({ limits: { spend_per_hour: value } }: ShownLimits) => shownLimit(value, formatSar),
  'TO A NEW NUMBER/HOUR': ({ limits: { new_number_calls_per_hour: value } }: ShownLimits) => shownLimit(value),
  NIGHT: ({ limits: { night } }: ShownLimits) => shownLimit(night, shownNight),
};

interface ShownLimits {
  readonly limits: FraudLimits;
}

function shownLimit<T extends number | NightLimits>(
  value: T | null | undefined,
  show: (value: T) => string = String,
): string {
  if (value === undefined) return '-';
  return value === null ? 'none' : show(value);
}

function shownNight({ from, to, time_zone, destination_classes, calls_per_hour }: NightLimits): string {
  const calls = calls_per_hour === null ? '' : `, ${calls_per_hour} calls/hour`;
  return `${from}-${to} ${time_zone}: ${destination_classes.join(', ') || 'nothing'}${calls}`;
}
