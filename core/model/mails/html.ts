import type { SpokenLanguage } from '../spoken/language.js';
import type { Letter, MailBlock } from './letter.js';

const FONT = `-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Noto Sans Arabic',Tahoma,Arial,sans-serif`;
const MONO = `ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace`;

/** The elements have the light colours, because some programs drop the style sheet; only it can have dark ones. */
const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .ground { background: #11161c !important; }
  .card { background: #1b222b !important; border-color: #303a46 !important; }
  .ink { color: #e6edf3 !important; }
  .soft { color: #a3b0bf !important; }
  .rule { border-color: #303a46 !important; }
  .brand { color: #4fc3ad !important; }
  .button { background: #2a9d87 !important; }
  .button a { color: #06110f !important; }
  .address { color: #4fc3ad !important; }
  .code { background: #11161c !important; color: #e6edf3 !important; }
}
@media (max-width: 480px) { .pad { padding-left: 20px !important; padding-right: 20px !important; } }`;

/** An HTML document without images, scripts or anything else that is loaded. */
export function htmlOf(subject: string, letters: readonly Letter[]): string {
  const [first] = letters;
  const language = first?.language ?? 'en';
  const parts = letters.map((letter, index) => letterHtml(letter, index > 0)).join('');
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escape(subject)}</title>
<style>${STYLE}
</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f2f5f8">
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f2f5f8">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:580px;background:#ffffff;border:1px solid #e2e7ee;border-radius:12px;border-collapse:separate">
<tr><td class="pad brand" align="center" dir="ltr" style="padding:22px 32px 0;font:700 17px/1.4 ${FONT};color:#0b6b5d">Hatif &#183; <span lang="ar">هاتف</span></td></tr>
${parts}</table>
</td></tr>
</table>
</body>
</html>
`;
}

function letterHtml({ language, blocks }: Letter, isFollowing: boolean): string {
  const dir = directionOf(language);
  const align = dir === 'rtl' ? 'right' : 'left';
  const rule = isFollowing ? 'border-top:1px solid #e2e7ee;' : '';
  // Arabic letters are smaller than Latin letters of the same size.
  const size = language === 'ar' ? '16px/1.8' : '15px/1.6';
  return `<tr><td class="pad ink rule" lang="${language}" dir="${dir}" align="${align}" style="padding:22px 32px 24px;${rule}font:${size} ${FONT};color:#1b2430;text-align:${align}">
${blocks.map((block) => blockHtml(block, align)).join('\n')}
</td></tr>
`;
}

function blockHtml(block: MailBlock, align: 'left' | 'right'): string {
  switch (block.kind) {
    case 'text':
      return `<p style="margin:0 0 14px">${escape(block.text)}</p>`;
    case 'note':
      return `<p class="soft" style="margin:0 0 10px;font-size:13px;color:#5b6778">${escape(block.text)}</p>`;
    case 'facts':
      return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 14px;font:inherit">
${block.facts.map((fact) => factHtml(fact, align)).join('\n')}
</table>`;
    case 'link':
      return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:4px 0 14px"><tr><td class="button" style="background:#0b6b5d;border-radius:8px"><a href="${escape(block.url)}" style="display:inline-block;padding:11px 24px;font-weight:600;color:#ffffff;text-decoration:none">${escape(block.label)}</a></td></tr></table>
<p class="address" dir="ltr" style="margin:0 0 14px;font-size:12px;line-height:1.5;text-align:${align};word-break:break-all;color:#0b6b5d">${escape(block.url)}</p>`;
    case 'code':
      return `<p class="code" dir="ltr" style="margin:4px 0 16px;padding:14px 20px;border-radius:8px;background:#f2f5f8;font:700 28px/1.2 ${MONO};letter-spacing:6px;text-align:center;color:#1b2430">${escape(block.code)}</p>`;
  }
}

function factHtml([label, value]: readonly [string, string], align: 'left' | 'right'): string {
  const gap = align === 'right' ? 'padding:2px 0 2px 16px' : 'padding:2px 16px 2px 0';
  return `<tr><td class="soft" valign="top" style="${gap};color:#5b6778;white-space:nowrap">${escape(label)}</td><td valign="top" style="padding:2px 0;word-break:break-word"><bdi>${escape(value)}</bdi></td></tr>`;
}

function directionOf(language: SpokenLanguage): 'rtl' | 'ltr' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
