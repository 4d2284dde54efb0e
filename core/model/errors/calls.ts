import type { ErrorFamily } from './row.js';

export const CALL_ERRORS = {
  CALLBACK_NOT_FOUND: {
    status: 404,
    message: 'No callback with the id {callback_id} exists.',
    message_ar: 'لا يوجد طلب معاودة اتصال بالمعرّف {callback_id}.',
    hint: 'Use the callback_id that POST /v1/callback returned, with a key of the same organization.',
    hint_ar: 'استخدم `callback_id` الذي أرجعه `POST /v1/callback` مع مفتاح يتبع المؤسسة نفسها.',
  },
  CALLBACK_ALREADY_CANCELLED: {
    status: 409,
    message: 'This callback was already cancelled.',
    message_ar: 'سبق إلغاء طلب معاودة الاتصال هذا.',
    hint: 'No action is needed. Create a new callback to reach the customer.',
    hint_ar: 'لا حاجة إلى إجراء آخر. أنشئ طلب معاودة اتصال جديدًا للوصول إلى العميل.',
  },
  CALLBACK_NOT_CANCELLABLE: {
    status: 409,
    message: 'This callback can no longer be cancelled: its status is {status}.',
    message_ar: 'لم يعد ممكنًا إلغاء طلب معاودة الاتصال هذا: حالته {status}.',
    hint: 'Only a callback that is initiated or ringing can be cancelled. Hang up an answered one instead.',
    hint_ar:
      'لا يُلغى إلا الطلب الذي حالته `initiated` أو `ringing`. أما المكالمة التي تم الرد عليها فأنهِها بدلًا من ذلك.',
  },
  CALL_NOT_FOUND: {
    status: 404,
    message: 'No call with the id {call_id} exists in this project.',
    message_ar: 'لا توجد في هذا المشروع مكالمة بالمعرّف {call_id}.',
    hint: 'Use the call_id that was returned when the call was placed. A sandbox key sees sandbox calls only.',
    hint_ar: 'استخدم `call_id` الذي أُرجع عند إجراء المكالمة. لا يرى مفتاح البيئة التجريبية إلا مكالمات هذه البيئة.',
  },
  CALL_FAILED: {
    status: 502,
    message: 'The call could not be placed: {reason}.',
    message_ar: 'تعذّر إجراء المكالمة: {reason}.',
    hint: 'No call was made and nothing is charged. Check GET /v1/health and the trunks, then try again.',
    hint_ar: 'لم تُجرَ أي مكالمة ولن تُحتسب أي رسوم. تحقق من `GET /v1/health` ومن خطوط الربط ثم أعد المحاولة.',
  },
  INSUFFICIENT_CREDITS: {
    status: 402,
    message: 'The balance of this project does not cover a call.',
    message_ar: 'رصيد هذا المشروع لا يكفي لإجراء مكالمة.',
    hint: 'Add credit to the project, then place the call again.',
    hint_ar: 'أضف رصيدًا إلى المشروع ثم أعد إجراء المكالمة.',
  },
  CALL_NOT_CONTROLLABLE: {
    status: 409,
    message:
      'This call cannot be controlled at the moment: the engine that carries it is unreachable or is being handed over.',
    message_ar: 'لا يمكن التحكم في هذه المكالمة الآن: محرّك الصوت الذي تجري عليه غير متاح أو يجري نقل إدارته.',
    hint: 'The call itself continues. Try again in a few seconds.',
    hint_ar: 'المكالمة نفسها مستمرة. أعد المحاولة بعد بضع ثوانٍ.',
  },
  CALL_NOT_ACTIVE: {
    status: 409,
    message: 'The call is over: its status is {status}.',
    message_ar: 'المكالمة منتهية: حالتها {status}.',
    hint: 'Control a call only until its final event (ended, missed, failed, cancelled or timeout).',
    hint_ar:
      'لا يمكن التحكم في المكالمة بعد حدثها النهائي (`ended` أو `missed` أو `failed` أو `cancelled` أو `timeout`).',
  },
  CALL_NOT_ANSWERED: {
    status: 409,
    message: 'The call has not been answered yet: its status is {status}.',
    message_ar: 'لم يتم الرد على المكالمة بعد: حالتها {status}.',
    hint: 'Wait for the event call.answered. Until then a call can only be hung up.',
    hint_ar: 'انتظر الحدث `call.answered`؛ فقبله لا يمكن سوى إنهاء المكالمة.',
  },
  AGENT_LEG_NOT_CONNECTED: {
    status: 409,
    message: 'No agent is connected to this call, so its agent leg cannot be controlled.',
    message_ar: 'لا يوجد موظف متصل بهذه المكالمة، ولذلك لا يمكن التحكم في طرف الموظف.',
    hint: 'Wait until an agent has been connected, or control the customer leg.',
    hint_ar: 'انتظر حتى ينضم موظف إلى المكالمة، أو تحكّم في طرف العميل.',
  },
  AGENT_ON_CALL: {
    status: 409,
    message: 'Agent {agent} cannot be removed now: the agent is on a call, or a call rings the phone.',
    message_ar: 'لا يمكن حذف الموظف {agent} الآن، لأنه في مكالمة أو لأن هاتفه يرن.',
    hint: 'Nothing was changed. Wait until the call ends, or hang it up, then send the request again.',
    hint_ar: 'لم يتغيّر شيء. انتظر حتى تنتهي المكالمة أو أنهِها، ثم أعد إرسال الطلب.',
  },
  CALL_CONTROL_FAILED: {
    status: 502,
    message: 'The voice engine refused to carry out {action} on this call.',
    message_ar: 'رفض محرّك الصوت تنفيذ الإجراء «{action}» في هذه المكالمة.',
    hint: 'Read the call to see its current state, then try again.',
    hint_ar: 'اقرأ المكالمة لمعرفة حالتها الحالية ثم أعد المحاولة.',
  },
  CALL_CONTROL_UNSUPPORTED: {
    status: 422,
    message: '{action} is not available for calls of the kind {kind}.',
    message_ar: 'الإجراء «{action}» غير متاح للمكالمات من النوع {kind}.',
    hint: 'See the API reference for the actions that each kind of call supports.',
    hint_ar: 'راجع مرجع API لمعرفة الإجراءات التي يدعمها كل نوع من المكالمات.',
  },
  CALL_CONTROL_DISABLED: {
    status: 503,
    message: 'This kind of control over live calls is switched off in this environment.',
    message_ar: 'هذا النوع من التحكم في المكالمات الجارية معطّل في هذه البيئة.',
    hint: 'Ask the operator to switch on in-call control, transfer, conferencing or agent-leg control.',
    hint_ar: 'اطلب من المشغّل تفعيل التحكم أثناء المكالمة أو التحويل أو المكالمات الجماعية أو التحكم في طرف الموظف.',
  },
  INVALID_PLAY_URL: {
    status: 400,
    message: 'The audio at the given url cannot be played: {reason}.',
    message_ar: 'لا يمكن تشغيل الملف الصوتي من الرابط المحدد: {reason}.',
    hint: 'Provide an https link to a WAV or MP3 file of at most 10 MB on a public address.',
    hint_ar: 'أرسل رابط https متاحًا على الإنترنت لملف WAV أو MP3 لا يتجاوز 10 ميغابايت.',
  },
  TRANSFER_IN_PROGRESS: {
    status: 409,
    message: 'A transfer of this call is still in progress.',
    message_ar: 'لا يزال تحويل هذه المكالمة جاريًا.',
    hint: 'Complete or cancel the running transfer, or wait until it ends.',
    hint_ar: 'أكمل التحويل الجاري أو ألغِه، أو انتظر حتى ينتهي.',
  },
  TRANSFER_TARGET_INVALID: {
    status: 422,
    message: 'The call cannot be transferred to {target}.',
    message_ar: 'لا يمكن تحويل المكالمة إلى {target}.',
    hint: 'Transfer to an existing agent, queue or call flow of the project, or to a number or SIP address that a trunk can reach.',
    hint_ar: 'حوّل إلى موظف أو قائمة انتظار أو مسار مكالمات موجود في المشروع، أو إلى رقم أو عنوان SIP يصل إليه خط ربط.',
  },
  TRANSFER_LIMIT_REACHED: {
    status: 409,
    message: 'This call has already been transferred {max} times, the maximum allowed.',
    message_ar: 'بلغ عدد مرات تحويل هذه المكالمة {max}، وهو الحد الأقصى.',
    hint: 'End the call and place a new one to the party you want to reach.',
    hint_ar: 'أنهِ المكالمة وأجرِ مكالمة جديدة إلى الطرف المطلوب.',
  },
  CALL_VELOCITY_EXCEEDED: {
    status: 429,
    message:
      'More than {limit} calls were placed in {window_seconds:second} to this destination or in this project; try again in {retry_after_seconds:second}.',
    message_ar:
      'تجاوز عدد المكالمات إلى هذه الوجهة أو في هذا المشروع الحد المسموح به ({limit} خلال {window_seconds:second})؛ أعد المحاولة بعد {retry_after_seconds:second}.',
    hint: 'Wait for the seconds in the Retry-After header and spread your calls over time.',
    hint_ar: 'انتظر عدد الثواني المذكور في ترويسة `Retry-After` ووزّع مكالماتك على مدى زمني أطول.',
  },
  OUTBOUND_BLOCKED: {
    status: 403,
    message: 'Outside calls of {who} are blocked since a limit against toll fraud was reached ({reason}).',
    message_ar: 'المكالمات الخارجية محظورة على {who} لبلوغ حد الحماية من الاحتيال ({reason}).',
    hint: 'Find out who placed the calls, then release the block with POST /v1/fraud-blocks/{id}/release. GET /v1/fraud-blocks lists the blocks.',
    hint_ar:
      'تحقق ممن أجرى المكالمات، ثم ارفع الحظر عبر `POST /v1/fraud-blocks/{id}/release`. يعرض `GET /v1/fraud-blocks` حالات الحظر.',
  },
  CLI_NOT_OWNED: {
    status: 403,
    message: 'The caller id {number} does not belong to your organization.',
    message_ar: 'رقم المتصل {number} لا يعود إلى مؤسستك.',
    hint: 'Use a number that GET /v1/numbers lists, or leave caller_id_number out to use the main number of the project.',
    hint_ar: 'استخدم رقمًا يظهر في `GET /v1/numbers`، أو احذف `caller_id_number` لاستخدام الرقم الرئيسي للمشروع.',
  },
} as const satisfies ErrorFamily;
