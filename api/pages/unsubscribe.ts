import { html, type Html } from './html.js';

const TEXTS = {
  ar: {
    dir: 'rtl',
    title: 'إلغاء الاشتراك',
    question: 'هل تريد التوقف عن استقبال الرسائل الترويجية والتوعوية من هذا المُرسِل على هذا البريد؟',
    button: 'إلغاء الاشتراك',
    done: 'أُلغي اشتراكك، ولن يصلك من هذا المُرسِل إلا رسائل الخدمة التي تنتظرها، مثل الرموز والطلبات.',
  },
  en: {
    dir: 'ltr',
    title: 'Unsubscribe',
    question: 'Do you want to stop receiving promotional and awareness messages from this sender at this address?',
    button: 'Unsubscribe',
    done: 'You are unsubscribed. This sender will only send you messages that you are waiting for, such as codes and orders.',
  },
} as const;

/**
 * The page of the link by which people unsubscribe, in both languages below each other.
 * @param address as it is shown
 */
export function unsubscribePage(address: string, isDone: boolean): string {
  return html`<!doctype html>
    <html lang="ar" dir="rtl">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${TEXTS.ar.title} · ${TEXTS.en.title}</title>
        <link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/assets/style.css" />
      </head>
      <body>
        <main class="page">${part('ar', address, isDone)} ${part('en', address, isDone)}</main>
      </body>
    </html> `.markup;
}

function part(language: 'ar' | 'en', address: string, isDone: boolean): Html {
  const { dir, title, question, button, done } = TEXTS[language];
  const form = html`<form method="post">
    <input type="hidden" name="List-Unsubscribe" value="One-Click" />
    <button>${button}</button>
  </form>`;
  return html`<section lang="${language}" dir="${dir}">
    <h1>${title}</h1>
    <p><bdi dir="ltr">${address}</bdi></p>
    <p>${isDone ? done : question}</p>
    ${isDone ? html`` : form}
  </section>`;
}
