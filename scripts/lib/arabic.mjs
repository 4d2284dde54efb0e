/** The machine-checkable rules for Arabic text. docs/reference/arabic.md has the glossary and the other rules. */

const LETTER = '\\u0621-\\u064a';
const LETTER_OR_MARK = '\\u0621-\\u0652';

/** Matches a whole word, also after the prefixes و ف ب ل ك and the article. */
const word = (pattern) =>
  new RegExp(`(?<![${LETTER_OR_MARK}])(?:[وفبلك]|ال|لل|وال|بال|فال)*(?:${pattern})(?![${LETTER_OR_MARK}])`, 'g');

/** Counted nouns in the forms that appear in texts. */
const COUNTED =
  'ثانية|ثوانٍ?|دقيقة|دقائق|ساعة|ساعات|يوم|يومًا|أيام|شهر|شهرًا|أشهر|سنة|سنوات|مرة|مرات|محاولة|محاولات|أرقام|رسالة|رسائل|مكالمة|مكالمات|وثيقة|وثائق|عقدة|عقد|خانة|خانات|حرف|حرفًا|أحرف|ريال(?! سعودي)|هللة';

/** Relative adjectives: their ي is doubled. */
const RELATIVE =
  'لاتيني|عربي|تجريبي|حالي|صوتي|افتراضي|برمجي|تلقائي|سعودي|يدوي|يومي|شهري|سنوي|مجاني|داخلي|خارجي|رقمي|نهائي|محلي|دولي|قانوني|رسمي|إضافي|ضريبي|كلي|جزئي';

/** Expressions that a text must not contain, and their replacements. */
export const ARABIC_RULES = [
  { find: /اً/g, use: 'the tanwin before the alif: ـًا' },
  { find: word('مرحبا|شكرا|جدا|لاحقا|مؤقتا|عذرا|فضلا|أولا|أيضا|مجددا|أصلا'), use: 'the tanwin: ـًا' },
  { find: new RegExp(`(?:${RELATIVE})ًا(?![${LETTER}])`, 'g'), use: 'the shadda: ـيًّا' },
  {
    find: new RegExp(`(?:\\{\\w+\\}|\\$\\{[^{}]*\\})\\s*(?:${COUNTED})(?![${LETTER_OR_MARK}])`, 'g'),
    use: 'a counted slot, {n:second}, or writtenCount()',
  },
  { find: new RegExp(`[${LETTER_OR_MARK}»)\`]\\s+[،؛؟]`, 'g'), use: 'no space before ، ؛ ؟' },
  { find: new RegExp(`[${LETTER_OR_MARK}}]\\s+…`, 'g'), use: 'no space before …' },
  { find: new RegExp(`[،؛][${LETTER}]`, 'g'), use: 'a space after ، and ؛' },
  { find: new RegExp(`[${LETTER_OR_MARK}][,;?](?=\\s*[${LETTER}])`, 'g'), use: '، ؛ ؟' },
  { find: /(?<!لحظة )من فضلك/g, use: 'فضلًا before the verb' },
  { find: word('ي[ُ]?رجى'), use: 'نرجو' },
  { find: word('حاول لاحق[اً]*'), use: 'نرجو المحاولة لاحقًا' },
  { find: /(?<!لم |ولم )(?<![\u0621-\u0652])س?[يت]تم (?=[\u0621-\u064a])/g, use: 'a verb, or جارٍ' },
  { find: /(?<![\u0621-\u0652])أنه (?=ال|مكالم)/g, use: 'أنهِ' },
  { find: word('وكيل[اًة]*|وكلاء|وكيلين'), use: 'موظف' },
  { find: /طابور/g, use: 'قائمة الانتظار' },
  { find: word('بدالة|مقسم'), use: 'السنترال' },
  { find: word('جذع'), use: 'خط الربط' },
  { find: /ويدجت/g, use: 'أداة الاتصال' },
  { find: /هاتفً?ا? برمجي/g, use: 'تطبيق هاتف (Softphone)' },
  { find: /محرك(?= الصوت| صوت)/g, use: 'محرّك' },
  { find: /(?:النص|النصوص) السري/g, use: 'القيمة السرية' },
  { find: /سر (?:ال)?توقيع/g, use: 'مفتاح التوقيع السري' },
  { find: /رمز PIN/g, use: 'الرقم السري' },
  { find: /رمز API/g, use: 'مفتاح API' },
  { find: /رم(?:ز|وز) (?:الاستخدام الواحد|لمرة واحدة)/g, use: 'رمز التحقق' },
  { find: /المصادقة (?:الصوتية|عبر الهاتف)/g, use: 'المصادقة بمكالمة هاتفية' },
  { find: /تحدٍّ|(?<![\u0621-\u0652])(?:ال)?تحدي(?![\u0621-\u0652])/g, use: 'طلب مصادقة' },
  { find: word('مؤتمر|مؤتمرات'), use: 'مكالمة جماعية' },
  { find: word('معاودات'), use: 'طلبات معاودة الاتصال' },
  { find: /صندوق (?:صوتي|البريد الصوتي)/g, use: 'البريد الصوتي' },
  { find: word('مصرف|مصرفك|مصارف'), use: 'البنك' },
  { find: word('أخفق|أخفقت|إخفاق'), use: 'تعذّر، فشل' },
  { find: word('سرد'), use: 'عرض' },
  { find: word('مرشحات|مرشّح|مرشّحات'), use: 'عامل تصفية' },
  { find: word('فراغ|فراغات|فراغًا'), use: 'مسافة' },
  {
    find: /يُجاب|لم يُجب(?![\u0621-\u064a])|أجب على|(?<![\u0621-\u0652])(?:أجاب|أجابت|[يت]جيب)(?![\u0621-\u0652])/g,
    use: 'استجاب لـ (a server), يُرجع (a value), ردّ على (a call)',
  },
  { find: word('قدّم(?= (?:رابط|قيمة|عنوان|رقم|اسم|نص|ملف))|معطى|معطاة'), use: 'أرسل، أدخل، حدّد' },
  { find: /(?<![\u0621-\u0652])[بكل]?الواجهة(?! [\u0621-\u064a])/g, use: 'API، واجهة API' },
  { find: word('رسومي|رسومية'), use: 'متفرع (graph)' },
  { find: /التحكم ب/g, use: 'التحكم في' },
  { find: /اضغط (?:المربع|النجمة|شباك)/g, use: 'اضغط مفتاح المربع، مفتاح النجمة' },
  { find: /ميبيبايت/g, use: 'MiB' },
  { find: /الوجهة الافتراضية/g, use: 'الوجهة التلقائية' },
  { find: /(?<![\u0621-\u0652])أحد القيم/g, use: 'إحدى القيم' },
  { find: /(?:رابط|نقطة|نقاط) استقبال/g, use: 'رابط Webhook، نقطة Webhook' },
  { find: /مفتاح إنتاج|مفاتيح الإنتاج/g, use: 'مفتاح بيئة الإنتاج' },
  { find: /المفتاح التجريبي|مفتاحك التجريبي/g, use: 'مفتاح البيئة التجريبية' },
  { find: /رقم تجريبي|أرقام تجريبية/g, use: 'رقم اختبار' },
];

