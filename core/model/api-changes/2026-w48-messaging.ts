import type { ApiChange } from './api-change.js';

/** Messaging: templates, messages, contacts and broadcasts. */
export const MESSAGING_W48_2026: readonly ApiChange[] = [
  {
    date: '2026-11-27',
    text: 'SMS to softphones: `to` of `POST /v1/messages` and `GET /v1/messages/explain` may be the extension of an agent on the channel `sms`; a message to a number that rings an agent goes to the softphone, free of charge',
    text_ar:
      'الرسائل النصية إلى الهواتف البرمجية: يقبل الحقل `to` في `POST /v1/messages` و`GET /v1/messages/explain` تحويلة موظف على القناة `sms`؛ والرسالة إلى رقم يرن عند موظف تصل إلى هاتفه البرمجي مجانًا',
    perEnvironment: true,
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'agents follow their chats: `GET /v1/messages/threads/stream`, `POST /v1/messages/threads/{thread_id}/call`, `agent` and `chat` in `GET /v1/messages/threads`, `unread` in conversations, `POST /v1/messages/{message_id}/read` for `webchat`; members with the role `agent` give own conversations to others with `PATCH /v1/messages/threads/{thread_id}`',
    text_ar:
      'متابعة الموظفين لمحادثاتهم: `GET /v1/messages/threads/stream` و`POST /v1/messages/threads/{thread_id}/call`، والحقلان `agent` و`chat` في `GET /v1/messages/threads`، والحقل `unread` في المحادثات، و`POST /v1/messages/{message_id}/read` للقناة `webchat`؛ وصار لمن له الدور `agent` أن يسند محادثاته إلى غيره عبر `PATCH /v1/messages/threads/{thread_id}`',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'chats with visitors of web pages over the channel `webchat`: `chat` in `/v1/widgets` and `GET /v1/widget/settings`, `POST /v1/widget/chats` with its WebSocket, `/v1/widget/chats/{chat_id}/files` and `/v1/widget/chats/{chat_id}/transcript`, `chat` in the bodies of `POST /v1/widget/callbacks` and `POST /v1/widget/calls`; `chat` in `/v1/messages/threads`, with `/accept`, `/decline`, `/close`, `/typing` and `/transcript`; the events `chat.*` and the error `CHAT_NOT_OFFERED`',
    text_ar:
      'محادثات زوار صفحات الويب عبر القناة `webchat`: الحقل `chat` في `/v1/widgets` و`GET /v1/widget/settings`، والمسار `POST /v1/widget/chats` مع اتصال WebSocket الخاص به، و`/v1/widget/chats/{chat_id}/files` و`/v1/widget/chats/{chat_id}/transcript`، والحقل `chat` في طلبات `POST /v1/widget/callbacks` و`POST /v1/widget/calls`؛ والحقل `chat` في `/v1/messages/threads` مع `/accept` و`/decline` و`/close` و`/typing` و`/transcript`؛ والأحداث `chat.*` ورمز الخطأ `CHAT_NOT_OFFERED`',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: '`contact_id` in `POST /v1/virtual-numbers` names a contact of the project; before, it was refused',
    text_ar: 'صار الحقل `contact_id` في `POST /v1/virtual-numbers` يحدد جهة اتصال للمشروع، وكان يُرفض من قبل',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'voicemail is announced over SMS or WhatsApp: `notify_message` in `GET` and `PUT /v1/numbers/{id}/voicemail`',
    text_ar:
      'إشعار بالرسائل الصوتية عبر SMS أو WhatsApp: الحقل `notify_message` في `GET` و`PUT /v1/numbers/{id}/voicemail`',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'files of messages: `/v1/messages/media` with `/content`, and `GET /v1/messages/{message_id}/media`; `media` of e-mails, `audio_id`, and `content.attachments` in messages',
    text_ar:
      'ملفات الرسائل: `/v1/messages/media` مع `/content`، و`GET /v1/messages/{message_id}/media`؛ والحقل `media` في رسائل البريد الإلكتروني، و`audio_id`، و`content.attachments` في الرسائل',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'tracked links: `track_links` in `POST /v1/messages` and `POST /v1/broadcasts`, `GET /v1/messages/{message_id}/links`, `GET /v1/broadcasts/{id}/links`, and the event `message.link_clicked`',
    text_ar:
      'روابط متتبَّعة: الحقل `track_links` في `POST /v1/messages` و`POST /v1/broadcasts`، والمساران `GET /v1/messages/{message_id}/links` و`GET /v1/broadcasts/{id}/links`، والحدث `message.link_clicked`',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'a limit of messages in an hour, if the operator sets one: `POST /v1/messages` answers `429` `MESSAGE_VELOCITY_EXCEEDED` with `Retry-After`, broadcasts wait, and `GET /v1/messages/explain` has the rule `velocity`; a person who opts out by a keyword gets one answer that says so',
    text_ar:
      'حد لعدد الرسائل في الساعة إذا ضبطه المشغّل: يُرجع `POST /v1/messages` الحالة `429` مع `MESSAGE_VELOCITY_EXCEEDED` وترويسة `Retry-After`، وتنتظر الحملات، ويعرض `GET /v1/messages/explain` القاعدة `velocity`؛ ويتلقى من يلغي اشتراكه بكلمة ردًا واحدًا يؤكد ذلك',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'further channels of messages: `fallback` and `fallback_after_seconds` in `POST /v1/messages`, and `fallback` in messages; codes of `POST /v1/verify` over SMS and WhatsApp, if the project has a sender or a template for them',
    text_ar:
      'قنوات بديلة للرسائل: `fallback` و`fallback_after_seconds` في `POST /v1/messages`، والحقل `fallback` في الرسائل؛ وإرسال رموز `POST /v1/verify` عبر SMS وWhatsApp إذا كان للمشروع اسم مُرسِل أو قالب لها',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'broadcasts: `/v1/broadcasts` with `/recipients`, `/report`, `/start`, `/pause`, `/resume`, `/cancel` and `/retry`; the events `broadcast.*`; the errors `BROADCAST_INVALID_STATE` and `BROADCAST_LIMIT_EXCEEDED`; `broadcast_id` of messages; exports and erasures of personal data find recipients, too',
    text_ar:
      'الحملات: `/v1/broadcasts` مع `/recipients` و`/report` و`/start` و`/pause` و`/resume` و`/cancel` و`/retry`؛ والأحداث `broadcast.*`؛ ورمزا الخطأ `BROADCAST_INVALID_STATE` و`BROADCAST_LIMIT_EXCEEDED`؛ والحقل `broadcast_id` في الرسائل؛ وتشمل طلبات تصدير البيانات الشخصية ومحوها مستلمي الحملات أيضًا',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'messages over WhatsApp (`chatapp`): `/v1/messages/chatapp-accounts`, `POST /v1/messages/{message_id}/read`, `media`, `interactive` and `reaction` in `POST /v1/messages`, `content` in messages and `message.received`, the failure `window_closed`; routes of templates answer 502 if the provider failed',
    text_ar:
      'الرسائل عبر WhatsApp (القناة `chatapp`): `/v1/messages/chatapp-accounts` و`POST /v1/messages/{message_id}/read`، والحقول `media` و`interactive` و`reaction` في `POST /v1/messages`، والحقل `content` في الرسائل وفي `message.received`، وسبب الفشل `window_closed`؛ وتُرجع مسارات القوالب الحالة `502` إذا تعطّل المزوّد',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'e-mail of the classes `promotional` and `awareness` is sent, with a link to unsubscribe: `GET` and `POST /v1/messages/unsubscribe/{token}`; consents have the source `complaint`',
    text_ar:
      'صارت رسائل البريد من الفئتين `promotional` و`awareness` تُرسَل وفيها رابط لإلغاء الاشتراك: `GET` و`POST /v1/messages/unsubscribe/{token}`؛ وأضيف `complaint` إلى مصادر الموافقات',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'dynamic contact groups: `rules` in `POST` and `PATCH /v1/contact-groups`, and `kind` in the groups; `members_count` of a dynamic group is null',
    text_ar:
      'مجموعات جهات اتصال ديناميكية: الحقل `rules` في `POST` و`PATCH /v1/contact-groups`، والحقل `kind` في المجموعات؛ وقيمة `members_count` للمجموعة الديناميكية هي `null`',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'consents of contacts: `GET` and `POST /v1/contacts/{id}/consents`, `GET /v1/contacts/{id}/consents/history`, the event `contact.opted_out` and the error `CONSENT_LOCKED_BY_END_USER`; erasures keep opt-outs (`opt_out`)',
    text_ar:
      'موافقات جهات الاتصال: `GET` و`POST /v1/contacts/{id}/consents`، و`GET /v1/contacts/{id}/consents/history`، والحدث `contact.opted_out`، ورمز الخطأ `CONSENT_LOCKED_BY_END_USER`؛ ولا يُمحى إلغاء الاشتراك عند محو البيانات (`opt_out`)',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'contacts from CSV files: `POST /v1/contacts/import`, `GET /v1/contacts/import`, `GET /v1/contacts/import/{id}` and `GET /v1/contacts/import/{id}/errors`',
    text_ar:
      'استيراد جهات الاتصال من ملفات CSV: `POST /v1/contacts/import` و`GET /v1/contacts/import` و`GET /v1/contacts/import/{id}` و`GET /v1/contacts/import/{id}/errors`',
  },
  {
    date: '2026-11-27',
    perEnvironment: true,
    text: 'contacts and contact groups: `/v1/contacts`, with a search in Arabic and English, and `/v1/contact-groups` with `/members`; the errors `MESSAGES_DISABLED`, `CONTACT_DUPLICATE` and `CONTACT_LIMIT_EXCEEDED`; exports and erasures of personal data find contacts, too',
    text_ar:
      'جهات الاتصال ومجموعاتها: `/v1/contacts` مع بحث بالعربية والإنجليزية، و`/v1/contact-groups` مع `/members`؛ ورموز الخطأ `MESSAGES_DISABLED` و`CONTACT_DUPLICATE` و`CONTACT_LIMIT_EXCEEDED`؛ وتشمل طلبات تصدير البيانات الشخصية ومحوها جهات الاتصال أيضًا',
  },
  {
    date: '2026-11-27',
    text: 'messages over `email`, with `subject`; `POST /v1/messages/providers/{provider}/notices` for mail servers',
    text_ar:
      'الرسائل عبر القناة `email` مع الحقل `subject`؛ و`POST /v1/messages/providers/{provider}/notices` لخوادم البريد',
    perEnvironment: true,
  },
  {
    date: '2026-11-27',
    text: 'messages over SMS: `/v1/messages`, `/v1/messages/explain`, `/v1/messages/senders` and `/v1/messages/threads`, with `RECIPIENT_OPTED_OUT` and `MESSAGE_NOT_CANCELLABLE`; the events `message.*` are sent; for administrators `/v1/admin/message-senders`; `message_rates` in `GET /v1/billing/rate-plan` and in versions of rate plans',
    text_ar:
      'الرسائل النصية (SMS): `/v1/messages` و`/v1/messages/explain` و`/v1/messages/senders` و`/v1/messages/threads`، مع رمزي الخطأ `RECIPIENT_OPTED_OUT` و`MESSAGE_NOT_CANCELLABLE`؛ وتُرسل الأحداث `message.*`؛ وللمسؤولين `/v1/admin/message-senders`؛ والحقل `message_rates` في `GET /v1/billing/rate-plan` وفي نسخ خطط الأسعار',
    perEnvironment: true,
  },
  {
    date: '2026-11-27',
    text: 'message templates: `/v1/messages/templates` and `/v1/messages/templates/{name}`, with `MESSAGES_DISABLED`, `CHANNEL_VERB_UNSUPPORTED` and `CHANNEL_NOT_CONFIGURED`; the event `template.updated`; the feature `chatapp`, which is off by default',
    text_ar:
      'قوالب الرسائل: `/v1/messages/templates` و`/v1/messages/templates/{name}`، مع رموز الخطأ `MESSAGES_DISABLED` و`CHANNEL_VERB_UNSUPPORTED` و`CHANNEL_NOT_CONFIGURED`؛ والحدث `template.updated`؛ والميزة `chatapp`، وهي معطّلة ما لم تُفعَّل',
    perEnvironment: true,
  },
];
