import { sayFrom } from '../../shared/texts.js';

const en = {
  chat_button: 'Chat with us',
  chat_unread: 'Chat with us ({count} new)',
  chat_title: 'Chat with us',
  chat_log: 'Messages',
  chat_new: 'Write to us. We answer here.',
  chat_sandbox: 'A test: no agent is asked.',
  chat_waiting: 'Thank you. Somebody will answer in a moment.',
  chat_assigned: 'You are talking with our team.',
  chat_assigned_to: 'You are talking with {agent}.',
  chat_closed: 'The chat was closed. Write to begin again.',
  chat_offline: 'The connection was lost. We keep what you write, and connect again …',
  chat_typing: 'Somebody is typing …',
  chat_text: 'Your message',
  chat_send: 'Send',
  chat_end: 'End the chat',
  chat_call: 'Call instead',
  chat_file: 'Send a file (at most 10 MB)',
  chat_mail: 'E-mail me the chat',
  chat_email: 'E-mail address',
  chat_mail_send: 'Send the chat',
  chat_mailed: 'The chat is on its way to your mailbox.',
  PAYLOAD_TOO_LARGE: 'This file is too large: 10 MB at most.',
  VALIDATION_ERROR: 'We cannot take this. Please check what you entered.',
  chat_you: 'You',
  chat_agent: 'Our team',
  MESSAGES_DISABLED: 'The chat is not available at the moment.',
  CHANNEL_NOT_CONFIGURED: 'The chat is not available at the moment.',
  name: 'Your name (optional)',
  close: 'Close the chat',
  RATE_LIMIT_EXCEEDED: 'Too many messages. Please wait {minutes} min.',
  other: 'That did not work. Please try again later.',
};

export type ChatText = keyof typeof en;

const ar: Record<ChatText, string> = {
  chat_button: 'راسلنا',
  chat_unread: 'راسلنا (رسائل جديدة: {count})',
  chat_title: 'المحادثة معنا',
  chat_log: 'الرسائل',
  chat_new: 'اكتب لنا وسنرد عليك هنا.',
  chat_sandbox: 'وضع تجريبي: لن تصل المحادثة إلى أي موظف.',
  chat_waiting: 'شكرًا لك. سيرد عليك أحد موظفينا خلال لحظات.',
  chat_assigned: 'أنت تتحدث الآن مع فريقنا.',
  chat_assigned_to: 'أنت تتحدث الآن مع {agent}.',
  chat_closed: 'أُغلقت المحادثة. اكتب رسالة لتبدأ من جديد.',
  chat_offline: 'انقطع الاتصال. نحتفظ بما تكتبه ونعيد الاتصال…',
  chat_typing: 'يكتب الآن…',
  chat_text: 'رسالتك',
  chat_send: 'إرسال',
  chat_end: 'إنهاء المحادثة',
  chat_call: 'اتصل بدلًا من ذلك',
  chat_file: 'أرسل ملفًا (10 ميغابايت كحد أقصى)',
  chat_mail: 'أرسلوا لي المحادثة بالبريد',
  chat_email: 'البريد الإلكتروني',
  chat_mail_send: 'إرسال المحادثة',
  chat_mailed: 'أُرسلت المحادثة إلى بريدك.',
  PAYLOAD_TOO_LARGE: 'الملف كبير: الحد الأقصى 10 ميغابايت.',
  VALIDATION_ERROR: 'تعذّر قبول ذلك. نرجو التحقق مما أدخلته.',
  chat_you: 'أنت',
  chat_agent: 'فريقنا',
  MESSAGES_DISABLED: 'المحادثة غير متاحة حاليًّا.',
  CHANNEL_NOT_CONFIGURED: 'المحادثة غير متاحة حاليًّا.',
  name: 'اسمك (اختياري)',
  close: 'إغلاق نافذة المحادثة',
  RATE_LIMIT_EXCEEDED: 'الرسائل كثيرة. نرجو الانتظار {minutes:minute}.',
  other: 'تعذّر تنفيذ طلبك. نرجو المحاولة لاحقًا.',
};

/** Returns a text of the chat. */
export const sayInChat = sayFrom<ChatText>({ ar, en });

export function isChatText(name: string): name is ChatText {
  return name in en;
}
