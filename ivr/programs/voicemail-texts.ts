import type { InBoth } from '../dialogue/in-both.js';

/** What callers who leave a message hear. */
export const VOICEMAIL_TEXTS = {
  greeting: {
    ar: 'لا يمكن الرد على مكالمتك الآن. من فضلك اترك رسالتك بعد الصافرة، ثم اضغط المربع.',
    en: 'Nobody can take your call now. Please leave a message after the tone, then press the hash key.',
  },
  menu: {
    ar: 'لإرسال رسالتك اضغط واحد. للاستماع إليها اضغط اثنين. لتسجيلها من جديد اضغط ثلاثة.',
    en: 'To send your message, press one. To listen to it, press two. To record it again, press three.',
  },
  again: {
    ar: 'الرسالة قصيرة جدا. تحدث بعد الصافرة.',
    en: 'That was too short. Please speak after the tone.',
  },
  sent: { ar: 'تم حفظ رسالتك. مع السلامة.', en: 'Your message was saved. Goodbye.' },
  not_possible: {
    ar: 'لا يمكن حفظ رسالتك الآن. حاول لاحقا.',
    en: 'Your message cannot be taken now. Please try again later.',
  },
} as const satisfies Readonly<Record<string, InBoth>>;
