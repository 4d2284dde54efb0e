import { html } from './html.js';

const TITLES = { en: 'Phone', ar: 'الهاتف' };

/** The page for agents. Its script shows everything else. */
export function phonePage(language: 'ar' | 'en'): string {
  return html`<!doctype html>
    <html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="theme-color" content="#0b6b5d" />
        <title>${TITLES[language]} · Hatif</title>
        <link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml" />
        <link rel="manifest" href="/phone/manifest.webmanifest?language=${language}" />
        <link rel="stylesheet" href="/phone/style.css" />
        <script type="module" src="/phone/main.js"></script>
      </head>
      <body>
        <main></main>
      </body>
    </html> `.markup;
}

/** Lets people install the page as a program (W3C Web Application Manifest). */
export function phoneManifest(language: 'ar' | 'en'): object {
  return {
    name: language === 'ar' ? 'هاتف' : 'Hatif',
    short_name: TITLES[language],
    lang: language,
    dir: language === 'ar' ? 'rtl' : 'ltr',
    id: '/phone',
    start_url: `/phone?language=${language}`,
    scope: '/phone',
    display: 'standalone',
    theme_color: '#0b6b5d',
    background_color: '#f7f9fb',
    icons: [{ src: '/docs/assets/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' }],
  };
}
