/**
 * Arabic is written without short vowels, and espeak-ng reads only what is written: `ثلاثة` becomes "thlatht". This
 * adds vowels to the words of numbers, amounts, dates and times, and to those of the fixed prompts; better voices need
 * no help.
 *
 * Of two words with the same letters, the first in the list is used. `docs/reference/arabic.md` has the rules.
 */
const NUMBER_WORDS = `
صِفْر واحِد واحِدَة اِثْنان اِثْنَيْن اِثْنَتان اِثْنَتَيْن ثَلاثَة ثَلاث أَرْبَعَة أَرْبَع خَمْسَة خَمْس سِتَّة سِتّ سَبْعَة سَبْع ثَمانِيَة ثَماني ثَمان
تِسْعَة تِسْع أَحَد إِحْدى اِثْنا اِثْنَتا اِثْنَيْ اِثْنَتَيْ
عِشْرون عِشْرين ثَلاثون ثَلاثين أَرْبَعون أَرْبَعين خَمْسون خَمْسين سِتّون سِتّين سَبْعون سَبْعين ثَمانون ثَمانين تِسْعون تِسْعين
مِئَة مِئَتان مِئَتَيْن مِئَتا مِئَتَيْ ثَلاثُمِئَة أَرْبَعُمِئَة خَمْسُمِئَة سِتُّمِئَة سَبْعُمِئَة ثَمانِمِئَة تِسْعُمِئَة
أَلْف أَلْفا أَلْفًا أَلْفان أَلْفَيْن أَلْفَيْ آلاف مِلْيون مِلْيُونا مِلْيونًا مِلْيُونان مِلْيُونَيْن مِلْيُونَيْ مَلايين
مِلْيار مِلْيارا مِلْيارًا مِلْياران مِلْيارَيْن مِلْيارَيْ مِلْيارات تِريلْيون تِريلْيُونا تِريلْيونًا تِريلْيُونان تِريلْيُونَيْن تِريلْيُونَيْ تِريلْيونات
سالِب فاصِلَة زائِد نَجْمَة مُرَبَّع نُقْطَة نِصْف رُبْع رُبْعًا أَرْباع
أَوَّل أُولى ثاني ثالِث رابِع خامِس سادِس سابِع ثامِن تاسِع عاشِر حادي
ثالِثَة رابِعَة خامِسَة سادِسَة سابِعَة ثامِنَة تاسِعَة عاشِرَة حادِيَة`;

const COUNTED_WORDS = `
ثانِيَة ثانِيَتان ثانِيَتَيْن ثَوانٍ دَقيقَة دَقيقَتان دَقيقَتَيْن دَقائِق ساعَة ساعَتان ساعَتَيْن ساعات
يَوْم يَوْمًا يَوْمان يَوْمَيْن أَيَّام أُسْبوع أُسْبوعًا أُسْبوعان أُسْبوعَيْن أَسابيع شَهْر شَهْرًا شَهْران شَهْرَيْن أَشْهُر سَنَة سَنَتان سَنَتَيْن سَنَوات
رِيال رِيالًا رِيالان رِيالَيْن رِيالات هَلَلَة هَلَلَتان هَلَلَتَيْن هَلَلات
رِسالَة رِسالَتان رِسالَتَيْن رَسائِل جَديدَة جَديدَتان جَديدَتَيْن مَحْفوظَة مَحْفوظَتان مَحْفوظَتَيْن
مُكالَمَة مُكالَمَتان مُكالَمَتَيْن مُكالَمات مُتَّصِل مُتَّصِلًا مُتَّصِلان مُتَّصِلين مُحاوَلَة مُحاوَلَتان مُحاوَلَتَيْن مُحاوَلات
شَخْص شَخْصًا شَخْصان شَخْصَيْن أَشْخاص رَقْم رَقْمًا رَقْمان رَقْمَيْن أَرْقام عُقْدَة عُقْدَتان عُقْدَتَيْن عُقَد
خانَة خانَتان خانَتَيْن خانات عَشْرِيَّة عَشْرِيَّتان عَشْرِيَّتَيْن`;

const TIME_WORDS = `
صَباحًا ظُهْرًا عَصْرًا مَساءً مُنْتَصَف لَيْل إِلّا بَعْد مِن عام لِلهِجْرَة يَوْم أَمْس
أَحَد اِثْنَيْن ثُلاثاء أَرْبِعاء خَميس جُمُعَة سَبْت
يَنايِر فِبْرايِر مارِس أَبْريل مايو يُونْيُو يُولْيُو أَغُسْطُس سِبْتَمْبِر أُكْتوبَر نوفَمْبِر ديسَمْبِر
مُحَرَّم رَبيع جُمادى رَجَب شَعْبان رَمَضان شَوَّال ذي قَعْدَة حِجَّة`;

