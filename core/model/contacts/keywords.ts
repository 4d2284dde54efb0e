import { plainWords } from './search.js';

/** What the whole of a message asks for: no more messages, or messages again. */
export type ConsentKeyword = 'stop' | 'start';

const STOP = [
  ...['stop', 'stop all', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'opt out', 'optout', 'remove me'],
  ...['إيقاف', 'أوقف', 'وقف', 'توقف', 'قف', 'إلغاء', 'ألغ', 'إلغاء الاشتراك', 'إيقاف الاشتراك', 'إيقاف الرسائل'],
  ...['أوقفوا الرسائل', 'وقف الرسائل', 'لا ترسل', 'لا ترسلوا', 'لا أريد رسائل', 'حذف'],
];
const START = [
  ...['start', 'unstop', 'subscribe', 'opt in', 'optin', 'resume'],
  ...['ابدأ', 'بدء', 'اشتراك', 'اشترك', 'تفعيل', 'استئناف', 'تفعيل الاشتراك', 'إعادة الاشتراك'],
];

/** As a message is compared: in any case and spelling, with any marks around it. */
const form = (text: string): string => plainWords(text).join(' ');
const KEYWORDS: ReadonlyMap<string, ConsentKeyword> = new Map([
  ...STOP.map((word) => [form(word), 'stop'] as const),
  ...START.map((word) => [form(word), 'start'] as const),
]);
/** No keyword is longer: a long message is none. */
const LONGEST = 60;

/**
 * The keyword that is the whole of a message, in Arabic or English; null for any other message. A sentence that contains
 * such a word is none: "do not stop" must not opt anybody out.
 */
export function consentKeyword(message: string): ConsentKeyword | null {
  return message.length > LONGEST ? null : (KEYWORDS.get(form(message)) ?? null);
}
