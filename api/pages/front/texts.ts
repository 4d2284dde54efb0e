import type { NextStep } from '../../../core/services/overview/next-step.js';

/** The words of the front page. Values are never part of them: the page puts each into an element of its own. */
export interface FrontTexts {
  readonly lead: string;
  readonly other: string;
  readonly health: string;
  readonly status: Readonly<Record<'ok' | 'degraded' | 'down', string>>;
  readonly part: Readonly<Record<'up' | 'down' | 'off' | 'unreachable', string>>;
  readonly database: string;
  readonly runs: string;
  readonly started: string;
  readonly noEngine: string;
  readonly liveCalls: string;
  readonly phones: string;
  readonly registeredOf: string;
  readonly phone: { readonly registered: string; readonly away: string; readonly none: string };
  readonly numbers: string;
  readonly noNumber: string;
  readonly reaches: string;
  readonly destination: Readonly<Record<string, string>>;
  readonly more: string;
  readonly server: string;
  readonly next: string;
  readonly step: Readonly<Record<NextStep['step'], string>>;
  readonly unreadable: string;
  /** @param help the command that lists all commands */
  readonly hidden: (help: string) => string;
  readonly links: string;
  readonly link: Readonly<Record<Link, string>>;
  /** What the call of the next command says. */
  readonly greeting: string;
}

export type Link =
  'guide' | 'reference' | 'events' | 'errors' | 'changes' | 'widget' | 'health' | 'openapi' | 'metrics';

export const FRONT_TEXTS: Readonly<Record<'en' | 'ar', FrontTexts>> = {
  en: {
    lead: 'Hatif is running on this server.',
    other: 'العربية',
    health: 'Health',
    status: { ok: 'ok', degraded: 'degraded', down: 'down' },
    part: { up: 'up', down: 'down', off: 'off', unreachable: 'unreachable' },
    database: 'PostgreSQL',
    runs: 'What runs',
    started: 'Started by Hatif:',
    noEngine: 'There is no engine yet.',
    liveCalls: 'Live calls',
    phones: 'Phones',
    registeredOf: 'Registered, of all:',
    phone: { registered: 'registered', away: 'not registered', none: 'There is no agent yet.' },
    numbers: 'Numbers',
    noNumber: 'There is no number yet.',
    reaches: 'Calls reach',
    destination: {
      agent: 'agent',
      queue: 'queue',
      callflow: 'call flow',
      number: 'number',
      sip: 'SIP address',
      voicemail: 'voicemail',
      echo: 'the echo service',
      none: 'nothing',
    },
    more: 'Further ones:',
    server: 'Server for phones (SIP, UDP or TCP)',
    next: 'Next',
    step: {
      add_agent: 'Add an agent. The command shows the password of the softphone once:',
      register: 'Register a softphone. The command shows its password:',
      register_anew: 'Register a softphone. The command sets a new password and shows it once:',
      bind_number: 'Add a number whose calls ring the agent:',
      call: 'Call the registered phone:',
    },
    unreadable: 'The rest cannot be read now: the database does not respond.',
    hidden: (help) =>
      `Phones, numbers and the next command are shown only in a browser on the server itself, without a proxy. The command \`${help}\` lists the commands for everything else.`,
    links: 'Links',
    link: {
      guide: 'Guide',
      reference: 'API reference',
      events: 'Webhook events',
      errors: 'Error codes',
      changes: 'Changes of the API',
      widget: 'Try the click-to-call widget',
      health: 'Health as JSON',
      openapi: 'OpenAPI document',
      metrics: 'Metrics',
    },
    greeting: 'Hello from Hatif',
  },
  ar: {
    lead: 'هاتف يعمل على هذا الخادم.',
    other: 'English',
    health: 'الحالة',
    status: { ok: 'تعمل', degraded: 'تعمل جزئيًّا', down: 'متوقفة' },
    part: { up: 'يعمل', down: 'متوقف', off: 'غير مستخدم', unreachable: 'تعذّر الوصول إليه' },
    database: 'PostgreSQL',
    runs: 'ما يعمل الآن',
    started: 'شغّله هاتف:',
    noEngine: 'لا يوجد محرّك صوت بعد.',
    liveCalls: 'المكالمات الجارية',
    phones: 'تطبيقات الهاتف',
    registeredOf: 'المسجّل من المجموع:',
    phone: { registered: 'مسجّل', away: 'غير مسجّل', none: 'لا يوجد موظف بعد.' },
    numbers: 'الأرقام',
    noNumber: 'لا يوجد رقم بعد.',
    reaches: 'تصل المكالمات إلى',
    destination: {
      agent: 'الموظف',
      queue: 'قائمة الانتظار',
      callflow: 'مسار المكالمات',
      number: 'الرقم',
      sip: 'عنوان SIP',
      voicemail: 'البريد الصوتي',
      echo: 'خدمة اختبار الصوت',
      none: 'لا وجهة',
    },
    more: 'عدد ما لم يُعرض:',
    server: 'الخادم الذي تسجّل فيه الهواتف (SIP عبر UDP أو TCP)',
    next: 'الخطوة التالية',
    step: {
      add_agent: 'أضف موظفًا. يعرض الأمر كلمة مرور تطبيق الهاتف مرة واحدة:',
      register: 'سجّل تطبيق هاتف. يعرض الأمر كلمة المرور:',
      register_anew: 'سجّل تطبيق هاتف. يضع الأمر كلمة مرور جديدة ويعرضها مرة واحدة:',
      bind_number: 'أضف رقمًا ترن المكالمات إليه عند الموظف:',
      call: 'اتصل بالهاتف المسجّل:',
    },
    unreadable: 'تعذّرت قراءة بقية المعلومات الآن: قاعدة البيانات لا تستجيب.',
    hidden: (help) =>
      `لا تظهر الهواتف والأرقام والخطوة التالية إلا في متصفح على الخادم نفسه دون وسيط (proxy). ويعرض الأمر \`${help}\` أوامر كل ما عدا ذلك.`,
    links: 'روابط',
    link: {
      guide: 'الدليل (بالإنجليزية)',
      reference: 'مرجع API',
      events: 'أحداث Webhook',
      errors: 'رموز الأخطاء',
      changes: 'تغييرات API',
      widget: 'جرّب أداة الاتصال',
      health: 'الحالة بصيغة JSON',
      openapi: 'وثيقة OpenAPI',
      metrics: 'المقاييس',
    },
    greeting: 'مرحبًا بكم في هاتف',
  },
};
