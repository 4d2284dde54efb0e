import type { SpokenLanguage } from '../../model/spoken/index.js';

interface Words {
  readonly greeting: (brand: string | null) => string;
  readonly question: string;
  readonly wrong: string;
  readonly silent: string;
  readonly approved: string;
  readonly denied: string;
  readonly over: string;
}

/** The sentences that an authentication call speaks. */
export const AUTH_WORDS: Readonly<Record<SpokenLanguage, Words>> = {
  en: {
    greeting: (brand) =>
      brand === null
        ? 'Hello. Somebody wants to sign in to your account.'
        : `Hello. This is ${brand}. Somebody wants to sign in to your account.`,
    question:
      'If it is you, enter the two digits that you see on your screen. If it is not you, press the hash key or hang up.',
    wrong: 'That is not the number on the screen. Look again, and enter the two digits.',
    silent: 'Nothing was entered. Enter the two digits on your screen, or hang up.',
    approved: 'Thank you. It is confirmed. Goodbye.',
    denied: 'It was not confirmed. Goodbye.',
    over: 'The time is up. Please start again. Goodbye.',
  },
  ar: {
    greeting: (brand) =>
      brand === null ? 'مرحبًا. هناك محاولة دخول إلى حسابك.' : `مرحبًا. معك ${brand}. هناك محاولة دخول إلى حسابك.`,
    question:
      'إن كنت أنت، فأدخل الرقم الظاهر على شاشتك، وهو من خانتين. وإن لم تكن أنت، فاضغط مفتاح المربع أو أغلق الخط.',
    wrong: 'هذا ليس الرقم الظاهر على الشاشة. انظر مرة أخرى وأدخل الرقم.',
    silent: 'لم نستقبل منك أي رقم. أدخل الرقم الظاهر على شاشتك، أو أغلق الخط.',
    approved: 'تم تأكيد الدخول. شكرًا لك، مع السلامة.',
    denied: 'لم يُؤكَّد الدخول. مع السلامة.',
    over: 'انتهت مهلة الطلب. فضلًا ابدأ من جديد. مع السلامة.',
  },
};

/** Every sentence that such a call may speak. */
export function allAuthWords(language: SpokenLanguage, brand: string | null): readonly string[] {
  const { greeting, ...words } = AUTH_WORDS[language];
  return [greeting(brand), ...Object.values(words)];
}
