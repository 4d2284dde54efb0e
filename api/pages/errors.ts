import { ERROR_CODES, errorRow, isReserved, RESERVED_CODES, type ErrorCode } from '../../core/model/errors/index.js';
import { describeSlots } from '../../core/model/wording/wording.js';
import { codesOf, COMMON_CODES, type Route } from '../http/route.js';
import { html, prose, type Html } from './html.js';
import { layout } from './layout.js';

/** All codes by status; reserved codes have their own table. */
export function errorsPage(): string {
  return layout({
    title: 'Errors',
    section: 'errors',
    body: html`
      <h1>Errors</h1>
      <p class="lead">
        There are ${ERROR_CODES.length} codes. Every failed request returns <code>error_code</code>,
        <code>message</code>, <code>message_ar</code>, <code>request_id</code> and <code>docs_url</code>, which opens
        the page of the code. An invalid request also returns <code>details</code> with the invalid fields.
      </p>
      <p class="lead" lang="ar" dir="rtl">
        يُرجع كل طلب فاشل الحقول <code dir="ltr">error_code</code> و<code dir="ltr">message</code> و<code dir="ltr"
          >message_ar</code
        >
        و<code dir="ltr">request_id</code> و<code dir="ltr">docs_url</code> الذي يفتح صفحة الرمز، ويضاف
        <code dir="ltr">details</code> بالحقول غير الصحيحة إذا كان الطلب غير صالح.
      </p>
      ${table(ERROR_CODES.filter((code) => !isReserved(code)))}
      <h2 id="reserved">Reserved codes <span lang="ar" dir="rtl">الرموز المحجوزة</span></h2>
      <p class="lead">
        ${RESERVED_CODES.length} codes are reserved for features that are not built yet. No route of this release
        returns them.
      </p>
      <p class="lead" lang="ar" dir="rtl">
        هذه الرموز محجوزة لميزات لم تُنفَّذ بعد، ولا يُرجعها أي مسار API في هذا الإصدار.
      </p>
      ${table(RESERVED_CODES)}
    `,
  });
}

function table(codes: readonly ErrorCode[]): Html {
  const rows = [...codes]
    .sort((a, b) => errorRow(a).status - errorRow(b).status)
    .map((code) => {
      const { status, message, message_ar } = errorRow(code);
      return html`<tr>
        <td>${badge(status)}</td>
        <td class="code"><a href="/docs/errors/${code}">${code}</a></td>
        <td>${slots(message, 'en')}</td>
        <td lang="ar" dir="rtl">${slots(message_ar, 'ar')}</td>
      </tr>`;
    });
  return html`
    <table class="list">
      <thead>
        <tr>
          <th>Status</th>
          <th>Code</th>
          <th>Meaning</th>
          <th lang="ar" dir="rtl">المعنى</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  `;
}

/** One code: its meaning, what to do, and the routes that can return it. */
export function errorPage(code: ErrorCode, routes: readonly Route[]): string {
  const { status, message, message_ar, hint, hint_ar } = errorRow(code);
  return layout({
    title: code,
    section: 'errors',
    body: html`
      <h1>${code}</h1>
      <p>
        ${badge(status)}${isReserved(code) ? html` <a href="/docs/errors#reserved">reserved · <span lang="ar" dir="rtl">محجوز</span></a>` : html``}
      </p>
      <div class="pair">
        <section class="card">
          <h2>What it means</h2>
          <p>${slots(message, 'en')}</p>
          <h2>What to do</h2>
          <p>${prose(hint)}</p>
        </section>
        <section class="card" lang="ar" dir="rtl">
          <h2>المعنى</h2>
          <p>${slots(message_ar, 'ar')}</p>
          <h2>ما الحل؟</h2>
          <p>${prose(hint_ar)}</p>
        </section>
      </div>
      <h2>Routes that can return it <span lang="ar" dir="rtl">مسارات API التي قد تُرجع هذا الخطأ</span></h2>
      ${origins(code, routes)}
      <p><a href="/docs/errors">All errors</a> · <a href="/docs/errors" lang="ar" dir="rtl">جميع الأخطاء</a></p>
    `,
  });
}

function origins(code: ErrorCode, routes: readonly Route[]): Html {
  if (COMMON_CODES.includes(code) && code !== 'IDEMPOTENCY_KEY_CONFLICT')
    return html`<p>Any route. <span lang="ar" dir="rtl">أي مسار API.</span></p>`;
  const answering = routes.filter((route) =>
    code === 'IDEMPOTENCY_KEY_CONFLICT' ? route.idempotent : codesOf(route).includes(code),
  );
  const anywhere =
    code === 'NOT_FOUND'
      ? html`<p>Any path without a route. <span lang="ar" dir="rtl">أي عنوان لا يقابله مسار API.</span></p>`
      : html``;
  if (answering.length === 0) {
    return code === 'NOT_FOUND'
      ? anywhere
      : html`<p>No route of this release. <span lang="ar" dir="rtl">لا يُرجعه أي مسار API في هذا الإصدار.</span></p>`;
  }
  const items = answering.map(
    (route) =>
      html`<li>
        <span class="method">${route.method}</span>
        <a href="/docs#/${encodeURIComponent(route.tag)}/${route.operationId}"
          ><code>${route.path.replace(/:(\w+)/g, '{$1}')}</code></a
        >
        ${route.summary}
      </li>`,
  );
  return html`${anywhere}
    <ul class="routes card" dir="ltr">
      ${items}
    </ul>`;
}

function badge(status: number): Html {
  return html`<span class="status s${Math.floor(status / 100)}">${status}</span>`;
}

/** A message with descriptions instead of its slots. */
function slots(message: string, language: 'ar' | 'en'): Html {
  return prose(describeSlots(message, language));
}
