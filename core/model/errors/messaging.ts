import type { ErrorFamily } from './row.js';

export const MESSAGING_ERRORS = {
  MESSAGES_DISABLED: {
    status: 503,
    message: 'Messaging is switched off in this environment.',
    message_ar: 'خدمة الرسائل معطّلة في هذه البيئة.',
    hint: 'Ask the operator to switch on messaging. It covers messages, broadcasts, contacts and contact groups.',
    hint_ar: 'اطلب من المشغّل تفعيل خدمة الرسائل، وهي تشمل الرسائل والحملات وجهات الاتصال ومجموعاتها.',
  },
  CHANNEL_VERB_UNSUPPORTED: {
    status: 422,
    message: 'The channel {channel} does not support this action: {action}.',
    message_ar: 'القناة {channel} لا تدعم هذا الإجراء: {action}.',
    hint: 'Use another channel; the API reference lists what each channel can do.',
    hint_ar: 'استخدم قناة أخرى؛ يبيّن مرجع API ما تدعمه كل قناة.',
  },
  CHANNEL_NOT_CONFIGURED: {
    status: 422,
    message: 'The channel {channel} has no provider settings in this organization.',
    message_ar: 'لم تُضبط إعدادات مزوّد القناة {channel} في هذه المؤسسة.',
    hint: 'Set up the provider of the channel, or use a channel that is already set up.',
    hint_ar: 'اضبط إعدادات مزوّد القناة أو استخدم قناة مضبوطة.',
  },
  RECIPIENT_OPTED_OUT: {
    status: 403,
    message: 'The recipient has opted out of messages of this category.',
    message_ar: 'ألغى المستلم اشتراكه في الرسائل من هذه الفئة.',
    hint: 'Do not send marketing to this contact again until they opt in themselves.',
    hint_ar: 'لا ترسل رسائل تسويقية إلى جهة الاتصال هذه إلى أن تعيد الاشتراك بنفسها.',
  },
  QUIET_HOURS_ACTIVE: {
    status: 409,
    message: 'Marketing messages are not sent now: quiet hours last until {until}.',
    message_ar: 'لا تُرسل الرسائل التسويقية الآن: تستمر ساعات الهدوء حتى {until}.',
    hint: 'Send again after the quiet hours, or schedule the message.',
    hint_ar: 'أعد الإرسال بعد ساعات الهدوء أو حدّد موعدًا لإرسال الرسالة.',
  },
  MESSAGE_VELOCITY_EXCEEDED: {
    status: 429,
    message:
      'More than {limit} messages were accepted in this project within {window_seconds:second}; try again in {retry_after_seconds:second}.',
    message_ar:
      'تجاوز عدد الرسائل المقبولة في هذا المشروع الحد المسموح به ({limit} خلال {window_seconds:second})؛ أعد المحاولة بعد {retry_after_seconds:second}.',
    hint: 'Wait for the seconds in the Retry-After header, and find out who sends these messages.',
    hint_ar: 'انتظر عدد الثواني المذكور في ترويسة `Retry-After` وتحقق ممن يرسل هذا العدد من الرسائل.',
  },
  MESSAGE_NOT_CANCELLABLE: {
    status: 409,
    message: 'The message {message_id} cannot be cancelled: {reason}.',
    message_ar: 'لا يمكن إلغاء الرسالة {message_id}: {reason}.',
    hint: 'Only a message with scheduled_at can be cancelled, until it is submitted.',
    hint_ar: 'لا تُلغى إلا رسالة لها `scheduled_at`، وقبل تسليمها إلى المزوّد.',
  },
  CHAT_NOT_OFFERED: {
    status: 409,
    message: 'The chat {thread_id} is not offered to this agent any more.',
    message_ar: 'لم تعد المحادثة {thread_id} معروضة على هذا الموظف.',
    hint: 'Read the conversation: its `chat` says where the chat is now.',
    hint_ar: 'اقرأ المحادثة؛ يبيّن الحقل `chat` حالتها الآن.',
  },
  BROADCAST_INVALID_STATE: {
    status: 409,
    message: 'The broadcast {broadcast_id} cannot do this: {reason}.',
    message_ar: 'لا يمكن تنفيذ هذا على الحملة {broadcast_id}: {reason}.',
    hint: 'Read the broadcast: its status says what it can do.',
    hint_ar: 'اقرأ الحملة، فحالتها تبيّن ما يمكن تنفيذه عليها.',
  },
  BROADCAST_LIMIT_EXCEEDED: {
    status: 409,
    message: 'The project has {max} broadcasts that are not finished, which is the maximum.',
    message_ar: 'في المشروع {max} من الحملات غير المنتهية، وهو الحد الأقصى.',
    hint: 'Cancel the drafts that you no longer need.',
    hint_ar: 'ألغِ المسودات التي لم تعد بحاجة إليها.',
  },
  WEBHOOK_UNAUTHORIZED: {
    status: 401,
    message: 'The notification from the provider is not signed with the agreed secret.',
    message_ar: 'إشعار المزوّد غير موقّع بمفتاح التوقيع السري المتفق عليه.',
    hint: 'Check that the provider and this environment hold the same signing secret.',
    hint_ar: 'تأكد من تطابق مفتاح التوقيع السري لدى المزوّد وفي هذه البيئة.',
  },
  WEBHOOK_PAYLOAD_INVALID: {
    status: 400,
    message: 'The notification from the provider cannot be read: {reason}.',
    message_ar: 'تعذّرت قراءة إشعار المزوّد: {reason}.',
    hint: 'Check that the provider sends the format and version that this environment is set up for.',
    hint_ar: 'تأكد من أن المزوّد يرسل الصيغة والإصدار المضبوطين في هذه البيئة.',
  },
} as const satisfies ErrorFamily;
