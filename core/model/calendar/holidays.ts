import { dateOfDay, hijriOf, type LocalDate } from './local.js';
import type { Holiday } from './opening-hours.js';

interface Preset {
  readonly days: number;
  /** Whether the holiday starts on this day. */
  readonly begins: (day: number) => boolean;
}

const [RAMADAN, DHU_AL_HIJJAH] = [9, 12];

/**
 * Implementing regulations of the Saudi Labor Law, article 24: how each holiday begins and how long
 * it lasts for employers.
 */
const PRESETS: Readonly<Record<Extract<Holiday, { preset: string }>['preset'], Preset>> = {
  // From the day after 29 Ramadan, whether or not the month has a thirtieth day.
  eid_al_fitr: { days: 4, begins: (day) => isHijri(day - 1, RAMADAN, 29) },
  // From the day of Arafah.
  eid_al_adha: { days: 4, begins: (day) => isHijri(day, DHU_AL_HIJJAH, 9) },
  national_day: { days: 1, begins: (day) => isGregorian(day, 9, 23) },
  founding_day: { days: 1, begins: (day) => isGregorian(day, 2, 22) },
};

/** Whether the holiday includes this day (see `dayNumber`). */
export function covers(holiday: Holiday, day: number): boolean {
  const { days, begins } = 'preset' in holiday ? PRESETS[holiday.preset] : ofDate(holiday);
  for (let first = day; first > day - (holiday.days ?? days); first--) if (begins(first)) return true;
  return false;
}

export function isRamadan(day: number): boolean {
  return hijriOf(dateOfDay(day)).month === RAMADAN;
}

function ofDate({ date, calendar }: Extract<Holiday, { date: string }>): Preset {
  const [dayOfMonth, month, year] = date.split('-').map(Number).reverse();
  const read = calendar === 'umm_al_qura' ? hijriOf : (local: LocalDate): LocalDate => local;
  return {
    days: 1,
    begins(day) {
      const local = read(dateOfDay(day));
      return local.day === dayOfMonth && local.month === month && (year === undefined || local.year === year);
    },
  };
}

function isHijri(day: number, month: number, dayOfMonth: number): boolean {
  const date = hijriOf(dateOfDay(day));
  return date.month === month && date.day === dayOfMonth;
}

function isGregorian(day: number, month: number, dayOfMonth: number): boolean {
  const date = dateOfDay(day);
  return date.month === month && date.day === dayOfMonth;
}
