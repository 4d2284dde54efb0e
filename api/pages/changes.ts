import { API_CHANGES } from '../../core/model/api-changes/index.js';
import { html, prose } from './html.js';
import { layout } from './layout.js';

/** The public change history, newest first. */
export function changesPage(): string {
  const rows = API_CHANGES.map(({ date, text, text_ar, perEnvironment }) => {
    const tag = perEnvironment === true ? html` <span class="tag">per environment</span>` : html``;
    const tagAr = perEnvironment === true ? html` <span class="tag">حسب البيئة</span>` : html``;
    return html`<tr>
      <td><time datetime="${date}">${date}</time></td>
      <td>${prose(text)}${tag}</td>
      <td lang="ar" dir="rtl">${prose(text_ar)}${tagAr}</td>
    </tr>`;
  });
  return layout({
    title: 'Changes',
    section: 'changes',
    body: html`
      <h1>Changes</h1>
      <p class="lead">
        All routes are under <code>/v1</code>; a breaking change gets a new prefix. The date is the day on which the
        change was merged; an environment gets it with its next release. A change marked “per environment” may be off in
        yours.
      </p>
      <p class="lead" lang="ar" dir="rtl">
        تبدأ جميع مسارات API بـ <code dir="ltr">/v1</code>، ويصدر أي تغيير يكسر التوافق ببادئة جديدة. التواريخ هي تواريخ
        دمج التغييرات، وتصل إلى البيئة مع إصدارها التالي. والتغيير الموسوم بعبارة «حسب البيئة» قد يكون غير مفعّل في
        بيئتك.
      </p>
      <table class="list">
        <thead>
          <tr>
            <th>Date</th>
            <th>Change</th>
            <th lang="ar" dir="rtl">التغيير</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    `,
  });
}
