import type { ApiChange } from './api-change.js';

export const WEEK_48_2026: readonly ApiChange[] = [
  {
    date: '2026-11-26',
    text: 'the SIP edge, for administrators: `GET /v1/admin/sip`, `/v1/admin/sip/lockouts`, `/v1/admin/sip/refusals` and `/v1/admin/sip/networks`, with `SIP_EDGE_UNSUPPORTED`; the event `agent.locked_out` reports that the SIP password of an agent was guessed too often',
    text_ar:
      'طبقة SIP الطرفية، للمسؤولين: `GET /v1/admin/sip` و`/v1/admin/sip/lockouts` و`/v1/admin/sip/refusals` و`/v1/admin/sip/networks`، مع رمز الخطأ `SIP_EDGE_UNSUPPORTED`؛ ويُبلّغ الحدث `agent.locked_out` عن كثرة محاولات تخمين كلمة مرور SIP لأحد الموظفين',
  },
  {
    date: '2026-11-26',
    text: 'trunks for administrators: `PATCH /v1/admin/trunks/{name}`, `GET`/`PUT /v1/admin/trunks/{name}/rates`, `trunk-routes`, `trunk-figures` and `trunk-attempts`; a trunk has more members, and its `state` may be `off`; a call that no trunk has room for is `failed` with Q.850 34, and the timeline of a call that another trunk carried on has `leg.rerouted`',
    text_ar:
      'خطوط الربط للمسؤولين: `PATCH /v1/admin/trunks/{name}`، و`GET` و`PUT /v1/admin/trunks/{name}/rates`، و`trunk-routes` و`trunk-figures` و`trunk-attempts`؛ أُضيفت حقول إلى خط الربط، وقد تكون حالته في `state` هي `off`؛ والمكالمة التي لا يتسع لها أي خط ربط تصبح `failed` بالسبب 34 (Q.850)، وفي الخط الزمني للمكالمة التي أكملها خط ربط آخر `leg.rerouted`',
  },
  {
    date: '2026-11-26',
    text: 'limits against toll fraud have defaults: `GET` and `PUT /v1/organization/fraud-limits`, for administrators `fraud-defaults`, `organizations/{organization_id}/fraud-defaults` and `high-risk-prefixes`; `GET` and `PUT /v1/fraud-limits` return `effective`, `null` in them is no limit whatever the defaults say, and blocks have `ends_calls`; the destination class `mobile`, which `national` no longer includes (projects and agents that may call `national` got it)',
    text_ar:
      'لحدود الحماية من الاحتيال قيم تلقائية: `GET` و`PUT /v1/organization/fraud-limits`، وللمسؤولين `fraud-defaults` و`organizations/{organization_id}/fraud-defaults` و`high-risk-prefixes`؛ ويُرجع `GET` و`PUT /v1/fraud-limits` الحقل `effective`، والقيمة `null` فيهما تعني عدم وجود حد مهما كانت القيم التلقائية، ولحالات الحظر الحقل `ends_calls`؛ وفئة الوجهات `mobile` التي لم تعد `national` تشملها (وأُضيفت إلى المشاريع والموظفين المسموح لهم بالفئة `national`)',
  },
  {
    date: '2026-11-26',
    text: 'agents have lists of blocked callers, and agents and projects lists of callers who are never blocked: `/v1/agents/{agent}/blocked-callers`, `/v1/agents/{agent}/allowed-callers`, `/v1/allowed-callers`, `/v1/admin/allowed-callers`, `agent` in `/v1/admin/blocked-callers`; `GET` and `PUT /v1/blocked-caller-answer` and `/v1/admin/blocked-caller-answer` say what blocked callers get, SIP 603 by default; entries have `refused_calls` and `last_refused_at`; the event `number.caller_blocked` and the error `ALLOWED_CALLER_LIMIT_EXCEEDED`',
    text_ar:
      'للموظفين قوائم حظر خاصة بهم، وللموظفين والمشاريع قوائم سماح لا يُحظر من فيها: `/v1/agents/{agent}/blocked-callers` و`/v1/agents/{agent}/allowed-callers` و`/v1/allowed-callers` و`/v1/admin/allowed-callers`، والحقل `agent` في `/v1/admin/blocked-callers`؛ ويحدد `GET` و`PUT /v1/blocked-caller-answer` و`/v1/admin/blocked-caller-answer` ما يتلقاه المتصل المحظور، وهو رد SIP برقم 603 ما لم يُحدَّد غيره؛ وللإدخالات الحقلان `refused_calls` و`last_refused_at`؛ والحدث `number.caller_blocked` ورمز الخطأ `ALLOWED_CALLER_LIMIT_EXCEEDED`',
  },
  {
    date: '2026-11-26',
    text: 'call forwarding and do-not-disturb of agents: `GET` and `PATCH /v1/agents/{agent}/forwarding`, for administrators `PATCH /v1/admin/projects/{project_id}/agents/{agent}/forwarding` and `forwarding` of their agents, and the event `agent.forwarding_changed`; an unknown code from a softphone is answered and refused aloud',
    text_ar:
      'إعادة توجيه مكالمات الموظفين وعدم الإزعاج: `GET` و`PATCH /v1/agents/{agent}/forwarding`، وللمسؤولين `PATCH /v1/admin/projects/{project_id}/agents/{agent}/forwarding` والحقل `forwarding` لدى الموظفين، والحدث `agent.forwarding_changed`؛ ويُردّ على رمز الخدمة غير المعروف من تطبيق الهاتف (Softphone) برسالة مسموعة',
  },
  {
    date: '2026-11-26',
    text: '`POST /v1/agents`, `POST /v1/agents/{agent}/sip-password` and new softphones return `sip_server` and `sip_transport` (`udp` or `tls`); `GET /v1/health` and `GET /v1/admin/status` report the part `certificate`',
    text_ar:
      'يُرجع `POST /v1/agents` و`POST /v1/agents/{agent}/sip-password` وتطبيقات الهاتف الجديدة الحقلين `sip_server` و`sip_transport` (القيمة `udp` أو `tls`)؛ ويعرض `GET /v1/health` و`GET /v1/admin/status` حالة الجزء `certificate`',
  },
  {
    date: '2026-11-26',
    text: 'administrators do everything over HTTP that the `hatif` command does: below `/v1/admin`, `projects` with keys, agents, queues, call flows, widgets, numbers, calls, recordings, webhooks, limits against toll fraud, balances and call detail records; and `status`, `refused-calls`, `blocked-callers`, `sip-targets`, `numbers`, `invoices`, `credit-notes`, `ratings`, `administrators`, `tokens`, `audit/verification`, `engines/{name}/secret` and the billing mode, pool and top-ups of organizations; the error `INVOICE_SELLER_MISSING`',
    text_ar:
      'ينفّذ المسؤولون عبر HTTP كل ما ينفّذه أمر `hatif`: أسفل `/v1/admin`، في `projects`: المفاتيح والموظفون وقوائم الانتظار ومسارات المكالمات وأدوات الاتصال والأرقام والمكالمات والتسجيلات وروابط Webhook وحدود الحماية من الاحتيال والأرصدة وسجلات تفاصيل المكالمات؛ و`status` و`refused-calls` و`blocked-callers` و`sip-targets` و`numbers` و`invoices` و`credit-notes` و`ratings` و`administrators` و`tokens` و`audit/verification` و`engines/{name}/secret`، وطريقة الدفع والرصيد المشترك والشحن للمؤسسات؛ ورمز الخطأ `INVOICE_SELLER_MISSING`',
  },
  {
    date: '2026-11-26',
    text: 'below `/v1/admin`, engines, trunks, payments, brands, documents, porting requests, claims to own numbers and rate plans have more members, a refund returns itself as `refund`, and a version of a rate plan may have 200,000 rates',
    text_ar:
      'أسفل `/v1/admin`، أُضيفت حقول إلى المحرّكات وخطوط الربط والدفعات والعلامات التجارية والوثائق وطلبات نقل الأرقام وطلبات إثبات الأرقام الخاصة وخطط الأسعار، ويُرجع ردّ المبلغ نفسه في `refund`، وقد تضم نسخة خطة الأسعار 200,000 سعر',
  },
  {
    date: '2026-11-26',
    text: 'personal data: `GET`/`POST /v1/privacy/exports`, `GET /v1/privacy/exports/{id}`, `GET /v1/privacy/exports/{id}/archive`, `GET`/`POST /v1/privacy/erasures` and `GET /v1/privacy/erasures/{id}` for owners and admins, with the permission `privacy:write`; the errors `PRIVACY_REQUEST_LIMIT_EXCEEDED`, `ARCHIVE_NOT_READY` and `ARCHIVE_EXPIRED`',
    text_ar:
      'البيانات الشخصية: `GET` و`POST /v1/privacy/exports`، و`GET /v1/privacy/exports/{id}`، و`GET /v1/privacy/exports/{id}/archive`، و`GET` و`POST /v1/privacy/erasures`، و`GET /v1/privacy/erasures/{id}` للمالك والمدير، بالصلاحية `privacy:write`؛ ورموز الأخطاء `PRIVACY_REQUEST_LIMIT_EXCEEDED` و`ARCHIVE_NOT_READY` و`ARCHIVE_EXPIRED`',
  },
  {
    date: '2026-11-26',
    text: '`DELETE /v1/admin/organizations/{id}` deletes an organization, `GET /v1/admin/organizations/{id}/deletion` shows its state, and `GET /v1/admin/organizations/{id}/deletion/archive` downloads its archive; organizations have `ended_at`, and a change of one that is being deleted answers `ORGANIZATION_ENDED`',
    text_ar:
      'يحذف `DELETE /v1/admin/organizations/{id}` مؤسسة، ويعرض `GET /v1/admin/organizations/{id}/deletion` مدى تقدّم الحذف، ويُنزّل `GET /v1/admin/organizations/{id}/deletion/archive` ملفها؛ وللمؤسسات حقل `ended_at`، ويُرجع تعديل مؤسسة يجري حذفها `ORGANIZATION_ENDED`',
  },
  {
    date: '2026-11-26',
    text: 'single sign-on: `GET`, `PUT` and `DELETE /v1/sso`, `/v1/sso/domains`, `GET /v1/sso/start`, `GET /v1/sso/callback` and `POST /v1/sso/session`; for administrators `DELETE /v1/admin/organizations/{organization_id}/sso` and `PUT` and `DELETE …/sso-domains/{domain}`; the errors `SSO_*`; `POST /v1/sessions` and the sign-in with a passkey answer `PASSWORD_SSO_ONLY` for forced domains',
    text_ar:
      'تسجيل الدخول الموحّد: `GET` و`PUT` و`DELETE /v1/sso`، و`/v1/sso/domains`، و`GET /v1/sso/start` و`GET /v1/sso/callback` و`POST /v1/sso/session`؛ وللمسؤولين `DELETE /v1/admin/organizations/{organization_id}/sso` و`PUT` و`DELETE …/sso-domains/{domain}`؛ ورموز الأخطاء `SSO_*`؛ ويُرجع `POST /v1/sessions` وتسجيل الدخول بمفتاح مرور الرمز `PASSWORD_SSO_ONLY` للنطاقات المُلزمة به',
  },
  {
    date: '2026-11-26',
    text: 'SCIM 2.0 at `/scim/v2`, with the token of `POST /v1/scim/token`, the permission `scim:write`, and the errors `SCIM_*` in the form of the standard',
    text_ar:
      'SCIM 2.0 على `/scim/v2` برمز `POST /v1/scim/token` وبالصلاحية `scim:write`، ورموز الأخطاء `SCIM_*` بصيغة المعيار',
  },
  {
    date: '2026-11-26',
    text: '`GET /v1/events` and `GET /v1/events/stream` refuse a `type` that is no event and no family; the stream also refuses a `Last-Event-ID` that is no event id',
    text_ar:
      'يرفض `GET /v1/events` و`GET /v1/events/stream` قيمة `type` التي ليست حدثًا ولا مجموعة أحداث؛ ويرفض البث أيضًا `Last-Event-ID` الذي ليس معرّف حدث',
  },
  {
    date: '2026-11-26',
    text: '`POST /v1/admin/me/password` changes the password of an administrator',
    text_ar: 'يغيّر `POST /v1/admin/me/password` كلمة مرور المسؤول',
  },
  {
    date: '2026-11-26',
    text: 'passwords in `POST /v1/invites/accept`, `POST /v1/admin/organizations` and `/v1/admin/me/totp` are refused with `VALIDATION_ERROR` over plain HTTP from another machine, and wrong ones at `/v1/admin/me/totp` are limited',
    text_ar:
      'تُرفض كلمات المرور بالرمز `VALIDATION_ERROR` في `POST /v1/invites/accept` و`POST /v1/admin/organizations` و`/v1/admin/me/totp` إذا أُرسلت دون تشفير من جهاز آخر، ولعدد المحاولات الخاطئة في `/v1/admin/me/totp` حد',
  },
  {
    date: '2026-11-25',
    text: 'sign-up: `GET /v1/signup/challenge`, `POST /v1/signup`, `POST /v1/signup/resend`, `POST /v1/signup/confirm`, with the errors `SIGNUP_*` and `PBX_PROVISIONING_FAILED`; `POST /v1/admin/organizations` also makes a softphone, returns it as `softphone`, and can answer `PBX_PROVISIONING_FAILED`',
    text_ar:
      'التسجيل: `GET /v1/signup/challenge` و`POST /v1/signup` و`POST /v1/signup/resend` و`POST /v1/signup/confirm`، مع رموز الأخطاء `SIGNUP_*` و`PBX_PROVISIONING_FAILED`؛ وينشئ `POST /v1/admin/organizations` هاتفًا أيضًا ويُرجعه في `softphone`، وقد يُرجع `PBX_PROVISIONING_FAILED`',
  },
  {
    date: '2026-11-25',
    text: '`VERIFY_SEND_FAILED` says in `details` what failed; faults of a menu and of a number’s destination have the path of the request in `details`; `X-Simulate: rate_limit` sends the headers of a used-up limit',
    text_ar:
      'يذكر `VERIFY_SEND_FAILED` في `details` سبب الفشل؛ ومسار الخطأ في `details` هو مسار الحقل في الطلب في أخطاء القوائم الصوتية وفي وجهة الرقم؛ وترسل `X-Simulate: rate_limit` ترويسات حد مستنفد',
  },
  {
    date: '2026-11-25',
    text: 'the last event of a sandbox call, such as `call.ended`, shows every leg as `ended`',
    text_ar: 'يُظهر آخر حدث لمكالمة في البيئة التجريبية، مثل `call.ended`، كل أطرافها بالحالة `ended`',
  },
  {
    date: '2026-11-25',
    text: 'the message of a 405 names the methods of the path, and routes of the widget say that another key is not the key of a widget',
    text_ar: 'تذكر رسالة `405` طرق المسار، وتوضح مسارات أداة الاتصال أن المفتاح المرسل ليس مفتاح أداة اتصال',
  },
  {
    date: '2026-11-25',
    text: 'signed-in users: `POST /v1/sessions`, `POST /v1/sessions/refresh`, `GET` and `DELETE /v1/sessions`, `DELETE /v1/sessions/{id}`, `POST /v1/sessions/logout`; routes for API keys also take an access token, with `X-Hatif-Project` and `X-Hatif-Mode`, and can answer `INSUFFICIENT_ROLE`, `PROJECT_NOT_FOUND` and `PRODUCTION_TIER_REQUIRED`; keys of a suspended organization answer `INSUFFICIENT_PERMISSIONS`',
    text_ar:
      'تسجيل دخول المستخدمين: `POST /v1/sessions` و`POST /v1/sessions/refresh` و`GET` و`DELETE /v1/sessions` و`DELETE /v1/sessions/{id}` و`POST /v1/sessions/logout`؛ وتقبل مسارات مفاتيح API رمز وصول أيضًا مع `X-Hatif-Project` و`X-Hatif-Mode`، وقد تُرجع `INSUFFICIENT_ROLE` و`PROJECT_NOT_FOUND` و`PRODUCTION_TIER_REQUIRED`؛ وتُرجع مفاتيح المؤسسة الموقوفة `INSUFFICIENT_PERMISSIONS`',
  },
  {
    date: '2026-11-25',
    text: 'production access: `GET`/`POST /v1/production-requests`, `GET`/`PATCH /v1/production-requests/{id}`, its documents, `submit` and `withdraw`; administrators decide at `/v1/admin/production-requests`; `PRODUCTION_REQUEST_EXISTS`, `PRODUCTION_ACCESS_ALREADY_REQUESTED`, `PRODUCTION_REQUEST_NOT_FOUND`, `PRODUCTION_REQUEST_INVALID_STATE`, `NATIONALID_REQUIRED`, `EMAIL_NOT_CONFIRMED`',
    text_ar:
      'الوصول إلى بيئة الإنتاج: `GET` و`POST /v1/production-requests`، و`GET` و`PATCH /v1/production-requests/{id}`، ووثائق الطلب و`submit` و`withdraw`؛ ويبتّ المسؤولون فيه عبر `/v1/admin/production-requests`؛ ورموز الأخطاء `PRODUCTION_REQUEST_EXISTS` و`PRODUCTION_ACCESS_ALREADY_REQUESTED` و`PRODUCTION_REQUEST_NOT_FOUND` و`PRODUCTION_REQUEST_INVALID_STATE` و`NATIONALID_REQUIRED` و`EMAIL_NOT_CONFIRMED`',
  },
  {
    date: '2026-11-25',
    text: 'national identities of users: `GET`/`POST /v1/national-id/verifications`, `GET /v1/national-id/verifications/{id}`, `POST /v1/national-id/verifications/{id}/confirm`, and `POST /v1/national-id/webhook` for the identity service; the errors `INVALID_NATIONAL_ID` and `NATIONALID_*`',
    text_ar:
      'الهوية الوطنية للمستخدمين: `GET` و`POST /v1/national-id/verifications`، و`GET /v1/national-id/verifications/{id}`، و`POST /v1/national-id/verifications/{id}/confirm`، و`POST /v1/national-id/webhook` لمزوّد التحقق من الهوية؛ ورموز الأخطاء `INVALID_NATIONAL_ID` و`NATIONALID_*`',
  },
  {
    date: '2026-11-25',
    text: 'administrators of the installation: `GET`/`POST /v1/setup` makes the first one, `POST /v1/admin/sessions` signs in, with a second factor at `/v1/admin/me/totp`; below `/v1/admin`: `organizations`, `users`, `brands`, `own-numbers`, `porting-requests`, `flags`, `engines`, `trunks`, `payments`, `rate-plans`, `dead-letters` and `audit`; a suspended organization’s keys and sessions answer `INSUFFICIENT_PERMISSIONS`',
    text_ar:
      'مسؤولو المنصة: ينشئ `GET` و`POST /v1/setup` أول مسؤول، ويسجّل `POST /v1/admin/sessions` الدخول، والتحقق بخطوتين في `/v1/admin/me/totp`؛ وضمن `/v1/admin`: `organizations` و`users` و`brands` و`own-numbers` و`porting-requests` و`flags` و`engines` و`trunks` و`payments` و`rate-plans` و`dead-letters` و`audit`؛ ومفاتيح المؤسسة الموقوفة وجلساتها تُرجع `INSUFFICIENT_PERMISSIONS`',
  },
  {
    date: '2026-11-25',
    text: '`GET /v1/audit`: who changed what in the organization, from where, and whether an administrator acted as a user; filters, pages, and CSV with `format=csv` or `Accept: text/csv`; for users whose role has `audit:read`',
    text_ar:
      '`GET /v1/audit`: من غيّر ماذا في المؤسسة ومن أين، وهل عمل مسؤول باسم مستخدم؛ مع التصفية والصفحات وملف CSV عند `format=csv` أو `Accept: text/csv`؛ لمن يتضمن دوره `audit:read`',
  },
  {
    date: '2026-11-25',
    text: 'routes for signed-in members: `/v1/projects`, `/v1/keys` with `rotate` and `reveal`, `/v1/members`, `/v1/invites` with `resend`, `lookup` and `accept`, `/v1/organization`; `PROJECT_IN_USE` and `EMAIL_NOT_CONFIRMED`; `x-permission` and `x-roles` in the OpenAPI document',
    text_ar:
      'مسارات للأعضاء بعد تسجيل الدخول: `/v1/projects` و`/v1/keys` مع `rotate` و`reveal`، و`/v1/members`، و`/v1/invites` مع `resend` و`lookup` و`accept`، و`/v1/organization`؛ والرمزان `PROJECT_IN_USE` و`EMAIL_NOT_CONFIRMED`؛ والحقلان `x-permission` و`x-roles` في وثيقة OpenAPI',
  },
  {
    date: '2026-11-25',
    text: 'accounts of signed-in users: `GET`/`PATCH /v1/me`, `POST /v1/me/phone/confirm`, `POST /v1/me/password`, `/v1/me/totp`, `/v1/me/recovery-codes` and `/v1/me/passkeys` for second factors, `POST /v1/password/forgot` and `/v1/password/reset`, `POST /v1/sessions/confirm` before sensitive operations, `POST /v1/sessions/passkey` to sign in with a passkey',
    text_ar:
      'حسابات المستخدمين: `GET` و`PATCH /v1/me`، و`POST /v1/me/phone/confirm`، و`POST /v1/me/password`، و`/v1/me/totp` و`/v1/me/recovery-codes` و`/v1/me/passkeys` للعامل الثاني، و`POST /v1/password/forgot` و`/v1/password/reset`، و`POST /v1/sessions/confirm` قبل العمليات الحساسة، و`POST /v1/sessions/passkey` لتسجيل الدخول بمفتاح مرور',
  },
  {
    date: '2026-11-25',
    text: 'the OpenAPI document has an example of each error answer under `components/examples`, requests that work on the demo installation, `x-description-ar` of each group, and `x-feature-flag` of events',
    text_ar:
      'تتضمن وثيقة OpenAPI مثالًا لكل جواب خطأ تحت `components/examples`، وطلبات تعمل كما هي على التثبيت التجريبي، و`x-description-ar` لكل مجموعة، و`x-feature-flag` للأحداث',
  },
  {
    date: '2026-11-24',
    text: 'limits against toll fraud: `GET`/`PUT /v1/fraud-limits` for the project and its agents, `GET`/`PUT /v1/fraud-limits/{agent}` for one agent; an agent or project that exceeds one dials nothing outside (`OUTBOUND_BLOCKED`) until `POST /v1/fraud-blocks/{id}/release`; `GET /v1/fraud-blocks` lists the blocks; the events `fraud.blocked` and `fraud.released`, and subscriptions can name `fraud.*`',
    text_ar:
      'حدود الحماية من الاحتيال: `GET` و`PUT /v1/fraud-limits` للمشروع وموظفيه، و`GET` و`PUT /v1/fraud-limits/{agent}` لموظف واحد؛ ومن يتجاوز حدًّا تُرفض مكالماته الخارجية (`OUTBOUND_BLOCKED`) حتى `POST /v1/fraud-blocks/{id}/release`؛ ويعرض `GET /v1/fraud-blocks` حالات الحظر؛ والحدثان `fraud.blocked` و`fraud.released`، ويمكن الاشتراك في `fraud.*`',
  },
  {
    date: '2026-11-24',
    text: 'the OpenAPI document has an example of each JSON request and answer',
    text_ar: 'تتضمن وثيقة OpenAPI مثالًا لكل طلب وجواب بصيغة JSON',
  },
  {
    date: '2026-11-24',
    text: 'an altered or incomplete download link for a recording answers `RECORDING_URL_INVALID`, not `RECORDING_NOT_FOUND`; `unscripted` of a call flow’s simulation names the nodes whose outcome the script does not give',
    text_ar:
      'يُرجع رابط تنزيل التسجيل المعدَّل أو غير المكتمل `RECORDING_URL_INVALID` بدل `RECORDING_NOT_FOUND`؛ ويسمّي الحقل `unscripted` في محاكاة مسار المكالمات العقد التي لا يحدّد النص نتيجتها',
  },
  {
    date: '2026-11-24',
    text: 'webhook messages about a call have `previous_sequence`: the sequence of the last event of the call that was sent to the same receiver, so that a gap can be distinguished from a filter',
    text_ar:
      'في رسائل Webhook عن المكالمة الحقل `previous_sequence`: تسلسل آخر حدث من المكالمة أُرسل إلى المستقبِل نفسه، فيتميّز الحدث الناقص من الحدث المستبعَد بالتصفية',
  },
  {
    date: '2026-11-24',
    text: '`GET`/`POST /v1/blocked-callers` and `DELETE /v1/blocked-callers/{id}`: the numbers, prefixes and callers without a number whose calls the project refuses; `BLOCKED_CALLER_LIMIT_EXCEEDED`; `POST /v1/sandbox/calls` answers `VALIDATION_ERROR` if `from` is on the block list of the sandbox',
    text_ar:
      '`GET` و`POST /v1/blocked-callers` و`DELETE /v1/blocked-callers/{id}`: الأرقام والبادئات والمتصلون بلا رقم ظاهر الذين يرفض المشروع مكالماتهم؛ و`BLOCKED_CALLER_LIMIT_EXCEEDED`؛ ويُرجع `POST /v1/sandbox/calls` الخطأ `VALIDATION_ERROR` لمتصل محظور في البيئة التجريبية',
  },
  {
    date: '2026-11-24',
    text: 'new organizations have the call velocity limit on; those that exist keep what they have',
    text_ar: 'حد وتيرة المكالمات مفعّل للمؤسسات الجديدة؛ أما المؤسسات القائمة فيبقى إعدادها كما هو',
  },
  {
    date: '2026-11-24',
    text: 'customers’ full numbers: a key with the new scope `pii:read` gets `customer_number` beside `customer_number_masked`, also in recordings and voicemail, and the last column `customer_number_unmasked` of `GET /v1/cdr`; webhook endpoints get it with `include_customer_number`',
    text_ar:
      'أرقام العملاء كاملة: يحصل المفتاح الذي لديه نطاق الصلاحية الجديد `pii:read` على `customer_number` إلى جانب `customer_number_masked`، وفي التسجيلات والبريد الصوتي كذلك، وعلى العمود الأخير `customer_number_unmasked` في `GET /v1/cdr`؛ وتحصل نقاط Webhook عليه بضبط `include_customer_number`',
  },
  {
    date: '2026-11-23',
    text: 'the timeline of a call says when a caller hung up before the voicemail’s tone: `voicemail.not_recorded` with `reason` `caller_hung_up_before_tone`, instead of `voicemail.refused` with `no_such_leg`',
    text_ar:
      'يبيّن التسلسل الزمني للمكالمة أن المتصل أغلق الخط قبل صافرة البريد الصوتي: `voicemail.not_recorded` و`reason` بالقيمة `caller_hung_up_before_tone`، بدل `voicemail.refused` والقيمة `no_such_leg`',
  },
  {
    date: '2026-11-23',
    text: 'a call is `failed` with Q.850 27, not `missed` or `timeout`, if the carrier’s trunk does not answer; `checks` of `GET /v1/health` has `trunks`, and `sip` is `up` while an engine answers SIP',
    text_ar:
      'المكالمة `failed` بالسبب 27 (Q.850)، لا `missed` ولا `timeout`، إذا لم يستجب خط الربط مع المشغّل؛ وفي `checks` من `GET /v1/health` الحقل `trunks`، و`sip` هو `up` ما دام أحد المحركات يستجيب لطلبات SIP',
  },
  {
    date: '2026-11-23',
    text: 'call flows: the node `split` distributes callers at random over `branches` by `weight`; `splits` of a simulation gives the branch',
    text_ar:
      'مسارات المكالمات: العقدة `split` توزّع المتصلين عشوائيًا على `branches` بحسب `weight`؛ ويحدّد الحقل `splits` الفرع عند المحاكاة',
    perEnvironment: true,
  },
  {
    date: '2026-11-23',
    text: '`credit_note.issued`: an event for each project on an invoice when a credit note is issued for it, with the credited amount (production keys); subscriptions can name `credit_note.*`',
    text_ar:
      '`credit_note.issued`: حدث لكل مشروع تشمله الفاتورة عند إصدار إشعار دائن لها، ويتضمن مبلغ الإشعار (مفاتيح بيئة الإنتاج)؛ ويمكن الاشتراك في `credit_note.*`',
  },
  {
    date: '2026-11-23',
    text: '`GET /v1/callflows/audio/usage`: how much of the audio quota the project uses (`files`, `bytes_used`, `bytes_allowed`)',
    text_ar:
      '`GET /v1/callflows/audio/usage`: ما يستخدمه المشروع من المساحة المتاحة للملفات الصوتية (`files` و`bytes_used` و`bytes_allowed`)',
    perEnvironment: true,
  },
  {
    date: '2026-11-23',
    text: '`DELETE /v1/agents/{agent}` answers `AGENT_ON_CALL` while the agent is on a call or a call rings the phone',
    text_ar: 'يُرجع `DELETE /v1/agents/{agent}` الخطأ `AGENT_ON_CALL` ما دام الموظف في مكالمة أو كان هاتفه يرن',
  },
  {
    date: '2026-11-23',
    text: 'skills: `skills` of an agent; `required_skills` and `skills_timeout_seconds` of a queue; `required_skills` of a `queue` node, of `POST /v1/callback` and of a waiting caller',
    text_ar:
      'المهارات: `skills` للموظف؛ و`required_skills` و`skills_timeout_seconds` لقائمة الانتظار؛ و`required_skills` لعقدة `queue` ولـ`POST /v1/callback` ولمن ينتظر',
  },
  {
    date: '2026-11-23',
    text: '`GET /v1/agents/{agent}/stats`: statistics of an agent for a period',
    text_ar: '`GET /v1/agents/{agent}/stats`: إحصاءات موظف خلال مدة',
  },
  {
    date: '2026-11-23',
    text: '`fallback` of `POST /v1/verify`: further channels if the code does not arrive; `send_attempts` and `failure_reason` of a verification and of `verify.completed` say why; `channel` is that of the last sending',
    text_ar:
      '`fallback` في `POST /v1/verify`: قنوات أخرى إذا لم يصل الرمز؛ و`send_attempts` و`failure_reason` لعملية التحقق وللحدث `verify.completed` يبيّنان السبب؛ و`channel` هي قناة آخر إرسال',
  },
  {
    date: '2026-11-23',
    text: 'corrected ratings and refunds: the ledger’s kinds `rerating` and `refund`, negative invoice lines, and `refunded_sar` of payments',
    text_ar:
      'تصحيح تكلفة المكالمات ورد المدفوعات: النوعان `rerating` و`refund` في حركات الحساب، وبنود سالبة في الفواتير، و`refunded_sar` في المدفوعات',
  },
  {
    date: '2026-11-23',
    text: 'credit notes: `GET /v1/credit-notes`, `GET /v1/credit-notes/{id}` and its `pdf`; `credited_sar` and `outstanding_sar` of invoices; a payment of an invoice is for the amount outstanding',
    text_ar:
      'الإشعارات الدائنة: `GET /v1/credit-notes`، و`GET /v1/credit-notes/{id}` ومستنده `pdf`؛ و`credited_sar` و`outstanding_sar` في الفواتير؛ وسداد الفاتورة يكون بالمبلغ المتبقي منها',
  },
  {
    date: '2026-11-23',
    text: 'monthly fees of numbers: `GET /v1/billing/number-fees`, `number_fees` of `GET /v1/billing/rate-plan`, the ledger’s kind `number_fee` and invoice lines of the kind `numbers`',
    text_ar:
      'رسوم الأرقام الشهرية: `GET /v1/billing/number-fees`، و`number_fees` في `GET /v1/billing/rate-plan`، والنوع `number_fee` في حركات الحساب، وبنود الفاتورة من النوع `numbers`',
  },
  {
    date: '2026-11-23',
    text: 'usage, call detail records, balance, spend and invoices agree on the cost of the same calls: a call belongs to the day on which it was created, calls of sandbox accounts are never charged, and `charged_legs` and `billed_seconds` of `GET /v1/cdr` count only legs that cost something',
    text_ar:
      'صار الاستخدام وسجلات المكالمات والرصيد والإنفاق والفواتير متفقة على تكلفة المكالمات نفسها: تتبع المكالمة اليوم الذي أُنشئت فيه، ولا تُحسب أي تكلفة على مكالمات الحسابات التجريبية، ولا يشمل `charged_legs` و`billed_seconds` في `GET /v1/cdr` إلا أطراف المكالمة التي لها تكلفة',
  },
  {
    date: '2026-11-23',
    text: 'widgets: `countries` (Saudi numbers only by default, also for existing widgets) and `calls_per_hour`; codes and callbacks beyond a widget’s, a project’s or a number block’s limits answer `CALL_FAILED`, also at `POST /v1/widget/otp`',
    text_ar:
      'أدوات الاتصال: `countries` (الأرقام السعودية فقط ما لم تُذكر دول أخرى، وينطبق ذلك على الأدوات القائمة أيضًا) و`calls_per_hour`؛ وما يتجاوز حدود الأداة أو المشروع أو مجموعة الأرقام من الرموز وطلبات معاودة الاتصال يُرجع `CALL_FAILED`، وكذلك في `POST /v1/widget/otp`',
    perEnvironment: true,
  },
  {
    date: '2026-11-23',
    text: 'a number’s `source` can be `demo`: a number of a fresh installation, to try orders and virtual numbers, which no carrier delivers',
    text_ar:
      'قد تكون قيمة `source` للرقم `demo`: رقم يأتي مع التثبيت الجديد لتجربة طلب الأرقام والأرقام الافتراضية، ولا توصله أي شركة اتصالات',
  },
  {
    date: '2026-11-23',
    text: 'sandbox keys: reads of queues, agents, balance, invoices and payments; own numbers, bindings, voicemail boxes, claims and porting requests, apart from live ones; audio files have the kind of their key; calls to the numbers that the owner verified; call flows run in the sandbox (`callflow_id` of `POST /v1/callback`, transfers, voicemail), also for simulated callers (`POST /v1/sandbox/calls`); `sip_username` of an agent is null for a sandbox key',
    text_ar:
      'مفاتيح البيئة التجريبية: قراءة قوائم الانتظار والموظفين والرصيد والفواتير والمدفوعات؛ وأرقام وارتباطات وصناديق بريد صوتي وطلبات إثبات ونقل خاصة بها، منفصلة عن مثيلاتها في الإنتاج؛ وتتبع الملفات الصوتية نوع مفتاحها؛ والاتصال بالأرقام التي أثبتها مالكها؛ وتشغيل مسارات المكالمات في البيئة التجريبية (`callflow_id` في `POST /v1/callback`، والتحويل، والبريد الصوتي)، حتى للمتصلين الذين يحاكيهم `POST /v1/sandbox/calls`؛ و`sip_username` للموظف يكون `null` لمفتاح البيئة التجريبية',
  },
  {
    date: '2026-11-23',
    text: 'a call to a number of the installation stays inside: it also comes in as an `inbound` call of the project that has the number, which is charged for it unless both are the same project',
    text_ar:
      'صارت المكالمة إلى رقم من أرقام المنصة تبقى داخلها: فتصل أيضًا كمكالمة واردة (`inbound`) إلى المشروع صاحب الرقم، وتُحتسب عليه ما لم يكن هو المشروع المتصل نفسه',
  },
  {
    date: '2026-11-23',
    text: 'a method that a known path does not have answers 405 with `Allow` instead of 404; the code is still `NOT_FOUND`',
    text_ar: 'الطريقة التي لا يدعمها مسار معروف تُرجع `405` مع `Allow` بدلًا من `404`؛ ويبقى الرمز `NOT_FOUND`',
  },
  {
    date: '2026-11-23',
    text: 'webhook endpoints and signing secrets have the kind of the key (`sandbox`): an endpoint receives live or sandbox events, a key changes endpoints of its own kind, and `GET /v1/webhooks/secret` returns the secret of that kind; a live key reads sandbox call flows and no longer changes or uses them; sandbox keys no longer see virtual numbers, porting requests and claims to own numbers',
    text_ar:
      'صارت نقاط Webhook ومفاتيح التوقيع السرية تتبع نوع المفتاح (`sandbox`): تستقبل كل نقطة أحداث الإنتاج أو أحداث البيئة التجريبية، ولا يعدّل المفتاح إلا النقاط التي من نوعه، ويُرجع `GET /v1/webhooks/secret` المفتاح السري لذلك النوع؛ ويقرأ مفتاح بيئة الإنتاج مسارات المكالمات التجريبية دون أن يعدّلها أو يستخدمها؛ ولم تعد مفاتيح البيئة التجريبية ترى الأرقام الافتراضية وطلبات النقل وطلبات إثبات الأرقام الخاصة',
  },
  {
    date: '2026-11-23',
    text: '`POST /v1/billing/allocations` accepts the project of the key only, and `/v1/payments` shows and cancels the payments of that project; another project answers 404',
    text_ar:
      'لا يقبل `POST /v1/billing/allocations` إلا مشروع المفتاح، ولا يعرض `/v1/payments` ولا يلغي إلا مدفوعات ذلك المشروع؛ وأي مشروع آخر يُرجع `404`',
  },
  {
    date: '2026-11-23',
    text: 'limits: open event streams of a key (`EVENT_STREAM_LIMIT_EXCEEDED`), stored audio of a project (`AUDIO_QUOTA_EXCEEDED`); a retry of a POST that still runs returns `IDEMPOTENCY_KEY_CONFLICT` however long it takes',
    text_ar:
      'حدود جديدة: لاتصالات بث الأحداث المفتوحة لكل مفتاح (`EVENT_STREAM_LIMIT_EXCEEDED`)، ولمساحة الملفات الصوتية لكل مشروع (`AUDIO_QUOTA_EXCEEDED`)؛ وإعادة طلب POST ما زال قيد التنفيذ تُرجع `IDEMPOTENCY_KEY_CONFLICT` مهما طال',
  },
  {
    date: '2026-11-23',
    text: 'brands belong to a project; `PATCH` and `DELETE /v1/voice-auth/brands/{brand_id}`; a rejected brand can be submitted again',
    text_ar:
      'تتبع العلامات التجارية المشروع؛ و`PATCH` و`DELETE` في `/v1/voice-auth/brands/{brand_id}`؛ ويمكن طلب اعتماد علامة مرفوضة مرة أخرى',
    perEnvironment: true,
  },
  {
    date: '2026-11-23',
    text: 'a queue’s `overflow` also serves callbacks that ring the agent first',
    text_ar: 'تخدم وجهة `overflow` لقائمة الانتظار أيضًا طلبات معاودة الاتصال التي تتصل بالموظف أولًا',
  },
  {
    date: '2026-11-23',
    text: '`webhook.disabled`: an endpoint was disabled because it failed for five days or answered 410',
    text_ar: '`webhook.disabled`: عُطّلت نقطة Webhook لأنها فشلت خمسة أيام أو أرجعت الحالة `410`',
  },
  {
    date: '2026-11-23',
    text: '`GET /v1/queues`, `/v1/agents`, `/v1/queues/members`, `/v1/widgets` and `/v1/calls/{call_id}/transfers` are paged with `cursor` and `limit`',
    text_ar:
      'صارت القوائم `GET /v1/queues` و`/v1/agents` و`/v1/queues/members` و`/v1/widgets` و`/v1/calls/{call_id}/transfers` مقسّمة إلى صفحات بالمعاملين `cursor` و`limit`',
  },
  {
    date: '2026-11-23',
    text: 'the reason of an agent’s pause: `reason` in the answers of `pause` and `unpause`, `pause` of an agent, `pause_reason` of a member, `pauses` in the statistics; `queue.agent_paused` and `queue.agent_unpaused`',
    text_ar:
      'سبب إيقاف الموظف استقبال المكالمات مؤقتًا: `reason` في استجابة `pause` و`unpause`، و`pause` للموظف، و`pause_reason` لعضو قائمة الانتظار، و`pauses` في الإحصاءات؛ و`queue.agent_paused` و`queue.agent_unpaused`',
  },
  {
    date: '2026-11-23',
    text: 'a retry of `POST /v1/virtual-numbers` answers 200 even if the rest of its body is not valid',
    text_ar: 'إعادة طلب `POST /v1/virtual-numbers` تُرجع الحالة `200` وإن كان باقي محتوى الطلب غير صالح',
    perEnvironment: true,
  },
  {
    date: '2026-11-23',
    text: '`X-Simulate` works with every method',
    text_ar: 'تعمل الترويسة `X-Simulate` مع كل طرق HTTP',
  },
  {
    date: '2026-11-23',
    text: '416 for a range beyond the end of a recording carries the error body',
    text_ar: 'الحالة `416` لنطاق يتجاوز نهاية التسجيل تحمل محتوى الخطأ المعتاد',
  },
  {
    date: '2026-11-23',
    text: 'NUL (`%00`) in a path answers 404 and in a query 400, never 500',
    text_ar: 'المحرف NUL (أي `%00`) في مسار الطلب يُرجع الحالة `404`، وفي معاملات الاستعلام `400`، ولا يُرجع `500`',
  },
  {
    date: '2026-11-23',
    text: 'calls that speak a code or ask for one are hidden from every route and event; `/v1/numbers/own-did` and `voice_auth.completed` no longer contain `call_id`; `verify.completed` and `voice_auth.completed` contain `sandbox`',
    text_ar:
      'لا تظهر المكالمات التي تنطق رمزًا أو تطلبه في أي مسار API ولا في أي حدث؛ ولم يعد `call_id` يرد في `/v1/numbers/own-did` ولا في `voice_auth.completed`؛ ويتضمن كل من `verify.completed` و`voice_auth.completed` الحقل `sandbox`',
  },
  {
    date: '2026-11-23',
    text: 'every route that dials applies the same checks: `POST /v1/verify` by voice, `POST /v1/voice-auth/challenges`, `POST /v1/numbers/own-did` and `POST /v1/calls/{id}/transfer` also answer 402 `SPEND_CAP_EXCEEDED` and `INSUFFICIENT_CREDITS` and 429 `CALL_VELOCITY_EXCEEDED`; a destination class that the project may not call answers 403 `INSUFFICIENT_PERMISSIONS`; more calls at once than the project may have answer 502 `CALL_FAILED` with `Retry-After`; a `sip` target at a host that the operator did not allow answers 400 `VALIDATION_ERROR`, on a transfer 422 `TRANSFER_TARGET_INVALID`; `INVALID_PHONE_NUMBER` comes before `CLI_NOT_OWNED`; a widget’s visitor gets `CALL_FAILED` without the reason',
    text_ar:
      'تُجري كل المسارات التي تتصل بالأرقام الفحوص نفسها: يُرجع أيضًا `POST /v1/verify` بالصوت و`POST /v1/voice-auth/challenges` و`POST /v1/numbers/own-did` و`POST /v1/calls/{id}/transfer` الحالة 402 مع `SPEND_CAP_EXCEEDED` أو `INSUFFICIENT_CREDITS`، والحالة 429 مع `CALL_VELOCITY_EXCEEDED`؛ وتُرجع فئة الوجهات غير المسموح بها للمشروع 403 `INSUFFICIENT_PERMISSIONS`؛ ويُرجع تجاوز الحد الأقصى للمكالمات المتزامنة 502 `CALL_FAILED` مع `Retry-After`؛ ويُرجع هدف `sip` على مضيف لم يسمح به المشغّل 400 `VALIDATION_ERROR`، وفي التحويل 422 `TRANSFER_TARGET_INVALID`؛ ويأتي `INVALID_PHONE_NUMBER` قبل `CLI_NOT_OWNED`؛ ويحصل زائر أداة الاتصال على `CALL_FAILED` من دون ذكر السبب',
  },
];
