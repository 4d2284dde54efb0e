import { expect } from 'chai';
import { HatifError } from '../../../core/model/errors/index.js';
import { spokenCount, spokenMoney, spokenTime } from '../../../core/model/spoken/index.js';
import { say } from '../../../console/widget/texts.js';
import { fill } from '../../../core/model/flow/parts/template.js';
import { caseAfter, speakValue } from '../../../ivr/flow/machine/speak-value.js';

/** Generated sentences that once were wrong, each with its correct form. */
const SENTENCES: readonly (readonly [generated: string, correct: string])[] = [
  [`تم خصم ${speakValue('52', 'money', 'ar')}`, 'تم خصم اثنين وخمسين ريالًا'],
  [`تم خصم ${speakValue('2000', 'money', 'ar')}`, 'تم خصم ألفي ريال'],
  [
    `موعدك في يوم ${speakValue('2026-11-22', 'date', 'ar')}`,
    'موعدك في يوم الأحد، الثاني والعشرين من نوفمبر، عام ألفين وستة وعشرين',
  ],
  [`نفتح في ${speakValue('15:20', 'time', 'ar')}`, 'نفتح في الساعة الثالثة وعشرين دقيقة عصرًا'],
  [spokenCount(-2, 'day', 'ar'), 'سالب يومين'],
  [spokenMoney(-0.5, 'ar'), 'سالب خمسين هللة'],
  [spokenMoney(-20, 'ar'), 'سالب عشرين ريالًا'],
  [spokenCount(2.5, 'minute', 'ar'), 'دقيقتان ونصف'],
  [spokenTime({ hour: 0, minute: 0 }, 'ar'), 'الساعة الثانية عشرة منتصف الليل'],
  [say('ar', 'RATE_LIMIT_EXCEEDED', { minutes: 3 }), 'تكررت الطلبات. نرجو المحاولة بعد 3 دقائق.'],
  [
    new HatifError('OTP_RESEND_TOO_SOON', { retry_after_seconds: 5 }).messageAr,
    'أُرسل رمز تحقق قبل قليل؛ يمكن طلب رمز جديد بعد 5 ثوانٍ.',
  ],
  [
    new HatifError('CALL_CONTROL_FAILED', { action: { en: 'hang up', ar: 'إنهاء المكالمة' } }).messageAr,
    'رفض محرّك الصوت تنفيذ الإجراء «إنهاء المكالمة» في هذه المكالمة.',
  ],
];

describe('Arabic grammar', () => {
  for (const [generated, correct] of SENTENCES) it(`says ${correct}`, () => expect(generated).to.equal(correct));

  for (const [template, spoken] of [
    ['تم خصم {{amount | money}}.', 'تم خصم اثنين وخمسين ريالًا.'],
    ['رصيدك: {{amount | money}}.', 'رصيدك: اثنان وخمسون ريالًا.'],
    ['{{amount | money}} هو رصيدك.', 'اثنان وخمسون ريالًا هو رصيدك.'],
    ['أهلًا. {{amount | number}} طلبًا في انتظارك.', 'أهلًا. اثنان وخمسون طلبًا في انتظارك.'],
  ] as const) {
    it(`puts a value of a flow into the case that its place requires: ${template}`, () => {
      const text = fill(
        template,
        () => '52',
        (value, format, before) => speakValue(value, format, 'ar', caseAfter(before)),
      );
      expect(text).to.equal(spoken);
    });
  }
});
