import { html, type Html } from './html.js';

const TEXTS = {
  ar: { dir: 'rtl', title: 'الرابط غير موجود', text: 'هذا الرابط غير موجود، أو لم يعد صالحًا.' },
  en: { dir: 'ltr', title: 'No such link', text: 'This link does not exist, or does not work any more.' },
} as const;

/** The page of a short address that leads nowhere, in both languages below each other. */
export function linkGonePage(): string {
  return html`<!doctype html>
    <html lang="ar" dir="rtl">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${TEXTS.ar.title} · ${TEXTS.en.title}</title>
      </head>
      <body>
        <main>${part('ar')} ${part('en')}</main>
      </body>
    </html> `.markup;
}

function part(language: 'ar' | 'en'): Html {
  const { dir, title, text } = TEXTS[language];
  return html`<section lang="${language}" dir="${dir}">
    <h1>${title}</h1>
    <p>${text}</p>
  </section>`;
}
