import { localTime } from '../../../core/model/calendar/local.js';
import type { FlowLanguage } from '../../../core/model/flow/parts/fields.js';
import type { TemplateFormat } from '../../../core/model/flow/parts/template.js';
import {
  asciiDigits,
  spokenDate,
  spokenDigits,
  spokenMoney,
  spokenNumber,
  spokenTime,
  type GrammaticalCase,
} from '../../../core/model/spoken/index.js';

/**
 * The value in spoken words of the format. A value that does not fit the format is returned unchanged.
 * @param grammaticalCase of Arabic numbers, amounts, dates and times. Most follow a preposition, a verb or a noun, so oblique is the default.
 */
export function speakValue(
  value: string,
  format: TemplateFormat,
  language: FlowLanguage,
  grammaticalCase: GrammaticalCase = 'oblique',
): string {
  const plain = asciiDigits(value).trim();
  switch (format) {
    case 'digits':
      return /^[0-9]{1,64}$/.test(plain) ? spokenDigits(plain, language) : value;
    case 'number':
      return isNumber(plain) ? spokenNumber(Number(plain), language, 'masculine', grammaticalCase) : value;
    case 'money':
      return isNumber(plain) ? spokenMoney(Number(plain), language, grammaticalCase) : value;
    case 'date':
    case 'time': {
      const at = dateTimeOf(plain);
      if (!at) return value;
      return format === 'date' ? spokenDate(at, language, grammaticalCase) : spokenTime(at, language, grammaticalCase);
    }
  }
}

/** The case of a value after this text: nominative if it stands alone, at the start or after a colon or a full stop. */
export function caseAfter(text: string): GrammaticalCase {
  return /(?:^|[.:!?؟؛])\s*$/.test(text) ? 'nominative' : 'oblique';
}

/** Accepts the magnitudes that amounts of money and counts have. */
function isNumber(text: string): boolean {
  return /^-?\d{1,12}(?:\.\d{1,6})?$/.test(text);
}

/** Reads `2026-01-31`, `09:30`, or both with an offset, which is converted to Riyadh time. */
function dateTimeOf(text: string): ReturnType<typeof localTime> | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour !== undefined) return { year: 2000, month: 1, day: 1, hour: Number(hour), minute: Number(minute) };
  const at = new Date(year === undefined ? text : `${text}T00:00:00Z`);
  if (Number.isNaN(at.getTime()) || !/^\d{4}-/.test(text)) return null;
  if (year === undefined) return /(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? localTime(at) : null;
  return { year: at.getUTCFullYear(), month: Number(month), day: Number(day), hour: 0, minute: 0 };
}
