import type { HijriDate, LocalDate, LocalTime } from '../calendar/local.js';
import { weekdayOf } from '../calendar/local.js';
import { spokenCount } from './count.js';
import { englishYear } from './english.js';
import type { GrammaticalCase, SpokenLanguage } from './language.js';
import { spokenNumber, spokenOrdinal } from './number.js';

/** Starts on Sunday. */
const WEEKDAYS: Readonly<Record<SpokenLanguage, readonly string[]>> = {
  ar: ['الأحد', 'الاثنين', 'الثلاثاء', 'الأربعاء', 'الخميس', 'الجمعة', 'السبت'],
  en: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
};
const MONTHS: Readonly<Record<SpokenLanguage, string>> = {
  ar: 'يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر',
  en: 'January February March April May June July August September October November December',
};
/** After "of": the two Dhu months are in the genitive. */
const HIJRI_MONTHS: Readonly<Record<SpokenLanguage, readonly string[]>> = {
  ar: [
    'محرم',
    // With its vowels: without them it is the number zero.
    'صَفَر',
    'ربيع الأول',
    'ربيع الآخر',
    'جمادى الأولى',
    'جمادى الآخرة',
    'رجب',
    'شعبان',
    'رمضان',
    'شوال',
    'ذي القعدة',
    'ذي الحجة',
  ],
  en: [
    'Muharram',
    'Safar',
    'Rabi al-Awwal',
    'Rabi al-Thani',
    'Jumada al-Ula',
    'Jumada al-Akhirah',
    'Rajab',
    'Shaban',
    'Ramadan',
    'Shawwal',
    'Dhu al-Qadah',
    'Dhu al-Hijjah',
  ],
};

/** Speaks a Gregorian date with its weekday and year. */
export function spokenDate(
  date: LocalDate,
  language: SpokenLanguage,
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  const day = spokenDay(date, language, grammaticalCase);
  return language === 'ar' ? `${day}، ${arabicYear(date.year)}` : `${day}, ${englishYear(date.year)}`;
}

/** Speaks a Gregorian date with its weekday, without its year. */
export function spokenDay(
  date: LocalDate,
  language: SpokenLanguage,
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  const weekday = WEEKDAYS[language][weekdayOf(date)] ?? '';
  const month = MONTHS[language].split(' ')[date.month - 1] ?? '';
  const day = dayOfMonth(date.day, month, language, grammaticalCase);
  return language === 'ar' ? `${weekday}، ${day}` : `${weekday}, ${day}`;
}

/** Speaks an Umm al-Qura date with its year. */
export function spokenHijriDate(
  date: HijriDate,
  language: SpokenLanguage,
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  const month = HIJRI_MONTHS[language][date.month - 1] ?? '';
  const day = dayOfMonth(date.day, month, language, grammaticalCase);
  return language === 'ar' ? `${day}، ${arabicYear(date.year)} للهجرة` : `${day}, ${englishYear(date.year)}`;
}

function dayOfMonth(day: number, month: string, language: SpokenLanguage, grammaticalCase: GrammaticalCase): string {
  return language === 'ar'
    ? `${spokenOrdinal(day, 'ar', 'masculine', grammaticalCase)} من ${month}`
    : `the ${spokenOrdinal(day, 'en')} of ${month}`;
}

function arabicYear(year: number): string {
  return `عام ${spokenNumber(year, 'ar', 'masculine', 'oblique')}`;
}

/** Speaks a time of day by the twelve-hour clock. */
export function spokenTime(
  { hour, minute }: LocalTime,
  language: SpokenLanguage,
  grammaticalCase: GrammaticalCase = 'nominative',
): string {
  const twelve = hour % 12 === 0 ? 12 : hour % 12;
  return language === 'ar' ? arabicTime(hour, minute, grammaticalCase) : englishTime(twelve, hour, minute);
}

function arabicTime(hour: number, minute: number, grammaticalCase: GrammaticalCase): string {
  if (minute !== 45) {
    return `الساعة ${arabicHour(hour)}${arabicMinutes(minute, grammaticalCase)} ${arabicPeriod(hour, minute)}`;
  }
  const next = (hour + 1) % 24;
  // Around midnight the period stays that of the moment itself.
  const period = next <= 1 ? arabicPeriod(hour, minute) : arabicPeriod(next, 0);
  return `الساعة ${arabicHour(next)} إلا ربعًا ${period}`;
}

function arabicHour(hour: number): string {
  const twelve = hour % 12 === 0 ? 12 : hour % 12;
  return twelve === 1 ? 'الواحدة' : spokenOrdinal(twelve, 'ar', 'feminine');
}

function arabicMinutes(minute: number, grammaticalCase: GrammaticalCase): string {
  if (minute === 0) return '';
  if (minute === 15) return ' والربع';
  if (minute === 30) return ' والنصف';
  return ` و${spokenCount(minute, 'minute', 'ar', grammaticalCase)}`;
}

function arabicPeriod(hour: number, minute: number): string {
  if (hour === 0) return minute === 0 ? 'منتصف الليل' : 'بعد منتصف الليل';
  if (hour < 12) return 'صباحًا';
  if (hour < 15) return 'ظهرًا';
  return hour < 18 ? 'عصرًا' : 'مساءً';
}

function englishTime(twelve: number, hour: number, minute: number): string {
  if (minute === 0 && twelve === 12) return hour === 0 ? 'twelve midnight' : 'twelve noon';
  const minutes = minute === 0 ? [] : [`${minute < 10 ? 'oh ' : ''}${spokenNumber(minute, 'en')}`];
  return [spokenNumber(twelve, 'en'), ...minutes, hour < 12 ? 'a.m.' : 'p.m.'].join(' ');
}