/** Values that would be displayed out of order in a right-to-left line. */
const UNISOLATED = /(?<![\w\u2066-\u2068])\+\d[\d ]*|\d{4}-\d{2}[\dTZ:.+-]*|<[A-Za-z_]+>|\{"|[A-Za-z]_(?![\w])/;
const ARABIC = /[\u0621-\u064a]/;

/**
 * Finds violations of {@link ARABIC_RULES} and unisolated values.
 * @returns {{ line: number, found: string, use: string }[]}
 */
export function arabicFaults(path, text) {
  const faults = [];
  let isCodeBlock = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (path.endsWith('.md') && line.startsWith('```')) isCodeBlock = !isCodeBlock;
    if (!ARABIC.test(line)) continue;
    const add = (found, use) => faults.push({ line: index + 1, found: found.trim(), use });
    for (const { find, use } of ARABIC_RULES) for (const [found] of line.matchAll(find)) add(found, use);
    if (isCodeBlock) continue;
    for (const prose of proseOf(path, line)) {
      const [value] = UNISOLATED.exec(prose) ?? [];
      if (value !== undefined) add(value, 'backticks around the value, which isolate it');
    }
  }
  return faults;
}

/** The Arabic texts of a line without the parts marked as code. */
function proseOf(path, line) {
  const texts = /\.(?:ts|mjs|cjs|js)$/.test(path)
    ? [...line.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, text]) => text)
    : [line];
  return texts
    .filter((text) => ARABIC.test(text))
    .map((text) => text.replace(/`[^`]*`|<code[^>]*>.*?<\/code>|<[a-z][^>]*>|<\/[a-z]+>|\]\([^)]*\)/g, ''));
}
