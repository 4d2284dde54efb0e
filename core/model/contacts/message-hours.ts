import { dateOfDay, dayNumber, localTime, momentOf, type LocalDate } from '../calendar/local.js';
import type { MessageClass } from '../messaging/message.js';
import { CONSENT_CLASSES, type ConsentClass } from './consent.js';

const MINUTES_A_DAY = 24 * 60;

/** The hours in which messages of some classes may be sent, on some days. */
export interface MessageHours {
  readonly classes: readonly ConsentClass[];
  /** First and last day, of the recipient's calendar (`2027-02-08`); null: no first, no last one. */
  readonly from: string | null;
  readonly to: string | null;
  /** Minutes after midnight. `closes` is not included; beyond 24 hours it is on the next day. */
  readonly opens: number;
  readonly closes: number;
  /** Who says so: shown with a refusal. */
  readonly source: string;
}

/** What applies without a setting. */
export const DEFAULT_MESSAGE_HOURS: readonly MessageHours[] = [
  {
    classes: ['promotional', 'awareness'],
    from: null,
    to: null,
    opens: 9 * 60,
    closes: 22 * 60,
    source: 'Hatif’s default, from published guidance for messages in Saudi Arabia',
  },
];

const CLASS = CONSENT_CLASSES.join('|');
const ROW = new RegExp(
  `^((?:${CLASS})(?:\\+(?:${CLASS}))*) (?:always|(\\d{4}-\\d{2}-\\d{2})\\.\\.(\\d{4}-\\d{2}-\\d{2})) (\\d{2}:\\d{2})-(\\d{2}:\\d{2}) (\\S.{0,199})$`,
);

/**
 * Reads rows as the setting MESSAGE_HOURS has them, separated by semicolons:
 * `promotional+awareness 2027-02-08..2027-03-09 10:00-02:00 Ramadan 1448`. Hours that end before they begin end on the
 * next day.
 * @throws RangeError naming a row that is wrong
 */
export function parseMessageHours(text: string): MessageHours[] {
  const rows = text.split(';').map((row) => row.trim());
  return rows.filter((row) => row !== '').map(parseRow);
}

function parseRow(row: string): MessageHours {
  const [, classes = '', from = null, to = null, open = '', close = '', source = ''] = ROW.exec(row) ?? [];
  const [opens, closes] = [minutesOf(open), minutesOf(close)];
  const isWrong = (from !== null && (!isDay(from) || !isDay(to ?? '') || from > (to ?? ''))) || source === '';
  if (isWrong || opens === null || closes === null || opens === MINUTES_A_DAY) {
    throw new RangeError(
      `“${row}” must be like “promotional+awareness 2027-02-08..2027-03-09 10:00-24:00 Ramadan 1448”, or have always in place of the days`,
    );
  }
  return {
    classes: CONSENT_CLASSES.filter((known) => classes.split('+').includes(known)),
    ...{ from, to, opens, source },
    closes: closes > opens ? closes : closes + MINUTES_A_DAY,
  };
}

export type HoursAnswer =
  | { readonly isOpen: true }
  /** `until`: the next moment at which the class may be sent; null: none within two weeks. */
  | { readonly isOpen: false; readonly until: Date | null; readonly source: string };

const DAYS_AHEAD = 14;

/**
 * Whether a message of a class may be sent now, by the clock of its recipient. Of the rows that are in force on a day,
 * the last one counts; a class without a row may always be sent.
 * @throws RangeError for an unknown time zone
 */
export function hoursAt(
  rows: readonly MessageHours[],
  messageClass: MessageClass,
  at: Date,
  timeZone: string,
): HoursAnswer {
  const local = localTime(at, timeZone);
  const today = dayNumber(local);
  const minutes = local.hour * 60 + local.minute;
  const own = rowOn(rows, messageClass, today);
  const evening = rowOn(rows, messageClass, today - 1);
  if (own === null || isWithin(own, minutes)) return { isOpen: true };
  if (evening !== null && isWithin(evening, minutes + MINUTES_A_DAY)) return { isOpen: true };
  const days = Array.from({ length: DAYS_AHEAD }, (_, ahead) => today + ahead);
  const openings = days.map((day) => momentOf(dateOfDay(day), rowOn(rows, messageClass, day)?.opens ?? 0, timeZone));
  return { isOpen: false, until: openings.find((moment) => moment > at) ?? null, source: own.source };
}

function rowOn(rows: readonly MessageHours[], messageClass: MessageClass, day: number): MessageHours | null {
  const date = dateText(dateOfDay(day));
  const found = rows.findLast(
    ({ classes, from, to }) =>
      classes.some((one) => one === messageClass) && (from === null || from <= date) && (to === null || date <= to),
  );
  return found ?? null;
}

function isWithin({ opens, closes }: MessageHours, minutes: number): boolean {
  return opens <= minutes && minutes < closes;
}

/** Null if it is no time of a day. */
function minutesOf(text: string): number | null {
  const [hours = NaN, minutes = NaN] = text.split(':').map(Number);
  const total = hours * 60 + minutes;
  return minutes < 60 && total <= MINUTES_A_DAY ? total : null;
}

function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return dateText(dateOfDay(dayNumber({ year, month, day }))) === text;
}

function dateText({ year, month, day }: LocalDate): string {
  return [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-');
}
