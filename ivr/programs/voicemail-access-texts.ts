import type { StoredVoicemail } from '../../core/data/repositories/voicemail/voicemails.js';
import { dayNumber, localTime, type LocalDate } from '../../core/model/calendar/index.js';
import { groupedNumber } from '../../core/model/phone-numbers.js';
import { spokenCount, spokenDate, spokenDay, spokenDigits, spokenTime } from '../../core/model/spoken/index.js';
import type { BilingualPrompt } from '../dialogue/bilingual.js';

/** Prompts for an agent who listens to voicemail by phone. */
export const ACCESS_TEXTS = {
  no_box: { ar: 'لا يوجد لديك بريد صوتي.', en: 'You have no voicemail.' },
  no_pin: {
    ar: 'لم يُحدَّد رقم سري لبريدك الصوتي.',
    en: 'No PIN is set for your voicemail.',
  },
  pin: { ar: 'فضلًا أدخل الرقم السري، ثم اضغط مفتاح المربع.', en: 'Enter your PIN, then press the hash key.' },
  wrong_pin: { ar: 'الرقم السري غير صحيح.', en: 'That PIN is not right.' },
  locked: {
    ar: 'تكررت المحاولات الخاطئة. نرجو المحاولة لاحقًا.',
    en: 'There were too many wrong attempts. Please try again later.',
  },
  menu: {
    ar: 'للاستماع من جديد، اضغط واحد. للرسالة التالية، اضغط اثنين. للحذف، اضغط ثلاثة. للرسالة السابقة، اضغط أربعة. لتسجيل رسالة الترحيب، اضغط ثمانية. للإنهاء، اضغط مفتاح المربع.',
    en: 'To listen again, press one. For the next message, press two. To delete this one, press three. For the one before, press four. To record your greeting, press eight. To finish, press the hash key.',
  },
  end_menu: {
    ar: 'لا توجد رسائل أخرى. للاستماع من البداية، اضغط واحد. لتسجيل رسالة الترحيب، اضغط ثمانية. للإنهاء، اضغط مفتاح المربع.',
    en: 'There are no more messages. To begin again, press one. To record your greeting, press eight. To finish, press the hash key.',
  },
  deleted: { ar: 'تم حذف الرسالة.', en: 'The message was deleted.' },
  not_deleted: { ar: 'تعذّر حذف الرسالة.', en: 'The message could not be deleted.' },
  no_audio: { ar: 'تعذّر تشغيل هذه الرسالة الآن.', en: 'This message cannot be played now.' },
  greeting: {
    ar: 'سجّل رسالة الترحيب بعد الصافرة، ثم اضغط مفتاح المربع.',
    en: 'Speak your greeting after the tone, then press the hash key.',
  },
  greeting_menu: {
    ar: 'لحفظ رسالة الترحيب، اضغط واحد. للاستماع إليها، اضغط اثنين. لتسجيلها من جديد، اضغط ثلاثة.',
    en: 'To save your greeting, press one. To listen to it, press two. To record it again, press three.',
  },
  greeting_kept: { ar: 'تم حفظ رسالة الترحيب.', en: 'Your greeting was saved.' },
  failed: { ar: 'تعذّر تنفيذ طلبك الآن. نرجو المحاولة لاحقًا.', en: 'This is not possible now. Please try again later.' },
  goodbye: { ar: 'مع السلامة.', en: 'Goodbye.' },
} as const satisfies Readonly<Record<string, BilingualPrompt>>;

/** Announces the number of new and saved messages. */
export function countsText(messages: readonly StoredVoicemail[]): BilingualPrompt {
  const fresh = messages.filter(({ listened_at }) => listened_at === null).length;
  const saved = messages.length - fresh;
  if (messages.length === 0) return { ar: 'لا توجد لديك رسائل.', en: 'You have no messages.' };
  return {
    ar: `لديك ${[
      ...(fresh > 0 ? [spokenCount(fresh, 'new_message', 'ar')] : []),
      ...(saved > 0 ? [spokenCount(saved, 'saved_message', 'ar')] : []),
    ].join(' و')}.`,
    en: `You have ${[
      ...(fresh > 0 ? [spokenCount(fresh, 'new_message', 'en')] : []),
      ...(saved > 0 ? [spokenCount(saved, 'saved_message', 'en')] : []),
    ].join(' and ')}.`,
  };
}

/** Announces a message's sender, and its date and time in Riyadh. */
export function introductionText({ from_number: from, created_at }: StoredVoicemail, now: Date): BilingualPrompt {
  const at = localTime(created_at);
  const number = /^\+?\d+$/.test(from) ? groupedNumber(from) : null;
  const day = dayText(at, localTime(now));
  return {
    ar: `رسالة${number === null ? '' : ` من الرقم ${spokenDigits(number, 'ar')}`}. ${day.ar}، ${spokenTime(at, 'ar')}.`,
    en: `Message${number === null ? '' : ` from ${spokenDigits(number, 'en')}`}. ${day.en}, ${spokenTime(at, 'en')}.`,
  };
}

/** Today, yesterday or the date. The year is spoken only if it is not the current one. */
function dayText(at: LocalDate, now: LocalDate): BilingualPrompt {
  const age = dayNumber(now) - dayNumber(at);
  if (age === 0) return { ar: 'اليوم', en: 'Today' };
  if (age === 1) return { ar: 'أمس', en: 'Yesterday' };
  const spoken = at.year === now.year ? spokenDay : spokenDate;
  return { ar: spoken(at, 'ar'), en: spoken(at, 'en') };
}
