import type { ApiChange } from './api-change.js';

export const WEEK_47_2026: readonly ApiChange[] = [
  {
    date: '2026-11-22',
    text: 'invoices: `GET /v1/invoices`, `GET /v1/invoices/{id}` and `GET /v1/invoices/{id}/pdf`; `invoice.issued` (production keys)',
    text_ar:
      'الفواتير: `GET /v1/invoices` و`GET /v1/invoices/{id}` و`GET /v1/invoices/{id}/pdf`؛ و`invoice.issued` (مفاتيح بيئة الإنتاج)',
  },
  {
    date: '2026-11-22',
    text: '`GET /v1/cdr`: call detail records as CSV (production keys); the cost in `GET /v1/usage` follows the rate plan',
    text_ar:
      '`GET /v1/cdr`: سجلات تفاصيل المكالمات بصيغة CSV (مفاتيح بيئة الإنتاج)؛ والتكلفة في `GET /v1/usage` تتبع خطة الأسعار',
  },
  {
    date: '2026-11-22',
    text: 'payments: `POST` and `GET /v1/payments`, `GET /v1/payments/{id}`, `POST /v1/payments/{id}/cancel`; `payment.succeeded` and `payment.failed` (production keys)',
    text_ar:
      'المدفوعات: `POST` و`GET /v1/payments`، و`GET /v1/payments/{id}`، و`POST /v1/payments/{id}/cancel`؛ و`payment.succeeded` و`payment.failed` (مفاتيح بيئة الإنتاج)',
  },
  {
    date: '2026-11-22',
    text: 'voicemail: `GET` and `PUT /v1/numbers/{id}/voicemail`, `/v1/voicemails` with `recording`, `listened` and `DELETE`; `voicemail.received`',
    text_ar:
      'البريد الصوتي: `GET` و`PUT` في `/v1/numbers/{id}/voicemail`، و`/v1/voicemails` مع `recording` و`listened` و`DELETE`؛ و`voicemail.received`',
    perEnvironment: true,
  },
  {
    date: '2026-11-22',
    text: 'virtual numbers do what their `instructions` say; list, read, `DELETE` and `PUT /v1/virtual-numbers/{id}/instructions`; a first allocation returns 201 (production keys)',
    text_ar:
      'تنفّذ الأرقام الافتراضية ما تحدده `instructions`؛ ويمكن عرضها وقراءتها، و`DELETE` و`PUT /v1/virtual-numbers/{id}/instructions`؛ ويُرجع التخصيص الأول الحالة `201` (مفاتيح بيئة الإنتاج)',
    perEnvironment: true,
  },
  {
    date: '2026-11-22',
    text: '`GET /v1/numbers` and `/v1/numbers/available`, `POST /v1/numbers`, `GET`, `PATCH` and `DELETE /v1/numbers/{id}`; your own numbers (`/v1/numbers/own-did`); `/v1/porting-requests`; `number.assigned`, `number.released` (orders and changes: production keys)',
    text_ar:
      '`GET /v1/numbers` و`/v1/numbers/available`، و`POST /v1/numbers`، و`GET` و`PATCH` و`DELETE` لرقم واحد؛ وأرقامك الخاصة (`/v1/numbers/own-did`)؛ و`/v1/porting-requests`؛ و`number.assigned` و`number.released` (الطلبات والتعديلات: مفاتيح بيئة الإنتاج)',
  },
  {
    date: '2026-11-22',
    text: '`GET /v1/calls/{call_id}/transcript`; `transcribe` on `POST /v1/calls` and `recording/start`; `call.transcribed`, `voicemail.transcribed`; uploaded audio is normalised to one loudness and cannot be deleted while it is in use',
    text_ar:
      '`GET /v1/calls/{call_id}/transcript`؛ و`transcribe` في `POST /v1/calls` و`recording/start`؛ و`call.transcribed` و`voicemail.transcribed`؛ وتُوحَّد شدة الصوت في الملفات المرفوعة، ولا يُحذف ملف صوتي وهو مستخدم',
  },
  {
    date: '2026-11-22',
    text: 'authentication by telephone: `POST /v1/voice-auth/challenges`, `GET /v1/voice-auth/challenges/{challenge_id}`; `voice_auth.completed`',
    text_ar:
      'المصادقة بمكالمة هاتفية: `POST /v1/voice-auth/challenges` و`GET /v1/voice-auth/challenges/{challenge_id}`؛ و`voice_auth.completed`',
    perEnvironment: true,
  },
  {
    date: '2026-11-22',
    text: 'billing: `GET /v1/billing`, `billing/rate-plan` and `billing/ledger`, `PUT /v1/billing/spend-caps`, `POST /v1/billing/allocations` and `POST /v1/usage/events`; the scope `billing:write`; `usage.threshold` (production keys)',
    text_ar:
      'الفوترة: `GET /v1/billing` و`billing/rate-plan` و`billing/ledger` و`PUT /v1/billing/spend-caps` و`POST /v1/billing/allocations` و`POST /v1/usage/events`؛ والنطاق `billing:write`؛ و`usage.threshold` (مفاتيح بيئة الإنتاج)',
  },
  {
    date: '2026-11-22',
    text: 'queue callbacks: `queue_id` and `from_queue` on `POST /v1/callback`, according to the queue’s `callback_mode`; `SANDBOX_INVALID_QUEUE` and `SANDBOX_QUEUE_UNAVAILABLE` in the sandbox; calls can be transferred to a queue (`to.type` `queue`, blind)',
    text_ar:
      'معاودة الاتصال من قوائم الانتظار: `queue_id` و`from_queue` في `POST /v1/callback` حسب `callback_mode` لقائمة الانتظار؛ وفي البيئة التجريبية `SANDBOX_INVALID_QUEUE` و`SANDBOX_QUEUE_UNAVAILABLE`؛ وتُحوَّل المكالمات إلى قائمة انتظار (`to.type` بقيمة `queue`، تحويل مباشر)',
  },
  {
    date: '2026-11-22',
    text: 'one-time codes: `POST /v1/verify`, `POST /v1/verify/check`, `POST /v1/verify/{verification_id}/resend`, `GET /v1/verify/{verification_id}`; `verify.completed`; brands: `/v1/voice-auth/brands`',
    text_ar:
      'رموز التحقق لمرة واحدة: `POST /v1/verify` و`POST /v1/verify/check` و`POST /v1/verify/{verification_id}/resend` و`GET /v1/verify/{verification_id}`؛ و`verify.completed`؛ والعلامات التجارية: `/v1/voice-auth/brands`',
    perEnvironment: true,
  },
  {
    date: '2026-11-22',
    text: '`POST /v1/calls/{call_id}/monitor` and `monitor/stop`: a supervisor’s softphone listens, whispers to the agent, or joins (production keys)',
    text_ar:
      '`POST /v1/calls/{call_id}/monitor` و`monitor/stop`: يستمع المشرف إلى المكالمة أو يهمس للموظف أو ينضم إليها (مفاتيح بيئة الإنتاج)',
    perEnvironment: true,
  },
  {
    date: '2026-11-22',
    text: 'agents and queues: `/v1/agents`, `/v1/queues`, `/v1/queues/agents/login`, `logout`, `pause` and `unpause`, `/v1/queues/members`, and `stats` and `waiting` for each queue; `connect` on `POST /v1/calls` accepts a queue; `queue.entered`, `queue.left`, `queue.agent_logged_in`, `queue.agent_logged_out` (production keys)',
    text_ar:
      'الموظفون وقوائم الانتظار: `/v1/agents` و`/v1/queues` و`/v1/queues/agents/login` و`logout` و`pause` و`unpause` و`/v1/queues/members`، ولكل قائمة انتظار `stats` و`waiting`؛ و`connect` في `POST /v1/calls` يقبل قائمة انتظار؛ و`queue.entered` و`queue.left` و`queue.agent_logged_in` و`queue.agent_logged_out` (مفاتيح بيئة الإنتاج)',
  },
  {
    date: '2026-11-22',
    text: 'conference recordings: `recording/start`, `recording/stop`, list, link and delete under `/v1/conferences/{conference_id}`; the field `recording` of a conference; `conference.recording_ready` (production keys)',
    text_ar:
      'تسجيلات المكالمات الجماعية: `recording/start` و`recording/stop` والعرض والرابط والحذف في `/v1/conferences/{conference_id}`؛ و`recording` في المكالمة الجماعية؛ و`conference.recording_ready` (مفاتيح بيئة الإنتاج)',
    perEnvironment: true,
  },
  {
    date: '2026-11-22',
    text: '`GET /v1/usage`: calls, minutes and estimated cost over a period, by `day`, `hour`, `status` or `queue`',
    text_ar:
      '`GET /v1/usage`: عدد المكالمات والدقائق والتكلفة التقديرية لفترة ما، حسب `day` أو `hour` أو `status` أو `queue`',
  },
  {
    date: '2026-11-22',
    text: 'each entry of a call’s `legs` shows its `quality` once the leg has ended: packets, loss, jitter, round trip, codec and an estimated `mos`; `null` if it was not measured',
    text_ar:
      'يعرض كل طرف في `legs` جودته `quality` بعد انتهائه: الحزم والفقد والتذبذب (jitter) وزمن الرحلة ذهابًا وإيابًا (RTT) والترميز (codec) وتقدير `mos`؛ و`null` حيث لم تُقَس',
  },
  {
    date: '2026-11-21',
    text: '`POST /v1/calls/{call_id}/conference`; `GET /v1/conferences` and `GET /v1/conferences/{conference_id}`; for participants `mute`, `unmute`, `hold`, `unhold` and `kick`; `play`, `play/stop` and `end`; a call in a conference cannot be transferred (`CALL_ALREADY_IN_CONFERENCE`)',
    text_ar:
      '`POST /v1/calls/{call_id}/conference`؛ و`GET /v1/conferences` لجميعها ولواحدة منها؛ و`mute` و`unmute` و`hold` و`unhold` و`kick` للمشاركين؛ و`play` و`play/stop` و`end`؛ ولا يمكن تحويل مكالمة منضمة إلى مكالمة جماعية (`CALL_ALREADY_IN_CONFERENCE`)',
    perEnvironment: true,
  },
  {
    date: '2026-11-21',
    text: '`POST /v1/calls/{call_id}/transfer`, blind and attended, to a number, an agent or a SIP address; `GET /v1/calls/{call_id}/transfers`; `complete` and `cancel`; the target is the leg `transfer` until the transfer completes, then `agent`; hold and unhold return `TRANSFER_IN_PROGRESS` meanwhile',
    text_ar:
      '`POST /v1/calls/{call_id}/transfer`: تحويل مباشر أو بعد التشاور، إلى رقم أو موظف أو عنوان SIP؛ و`GET /v1/calls/{call_id}/transfers`؛ و`complete` و`cancel`؛ والطرف المستهدف هو `transfer` حتى الإتمام ثم `agent` بعده؛ ويُرجع تعليق المكالمة واستئنافها أثناء ذلك الخطأ `TRANSFER_IN_PROGRESS`',
    perEnvironment: true,
  },
  {
    date: '2026-11-21',
    text: 'recordings of a call: start, stop, pause, resume, list, delete; `record` on `POST /v1/calls`; links that support range requests; `call.recording_ready` (production keys)',
    text_ar:
      'تسجيلات المكالمة: البدء والإيقاف والإيقاف المؤقت والاستئناف والعرض والحذف؛ و`record` في `POST /v1/calls`؛ وروابط تقبل أجزاء الملف؛ و`call.recording_ready` (مفاتيح بيئة الإنتاج)',
  },
  {
    date: '2026-11-21',
    text: '`POST /v1/callback`; sandbox numbers for busy, failed, timeout, endless ringing and voicemail; the header `X-Simulate`; the sandbox trial',
    text_ar:
      '`POST /v1/callback`؛ وأرقام اختبار لحالات: مشغول، وفشل، وانتهاء المهلة، والرنين المستمر، والبريد الصوتي؛ والترويسة `X-Simulate`؛ والفترة التجريبية',
  },
  {
    date: '2026-11-21',
    text: '`GET /v1/events` and its live stream `GET /v1/events/stream`',
    text_ar: '`GET /v1/events` وبثها المباشر `GET /v1/events/stream`',
  },
  {
    date: '2026-11-21',
    text: 'webhook endpoints: create, list, update, delete, test, secret rotation, delivery log, redeliver and replay; `GET /v1/webhooks/secret`',
    text_ar:
      'نقاط Webhook: الإنشاء والعرض والتعديل والحذف والاختبار، وتدوير مفتاح التوقيع السري، وسجل التسليم، وإعادة تسليم حدث، وإعادة إرسال ما لم يُسلَّم؛ `GET /v1/webhooks/secret`',
  },
  {
    date: '2026-11-21',
    text: '`GET /v1/calls/{call_id}/timeline`; `GET /v1/calls` filters `kind`, `direction` and `callflow_id`',
    text_ar: '`GET /v1/calls/{call_id}/timeline`؛ وعوامل التصفية `kind` و`direction` و`callflow_id` في `GET /v1/calls`',
  },
  {
    date: '2026-11-21',
    text: '`GET /v1/openapi.json`, the API reference, a page for every error code, and this change history',
    text_ar: '`GET /v1/openapi.json` ومرجع API وصفحة لكل رمز خطأ وسجل التغييرات هذا',
  },
];
