import { html, type Html } from './html.js';

/** A page for people who may read either language. */
export interface BilingualPage {
  readonly titles: { readonly ar: string; readonly en: string };
  /** What follows the title in one of the languages. */
  readonly text: (language: 'ar' | 'en') => Html;
  /** Whether it looks like the other pages of the platform, and so loads files from this address. */
  readonly isStyled: boolean;
}

/** A page without a menu, in both languages below each other. Search engines leave it out. */
export function bilingualPage({ titles, text, isStyled }: BilingualPage): string {
  const part = (language: 'ar' | 'en'): Html =>
    html`<section lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
      <h1>${titles[language]}</h1>
      ${text(language)}
    </section>`;
  return html`<!doctype html>
    <html lang="ar" dir="rtl">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${titles.ar} · ${titles.en}</title>
        ${isStyled ? STYLE : html``}
      </head>
      <body>
        <main class="page">${part('ar')} ${part('en')}</main>
      </body>
    </html> `.markup;
}

const STYLE = html`<link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml" />
  <link rel="stylesheet" href="/docs/assets/style.css" />`;
