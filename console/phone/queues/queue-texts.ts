import { sayFrom } from '../../shared/texts.js';
import { language } from '../common/texts.js';

const en = {
  title: 'Queues',
  offline: 'The connection was interrupted. Your queues may have changed …',
  over: 'Your session is over. Sign in again to change your queues.',
  again: 'Sign in again',
  own: 'Your queues',
  none: 'You have not signed in to a queue yet.',
  signed_in: 'signed in',
  signed_out: 'signed out',
  waiting: 'waiting callers: {count}',
  sign_in: 'Sign in',
  sign_out: 'Sign out',
  sign_in_to: 'Sign in to {queue}',
  sign_out_of: 'Sign out of {queue}',
  all_in: 'Sign in to all',
  all_out: 'Sign out of all',
  other: 'Another queue',
  other_in: 'Sign in to this queue',
  code: '{queue} ({code})',
  reason: 'Reason of the pause (optional)',
  pause: 'Pause',
  unpause: 'End the pause',
  out: 'You are signed in to no queue.',
  paused: 'You are paused: no caller is offered to you.',
  paused_for: 'You are paused ({reason}): no caller is offered to you.',
  idle: 'You are free: callers are offered to you.',
  ringing: 'A caller is offered to you.',
  busy: 'You are in a call.',
  wrap_up: 'Time after the call: {seconds} s left.',
  wrap_up_began: 'The call is over. The time after the call begins.',
  unavailable:
    'No caller is offered to you: your phone is not connected, you did not take an offer, or do-not-disturb is on.',
  now_in: 'You are signed in to {queue}.',
  now_out: 'You are signed out of {queue}.',
  now_paused: 'You are paused.',
  now_unpaused: 'The pause is over.',
};

export type QueueTextName = keyof typeof en;

const ar: Record<QueueTextName, string> = {
  title: 'قوائم الانتظار',
  offline: 'انقطع الاتصال. ربما تغيّرت حالتك في قوائم الانتظار…',
  over: 'انتهت جلستك. سجّل الدخول من جديد لتغيير حالتك في قوائم الانتظار.',
  again: 'تسجيل الدخول من جديد',
  own: 'قوائم الانتظار الخاصة بك',
  none: 'لم تسجّل دخولك إلى أي قائمة انتظار بعد.',
  signed_in: 'سجّلت الدخول',
  signed_out: 'سجّلت الخروج',
  waiting: 'عدد المنتظرين: {count}',
  sign_in: 'تسجيل الدخول',
  sign_out: 'تسجيل الخروج',
  sign_in_to: 'تسجيل الدخول إلى {queue}',
  sign_out_of: 'تسجيل الخروج من {queue}',
  all_in: 'تسجيل الدخول إلى الكل',
  all_out: 'تسجيل الخروج من الكل',
  other: 'قائمة انتظار أخرى',
  other_in: 'تسجيل الدخول إليها',
  code: '{queue} ({code})',
  reason: 'سبب الإيقاف المؤقت (اختياري)',
  pause: 'إيقاف استقبال المكالمات مؤقتًا',
  unpause: 'العودة إلى استقبال المكالمات',
  out: 'لم تسجّل دخولك إلى أي قائمة انتظار.',
  paused: 'أوقفت استقبال المكالمات مؤقتًا، فلن يُعرض عليك أي متصل.',
  paused_for: 'أوقفت استقبال المكالمات مؤقتًا ({reason})، فلن يُعرض عليك أي متصل.',
  idle: 'يمكنك استقبال المكالمات، وسيُعرض عليك المتصلون.',
  ringing: 'يُعرض عليك متصل الآن.',
  busy: 'أنت في مكالمة.',
  wrap_up: 'الوقت المتبقي بعد المكالمة: {seconds:second}',
  wrap_up_began: 'انتهت المكالمة، وبدأ الوقت المخصص لما بعدها.',
  unavailable: 'لا يُعرض عليك أي متصل: إما أن هاتفك غير متصل، أو أنك لم ترد على آخر عرض، أو أن وضع عدم الإزعاج مفعّل.',
  now_in: 'سجّلت دخولك إلى {queue}.',
  now_out: 'سجّلت خروجك من {queue}.',
  now_paused: 'أوقفت استقبال المكالمات مؤقتًا.',
  now_unpaused: 'عدت إلى استقبال المكالمات.',
};

const sayIn = sayFrom<QueueTextName>({ ar, en });

export function say(name: QueueTextName, slots: Record<string, string | number> = {}): string {
  return sayIn(language, name, slots);
}
