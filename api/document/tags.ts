/** What a group of operations is for, in both languages. */
export interface Tag {
  readonly name: string;
  readonly description: string;
  readonly descriptionAr: string;
}

/** The groups of the API document, in the order in which a developer meets them. */
const TAGS: readonly Tag[] = [
  tag('Calls', 'Place calls and read them.', 'إجراء المكالمات وعرضها.'),
  tag(
    'Call control',
    'Act on a live call: hold, mute, play, record, hang up.',
    'التحكم في مكالمة جارية: الانتظار وكتم الصوت والتشغيل والتسجيل والإنهاء.',
  ),
  tag('Transfers', 'Transfer a live call to another party.', 'تحويل مكالمة جارية إلى طرف آخر.'),
  tag('Conferences', 'Calls with more than two parties.', 'المكالمات الجماعية بأكثر من طرفين.'),
  tag('Callbacks', 'Call customers who asked for it.', 'معاودة الاتصال بالعملاء الذين طلبوا ذلك.'),
  tag('Recordings', 'Fetch and delete recordings and transcripts.', 'تنزيل التسجيلات والنصوص المفرّغة وحذفها.'),
  tag('Voicemail', 'Voicemail boxes of numbers, and their messages.', 'صناديق البريد الصوتي للأرقام ورسائلها.'),
  tag('Queues', 'Queues, and the agents who are signed in to them.', 'قوائم الانتظار والموظفون المسجّلون فيها.'),
  tag('Agents', 'Softphone accounts of agents, and their statistics.', 'حسابات هواتف الموظفين وإحصاءاتهم.'),
  tag('Call flows', 'What callers hear and can choose.', 'ما يسمعه المتصلون وما يمكنهم اختياره.'),
  tag(
    'Call flow audio',
    'Audio files that call flows and queues play.',
    'الملفات الصوتية التي تشغّلها مسارات المكالمات وقوائم الانتظار.',
  ),
  tag(
    'Numbers',
    'Order numbers, bring your own, bind them, and block callers.',
    'طلب الأرقام وإضافة أرقامك وربطها وحظر المتصلين.',
  ),
  tag('Porting', 'Move numbers from another carrier to this platform.', 'نقل الأرقام من مشغّل آخر إلى هذه المنصة.'),
  tag('Virtual numbers', 'Numbers for your own end users.', 'أرقام لمستخدميك النهائيين.'),
  tag(
    'Contacts',
    'The people that a project writes to, and groups of them.',
    'جهات الاتصال التي يراسلها المشروع، ومجموعاتها.',
  ),
  tag('Verify', 'One-time codes, spoken or sent.', 'رموز التحقق لمرة واحدة، صوتًا أو نصًّا.'),
  tag(
    'Voice authentication',
    'Authenticate a person by a call, and the brands that calls announce.',
    'مصادقة شخص بمكالمة هاتفية، والعلامات التجارية التي تُعلنها المكالمات.',
  ),
  tag('Messages', 'Send messages, and read conversations.', 'إرسال الرسائل وعرض المحادثات.'),
  tag('Message templates', 'Texts of messages, by language, and their approval.', 'نصوص الرسائل بكل لغة واعتمادها.'),
  tag(
    'Broadcasts',
    'Send messages to many people, and see the outcome of each message.',
    'إرسال الرسائل إلى عدد كبير من الناس ومعرفة نتيجة كل رسالة.',
  ),
  tag(
    'Webhooks',
    'Endpoints that receive events, their deliveries and secrets.',
    'النقاط التي تستقبل الأحداث، وعمليات إرسالها وأسرارها.',
  ),
  tag('Events', 'Read events as a list or as a live stream.', 'عرض الأحداث في قائمة أو متابعتها مباشرة.'),
  tag('Web calling', 'Let browsers call and be called.', 'إجراء المكالمات واستقبالها من المتصفح.'),
  tag('Widgets', 'Manage click-to-call widgets for web pages.', 'إدارة أدوات الاتصال بنقرة لصفحات الويب.'),
  tag(
    'Widget',
    'What the widget in a page calls, with its public key.',
    'ما تستدعيه الأداة داخل الصفحة بمفتاحها العام.',
  ),
  tag(
    'Sign-up',
    'Make an organization of your own, without the operator.',
    'إنشاء مؤسسة خاصة بك من دون الرجوع إلى المشغّل.',
  ),
  tag('Usage', 'Calls, minutes and cost of any period.', 'المكالمات والدقائق والتكلفة في أي مدة.'),
  tag(
    'Billing',
    'Balances, rates, caps, invoices, payments and call detail records.',
    'الأرصدة والأسعار والحدود والفواتير والمدفوعات وسجلات تفاصيل المكالمات.',
  ),
  tag('Sessions', 'Sign in, refresh the session, and sign out.', 'تسجيل الدخول وتجديد الجلسة وتسجيل الخروج.'),
  tag(
    'Your account',
    'The profile, password and second factor of the person who is signed in.',
    'الملف الشخصي وكلمة المرور والتحقق بخطوتين للمستخدم الذي سجّل الدخول.',
  ),
  tag('Organization', 'The name, settings and rules of the organization.', 'اسم المؤسسة وإعداداتها وقواعدها.'),
  tag('Projects', 'The projects of the organization.', 'مشاريع المؤسسة.'),
  tag('API keys', 'Create, rotate and revoke the keys of projects.', 'إنشاء مفاتيح المشاريع وتبديلها وإبطالها.'),
  tag(
    'Members',
    'The people of the organization, their roles, and invitations.',
    'أعضاء المؤسسة وأدوارهم ودعوات الانضمام إليها.',
  ),
  tag(
    'Single sign-on',
    'Sign in through the identity provider of the organization, and set it up.',
    'تسجيل الدخول عبر مزوّد الهوية الخاص بالمؤسسة، وتهيئته.',
  ),
  tag(
    'SCIM',
    'Members and groups, as the directory of an organization provisions them (SCIM 2.0).',
    'الأعضاء والمجموعات كما تديرها خدمة الدليل لدى المؤسسة (SCIM 2.0).',
  ),
  tag(
    'Accounts',
    'Verify an identity, and request production access.',
    'التحقق من الهوية الوطنية، وطلب الوصول إلى بيئة الإنتاج.',
  ),
  tag(
    'Privacy',
    'Export and erase what the organization holds of a person.',
    'تصدير ما لدى المؤسسة من بيانات شخص ومحوه.',
  ),
  tag('Audit log', 'Who changed what, when and from where.', 'مَن غيّر ماذا، ومتى، ومن أين.'),
  tag(
    'Administration',
    'What the operator of the installation does, with a token of an administrator.',
    'ما يديره مشغّل المنصة، برمز دخول أحد المسؤولين.',
  ),
  tag('Service', 'Health, and this document.', 'حالة الخدمة، وهذه الوثيقة.'),
];

function tag(name: string, description: string, descriptionAr: string): Tag {
  return { name, description, descriptionAr };
}

/** The tags of an API document. One that has no description yet comes before the last group. */
export function tagsOf(names: readonly string[]): Readonly<Record<string, string>>[] {
  const used = new Set(names);
  const described = TAGS.filter(({ name }) => used.has(name)).map(({ name, description, descriptionAr }) => ({
    name,
    description,
    'x-description-ar': descriptionAr,
  }));
  const known = new Set(TAGS.map(({ name }) => name));
  const others = [...used].filter((name) => !known.has(name)).map((name) => ({ name }));
  return [...described.slice(0, -1), ...others, ...described.slice(-1)];
}