const PROMPT_WORDS = `
نَعْتَذِر يُمْكِنُنا الرَدّ عَلى مُكالَمَتِك فَضْلًا اُتْرُك رِسالَتِك الصافِرَة ثُمَّ اِضْغَط مِفْتاح لِإِرْسال إِلَيْها لِتَسْجيلِها جَديد تَمَّ إِرْسال
شُكْرًا لَك مَعَ السَلامَة تَعَذَّرَ تَسْجيل نَرْجو لاحِقًا قَصيرَة جِدًّا تَحَدَّث لَم يُحَدَّد سِرّي السِرّي لِبَريدِك بَريد الصَوْتي صَوْتي أَدْخِل الرَقْم تَكَرَّرَت الخاطِئَة
لِلرِّسالَة التالِيَة لِلحَذْف السابِقَة لِتَسْجيل التَرْحيب لِلإِنْهاء لِحِفْظ سَجِّل تَنْفيذ طَلَبِك حَذْف تَرْتيبُك قائِمَة الاِنْتِظار اِنْتِظار هُوَ مُدَّة المُتَوَقَّعَة نَحْوَ
حَدَثَ خَلَل فَنّي الاِتِّصال مَرْحَبًا بِك هاتِف خِدْمَة اِخْتِبار الصَوْت لِتَسْمَع صَدى صَوْتِك نَوَدُّ إِشْعارَك بِأَنَّ مُسَجَّلَة رَمْز التَحَقُّق الخاصّ تُشارِك الرَمْز مَعَ أَحَد
هُناكَ دُخول الدُخول إِلى حِسابِك إِنْ كُنْتَ أَنْتَ فَأَدْخِل الظاهِر شاشَتِك الشاشَة وَهُوَ وَإِنْ تَكُن أَوْ أَغْلِق الخَطّ لَيْسَ اُنْظُر مَرَّة أُخْرى أَدْخِل
نَسْتَقْبِل مِنْك أَيَّ تَأْكيد يُؤَكَّد اِنْتَهَت مُهْلَة الطَلَب اِبْدَأ اِسْتِقْبالِك اِسْتِقْبال لِلمُكالَمات مُؤَقَّتًا عُدْتَ تُوجَد المُرْسَل إِلَيْك
دُخولِك خُروجِك إِيقاف يُوجَد لَدَيْك غَيْر صَحيح البِدايَة تَشْغيل حِفْظ إِبْلاغُك اُطْلُب
حَظْر حَظْرُه آخِر يُمْكِن رَفْض مَخْفِيَّة هاتِفِك أَظْهِر رَقْمَك اِتَّصِل
تَفْعيل إِلْغاء إِعادَة تَوْجيه يُعاد جَميع عِنْدَ اِنْشِغال عَدَم اِتِّصال إِزْعاج تَحْويلَة وِجْهَة مَعْروف يُسْمَح بِإِعادَة مُكالَماتِك`;

/** Patterns for words whose vowels depend on the neighbouring words; see {@link byNeighbours}. */
const MASCULINE_UNITS =
  /^(?:و|ال|وال)?(?:أحد|اثنا|اثني|ثلاثة|أربعة|خمسة|ستة|سبعة|ثمانية|تسعة|حادي|ثاني|ثالث|رابع|خامس|سادس|سابع|ثامن|تاسع)$/;
const FEMININE_UNITS =
  /^(?:و|ال|وال)?(?:إحدى|اثنتا|اثنتي|ثلاث|أربع|خمس|ست|سبع|ثماني|تسع|(?:حادي|ثاني|ثالث|رابع|خامس|سادس|سابع|ثامن|تاسع)ة)$/;

const MARKS = /[\u064b-\u0652]/g;
const TOKEN = /[\u0621-\u0652]+/g;
const PAUSE = /^\s*(?:$|[.,،;؛:؟!?\n])/;
/** Letters that assimilate the ل of the article and are doubled instead. */
const SUN = 'تثدذرزسشصضطظلن';
const SHADDA = '\u0651';

