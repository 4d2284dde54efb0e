import { expect } from 'chai';
import { composeMail } from '../../../core/model/mails/compose.js';
import { shownName } from '../../../core/model/mails/names.js';

const BLOCKS = [
  { kind: 'text', text: 'Hello <b>"Reem" & \'Sam\'</b>' },
  { kind: 'facts', facts: [['Time', '2026-11-25 16:41']] },
  { kind: 'link', label: 'Confirm', url: 'https://voice.example/confirm?token=a&b="c"' },
  { kind: 'code', code: '123456' },
  { kind: 'note', text: 'Small print' },
] as const;

describe('a composed mail', () => {
  const arabicLetter = { language: 'ar', subject: 'تأكيد', blocks: BLOCKS } as const;
  const englishLetter = { language: 'en', subject: 'Confirm', blocks: BLOCKS } as const;

  it('says the same in both forms, in the order of the languages', () => {
    const mail = composeMail(arabicLetter, englishLetter);
    expect(mail).to.include({ subject: 'تأكيد · Confirm', language: 'ar' });
    const [html, text] = [mail.html, mail.text];
    expect(html.indexOf('lang="ar" dir="rtl" align="right"')).to.be.within(
      1,
      html.indexOf('lang="en" dir="ltr" align="left"'),
    );
    for (const part of ['123456', 'Small print', '2026-11-25 16:41']) {
      expect(html.split(part), part).to.have.length(3);
      expect(text.split(part), part).to.have.length(3);
    }
    expect(composeMail(englishLetter, arabicLetter)).to.include({ subject: 'Confirm · تأكيد', language: 'en' });
    expect(composeMail(englishLetter).html).to.match(/^<!doctype html>\n<html lang="en" dir="ltr">/);
  });

  it('shows values as they are, whatever they contain', () => {
    const { html, text } = composeMail(englishLetter);
    expect(html).to.include('Hello &lt;b&gt;&quot;Reem&quot; &amp; &#39;Sam&#39;&lt;/b&gt;').and.not.include('<b>');
    expect(html).to.include('href="https://voice.example/confirm?token=a&amp;b=&quot;c&quot;"');
    expect(text).to.include(BLOCKS[0].text).and.include('\nhttps://voice.example/confirm?token=a&b="c"\n');
  });

  it('isolates the values of Arabic facts, but never the address of a link', () => {
    const { text } = composeMail(arabicLetter);
    expect(text)
      .to.include('\u20682026-11-25 16:41\u2069')
      .and.match(/^https:.*c"$/m);
  });

  it('has dark colours and loads nothing', () => {
    const { html } = composeMail(arabicLetter, englishLetter);
    expect(html)
      .to.include('@media (prefers-color-scheme: dark)')
      .and.include('name="color-scheme" content="light dark"');
    expect(html).to.not.match(/<(?:img|script|link|iframe|object)|url\(|@import|@font-face/i);
  });
});

describe('a name in a mail', () => {
  it('is one short line that no program turns into a link', () => {
    expect(shownName('ريم القحطاني')).to.equal('ريم القحطاني');
    expect(shownName('Dr. Sam O’Neil')).to.equal('Dr. Sam O’Neil');
    expect(shownName(' a\r\nBcc: b\u2028c ')).to.equal('a Bcc: b c');
    expect(shownName('Win at https://evil.example/x')).to.equal(
      'Win at https:\u2060/\u2060/\u2060evil.\u2060example/\u2060x',
    );
    expect(Array.from(shownName('😀'.repeat(100)))).to.have.length(81);
  });
});
