import { html, type Html } from './html.js';

/** The widget of the demo page. */
export interface WidgetDemo {
  readonly key: string;
  /** A number that rings a demo softphone. */
  readonly number: string | null;
}

const TEXTS = {
  en: {
    dir: 'ltr',
    title: 'Click-to-call, on your page',
    lead: 'The button in the corner asks for your number and calls you. It takes one line in the page:',
    first: 'Register a softphone as the start screen shows,',
    then: 'press the button and enter this number, which rings the demo’s second softphone:',
    last: 'Answer: you are connected to the first one.',
    other: 'العربية',
  },
  ar: {
    dir: 'rtl',
    title: 'اتصال بنقرة واحدة من صفحتك',
    lead: 'يطلب الزر في زاوية الصفحة رقمك ثم نتصل بك. ولا تحتاج إضافته إلا إلى سطر واحد:',
    first: 'سجّل تطبيق هاتف (Softphone) كما تبيّن شاشة البدء،',
    then: 'ثم اضغط الزر وأدخل هذا الرقم، فيرنّ الهاتف التجريبي الثاني:',
    last: 'رُدّ على المكالمة لتُوصَل بالهاتف الأول.',
    other: 'English',
  },
} as const;

/** A page that includes the widget in the same way as a customer's page. */
export function widgetDemoPage({ key, number }: WidgetDemo, language: 'ar' | 'en', publicUrl: string): string {
  const { dir, title, lead, first, then, last, other } = TEXTS[language];
  const another = language === 'ar' ? 'en' : 'ar';
  const tag = `<script src="${publicUrl}/widget/v1.js" data-key="${key}" data-language="${language}" async></script>`;
  const steps: Html =
    number === null
      ? html``
      : html`<ol>
          <li>${first}</li>
          <li>${then} <code dir="ltr">${number}</code></li>
          <li>${last}</li>
        </ol>`;
  return html`<!doctype html>
    <html lang="${language}" dir="${dir}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Hatif</title>
        <link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/assets/style.css" />
        <script src="/widget/v1.js" data-key="${key}" data-language="${language}" async></script>
      </head>
      <body>
        <main class="page">
          <p><a href="?language=${another}" lang="${another}">${other}</a></p>
          <h1>${title}</h1>
          <p class="lead">${lead}</p>
          <pre tabindex="0"><code>${tag}</code></pre>
          ${steps}
        </main>
      </body>
    </html> `.markup;
}