const vowels = new Map<string, string>();
for (const word of [NUMBER_WORDS, COUNTED_WORDS, TIME_WORDS, PROMPT_WORDS].join('\n').trim().split(/\s+/)) {
  const plain = word.replace(MARKS, '');
  if (!vowels.has(plain)) vowels.set(plain, word);
  // Forms in which only the tanwin is written.
  if (/[\u064b-\u064d]/.test(word)) vowels.set(word.replace(/[\u064e-\u0652]/g, ''), word);
}
/** Words that espeak-ng pronounces correctly only without their silent alif. */
const RESPELLED: readonly (readonly [string, string])[] = [
  ['للاستماع', 'لِلِسْتِماع'],
  ['فاضغط', 'فَضْغَط'],
  ['بالرمز', 'بِرْرَمْز'],
  ['بهذا', 'بِهاذا'],
];
for (const [word, spelling] of RESPELLED) vowels.set(word, spelling);
// The dual has one written vowel, which distinguishes it from the plural.
vowels.set('متصلَين', 'مُتَّصِلَيْن');

/**
 * Adds the vowels of known words in the spelling that espeak-ng understands, and writes ة as pronounced before a pause.
 */
export function withVowels(text: string): string {
  let previous = { word: '', end: 0 };
  return text
    .replace(TOKEN, (token, start: number) => {
      const before = text.slice(previous.end, start).trim() === '' ? previous.word : '';
      previous = { word: token.replace(MARKS, ''), end: start + token.length };
      return forEspeak(byNeighbours(token, before, text.slice(previous.end)) ?? vowelled(token) ?? token);
    })
    .replace(/ة(?=\s*(?:$|[.,،;؛:؟!?\n]))/g, 'ه');
}

/**
 * Resolves words whose vowels depend on their neighbours: `عشر` and `عشرة` in eleven to nineteen and alone, `آخر` in
 * the names of months and as "another", and an object with its own ending.
 */
function byNeighbours(token: string, before: string, after: string): string | null {
  switch (token) {
    case 'عشر':
      return MASCULINE_UNITS.test(before) ? 'عَشَر' : 'عَشْر';
    case 'عشرة':
      return FEMININE_UNITS.test(before) ? 'عَشْرَة' : 'عَشَرَة';
    case 'وعشر':
      return 'وَعَشْر';
    case 'وعشرة':
      return 'وَعَشَرَة';
    case 'الآخر':
      return before === 'ربيع' ? 'الآخِر' : 'الآخَر';
    case 'الآخرة':
      return before === 'جمادى' ? 'الآخِرَة' : null;
    case 'رسالتك':
      return before === 'اترك' ? 'رِسالَتَك' : null;
    case 'آخر':
      // "Another" follows its noun and usually ends the clause; "the last" precedes it.
      return PAUSE.test(after) ? 'آخَر' : null;
    default:
      return null;
  }
}

function vowelled(token: string): string | null {
  const known = vowels.get(token) ?? completed(token);
  if (known !== undefined) return known;
  if (token.startsWith('و')) return withAnd(token.slice(1));
  // espeak-ng doubles the first letter after the article automatically.
  return token.startsWith('ال') ? articled(token.slice(2)) : null;
}

/**
 * Returns the known word for one that is written with some of its marks, such as تعذّر; undefined if the marks differ.
 */
function completed(token: string): string | undefined {
  const plain = token.replace(MARKS, '');
  const known = plain === token ? undefined : vowels.get(plain);
  const given = lettersOf(token);
  const agrees = known !== undefined && lettersOf(known).every((letter, at) => marksAgree(given[at] ?? '', letter));
  return agrees ? known : undefined;
}

/** Splits a word into its letters, each with its marks. */
function lettersOf(word: string): readonly string[] {
  return word.match(/[^\u064b-\u0652][\u064b-\u0652]*/g) ?? [];
}

function marksAgree(given: string, known: string): boolean {
  return Array.from(given).every((mark) => known.includes(mark));
}

/**
 * Adds "and": the alif of a word like اثنان becomes silent after it, and the letter after an article gets a written
 * shadda.
 */
function withAnd(rest: string): string | null {
  const known = vowels.get(rest);
  if (known !== undefined) return `وَ${known.replace(/^ا[\u064e-\u0650]/, '')}`;
  const defined = rest.startsWith('ال') ? articled(rest.slice(2)) : null;
  if (defined === null) return null;
  const first = defined.charAt(2);
  return SUN.includes(first) ? `وَال${first}${SHADDA}${defined.slice(3)}` : `وَ${defined}`;
}

function articled(rest: string): string | null {
  const known = vowels.get(rest);
  return known === undefined ? null : `ال${known}`;
}

/** Reorders marks for espeak-ng, which loses a vowel before its shadda, and does not double و and ي. */
function forEspeak(word: string): string {
  return word
    .replace(/([\u064b-\u0650])\u0651/g, `${SHADDA}$1`)
    .replace(/([\u064e-\u0650])([وي])\u0651/g, '$1$2\u0652$2');
}
