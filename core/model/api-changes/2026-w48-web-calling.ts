import type { ApiChange } from './api-change.js';

/** Calls from browsers. */
export const WEB_CALLING_W48_2026: readonly ApiChange[] = [
  {
    date: '2026-11-27',
    text: '`GET /v1/agents/{agent}/queues` returns the state of an agent in all queues, with the pause, the time after a call and waiting callers; `GET /v1/agents/{agent}/queues/stream` follows it; members with the role `agent` see the names of all queues there',
    text_ar:
      'يُرجع `GET /v1/agents/{agent}/queues` حالة الموظف في جميع قوائم الانتظار، مع الإيقاف المؤقت والوقت المتبقي بعد المكالمة وعدد المنتظرين، ويتابعها `GET /v1/agents/{agent}/queues/stream` مباشرة؛ ويرى فيهما الأعضاء الذين دورهم `agent` أسماء جميع قوائم الانتظار',
  },
  {
    date: '2026-11-27',
    text: 'the `X-Hatif-…` headers of a call from a browser or softphone come back in `metadata` of the call and its events: `X-Hatif-Order-Id` is `web_order_id`',
    text_ar:
      'تعود الترويسات `X-Hatif-…` التي ترسلها مكالمة من متصفح أو من تطبيق هاتف (Softphone) في الحقل `metadata` للمكالمة ولأحداثها: فتظهر `X-Hatif-Order-Id` باسم `web_order_id`',
  },
  {
    date: '2026-11-27',
    text: '`GET /v1/colleagues` finds agents by name or extension for a transfer, also for members with the role `agent`',
    text_ar:
      'يبحث `GET /v1/colleagues` عن الموظفين بالاسم أو التحويلة لتحويل المكالمات إليهم، وهو متاح أيضًا للأعضاء الذين دورهم `agent`',
  },
  {
    date: '2026-11-27',
    text: '`GET /v1/health` reports the TURN servers of browsers as `turn`; a part that is `down` there leaves `status` as it is',
    text_ar: 'يعرض `GET /v1/health` حالة خوادم TURN للمتصفحات في الحقل `turn`؛ وتوقفها لا يغيّر قيمة `status`',
  },
  {
    date: '2026-11-27',
    text: '`POST /v1/web-calling/resume`: calls of a browser continue after its page was loaded again; `hangUpOnLeave` of the browser package is off by default',
    text_ar:
      'المسار `POST /v1/web-calling/resume`: تستمر مكالمات المتصفح بعد إعادة تحميل صفحته؛ والخيار `hangUpOnLeave` في حزمة المتصفح معطّل افتراضيًّا',
  },
  {
    date: '2026-11-27',
    text: 'calls from the browser by a widget: `browser_calls` in `/v1/widgets` and `GET /v1/widget/settings`, `POST /v1/widget/calls`',
    text_ar:
      'الاتصال من المتصفح عبر أداة الاتصال: الحقل `browser_calls` في `/v1/widgets` و`GET /v1/widget/settings`، والمسار `POST /v1/widget/calls`',
  },
  {
    date: '2026-11-27',
    text: 'the browser package `@hatif/web` at `/web/v1.js` and `/web/hatif-web.tgz`; `POST /v1/web-calling/feedback` and the event `web_calling.feedback`',
    text_ar:
      'حزمة المتصفح `@hatif/web` على `/web/v1.js` و`/web/hatif-web.tgz`؛ والمسار `POST /v1/web-calling/feedback` والحدث `web_calling.feedback`',
  },
  {
    date: '2026-11-27',
    text: '`ws_url` in `POST /v1/admin/engines` and in the engines: where an engine takes browsers; a FreeSWITCH takes them, too',
    text_ar:
      'الحقل `ws_url` في `POST /v1/admin/engines` وفي بيانات المحرّكات: العنوان الذي يستقبل عنده المحرّك المتصفحات؛ ويستقبلها محرّك FreeSWITCH أيضًا',
  },
  {
    date: '2026-11-27',
    text: 'web calling: `/v1/web-calling/sessions`, `POST /v1/web-calling/connect` and the WebSocket `/v1/web-calling/ws` let browsers call and be called; a project has `allowed_origins`, which `PATCH /v1/projects/{project_id}` changes; a token of a session is refused as a key with `WCS_NOT_ALLOWED_AS_BEARER`',
    text_ar:
      'الاتصال من المتصفح: تتيح `/v1/web-calling/sessions` و`POST /v1/web-calling/connect` واتصال WebSocket على `/v1/web-calling/ws` للمتصفحات إجراء المكالمات واستقبالها؛ وللمشروع حقل `allowed_origins` الذي يعدّله `PATCH /v1/projects/{project_id}`؛ ويُرفض رمز الجلسة إذا استُخدم مفتاحًا بالرمز `WCS_NOT_ALLOWED_AS_BEARER`',
  },
];
