import { html, type Html } from './html.js';

export interface Page {
  readonly title: string;
  /** The page's entry in the menu; the front page has none. */
  readonly section: 'front' | 'reference' | 'events' | 'errors' | 'changes' | 'guide';
  /** English unless given; an Arabic page reads from right to left. */
  readonly language?: 'ar' | 'en';
  readonly body: Html;
  /** Paths on this server, loaded after the common style. */
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
}

const MENU = [
  { section: 'reference', path: '/docs', title: 'Reference', titleAr: 'المرجع' },
  { section: 'guide', path: '/docs/guide', title: 'Guide', titleAr: 'الدليل' },
  { section: 'events', path: '/docs/events', title: 'Events', titleAr: 'الأحداث' },
  { section: 'errors', path: '/docs/errors', title: 'Errors', titleAr: 'الأخطاء' },
  { section: 'changes', path: '/docs/changes', title: 'Changes', titleAr: 'التغييرات' },
] as const;

/** A whole page with the menu. It loads nothing from other hosts. */
export function layout({ title, section, body, language = 'en', styles = [], scripts = [] }: Page): string {
  const menu = MENU.map(
    (entry) =>
      html`<a href="${entry.path}" ${entry.section === section ? html`aria-current="page"` : html``}
        >${entry.title} <span lang="ar" dir="rtl">${entry.titleAr}</span></a
      >`,
  );
  return html`<!doctype html>
    <html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Hatif</title>
        <link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml" />
        ${['/docs/assets/style.css', ...styles].map((path) => html`<link rel="stylesheet" href="${path}" />`)}
      </head>
      <body>
        <header class="bar">
          <a class="name" href="/"
            ><img src="/docs/assets/icon.svg" alt="" width="26" height="26" /> Hatif
            <span lang="ar" dir="rtl">هاتف</span></a
          >
          <nav aria-label="Documentation">${menu}<a href="/v1/openapi.json">openapi.json</a></nav>
        </header>
        <main class="page">${body}</main>
        ${scripts.map((path) => html`<script src="${path}" defer></script>`)}
      </body>
    </html> `.markup;
}
