import type { ForwardCase, ForwardTarget } from '../../core/model/call/forwarding.js';
import { groupedNumber } from '../../core/model/phone-numbers.js';
import { spokenDigits } from '../../core/model/spoken/index.js';
import type { BilingualPrompt } from '../dialogue/bilingual.js';

/** What an agent hears after a feature code. */
export const CODE_TEXTS = {
  logged_in: { ar: 'تم تسجيل دخولك.', en: 'You are signed in.' },
  logged_out: { ar: 'تم تسجيل خروجك.', en: 'You are signed out.' },
  paused: { ar: 'تم إيقاف استقبالك للمكالمات مؤقتًا.', en: 'You are paused.' },
  unpaused: { ar: 'عدت إلى استقبال المكالمات.', en: 'Your pause is over.' },
  no_queue: { ar: 'لا توجد قائمة انتظار بهذا الرمز.', en: 'No queue has this code.' },
  blocked: { ar: 'تم حظر آخر متصل.', en: 'The last caller is blocked.' },
  blocked_for_agent: { ar: 'تم حظر آخر متصل على هاتفك.', en: 'The last caller is blocked for your phone.' },
  anonymous_rejected: {
    ar: 'تم تفعيل رفض المكالمات من الأرقام المخفية.',
    en: 'Calls without a number are rejected.',
  },
  anonymous_accepted: {
    ar: 'تم إلغاء رفض المكالمات من الأرقام المخفية.',
    en: 'Calls without a number are taken again.',
  },
  no_caller: { ar: 'لا يوجد متصل يمكن حظره.', en: 'There is no caller to block.' },
  do_not_disturb: { ar: 'تم تفعيل عدم الإزعاج.', en: 'Do not disturb is on.' },
  disturb: { ar: 'تم إلغاء عدم الإزعاج.', en: 'Do not disturb is off.' },
  forwards_cancelled: { ar: 'تم إلغاء إعادة توجيه مكالماتك.', en: 'Your calls are no longer forwarded.' },
  no_destination: {
    ar: 'لا يمكن إعادة توجيه المكالمات إلى هذه الوجهة.',
    en: 'Calls cannot be forwarded to this destination.',
  },
  not_allowed: {
    ar: 'لا يُسمح لك بإعادة توجيه المكالمات إلى هذه الوجهة.',
    en: 'You may not forward calls to this destination.',
  },
  unknown: { ar: 'هذا الرمز غير معروف.', en: 'This code is not known.' },
  failed: { ar: 'تعذّر تنفيذ طلبك الآن. نرجو المحاولة لاحقًا.', en: 'This is not possible now. Try again later.' },
} as const satisfies Readonly<Record<string, BilingualPrompt>>;

const CANCELLED: Readonly<Record<ForwardCase, BilingualPrompt>> = {
  always: { ar: 'تم إلغاء إعادة توجيه جميع المكالمات.', en: 'Calls ring your phone again.' },
  busy: {
    ar: 'تم إلغاء إعادة توجيه المكالمات عند انشغال الخط.',
    en: 'Calls are no longer forwarded when you are busy.',
  },
  no_answer: {
    ar: 'تم إلغاء إعادة توجيه المكالمات عند عدم الرد.',
    en: 'Calls are no longer forwarded when you do not answer.',
  },
  unregistered: {
    ar: 'تم إلغاء إعادة توجيه المكالمات عند عدم اتصال الهاتف.',
    en: 'Calls are no longer forwarded when your phone is not connected.',
  },
};

export function cancelledText(when: ForwardCase): BilingualPrompt {
  return CANCELLED[when];
}

/** Confirms a forward, with its target, so that the agent hears a wrong digit. */
export function forwardedText(when: ForwardCase, to: ForwardTarget): BilingualPrompt {
  const { ar, en } = targetText(to);
  switch (when) {
    case 'always':
      return { ar: `تم تفعيل إعادة توجيه جميع المكالمات إلى ${ar}.`, en: `All calls are forwarded to ${en}.` };
    case 'busy':
      return {
        ar: `عند انشغال الخط، يُعاد توجيه المكالمات إلى ${ar}.`,
        en: `When you are busy, calls are forwarded to ${en}.`,
      };
    case 'no_answer':
      return {
        ar: `عند عدم الرد، يُعاد توجيه المكالمات إلى ${ar}.`,
        en: `When you do not answer, calls are forwarded to ${en}.`,
      };
    case 'unregistered':
      return {
        ar: `عند عدم اتصال الهاتف، يُعاد توجيه المكالمات إلى ${ar}.`,
        en: `When your phone is not connected, calls are forwarded to ${en}.`,
      };
  }
}

function targetText({ type, target }: ForwardTarget): BilingualPrompt {
  if (type === 'voicemail') return { ar: 'البريد الصوتي', en: 'voicemail' };
  if (type === 'agent') {
    return { ar: `التحويلة ${spokenDigits(target, 'ar')}`, en: `extension ${spokenDigits(target, 'en')}` };
  }
  const number = groupedNumber(target);
  return { ar: `الرقم ${spokenDigits(number, 'ar')}`, en: `the number ${spokenDigits(number, 'en')}` };
}
