import { html } from './html.js';
import { layout } from './layout.js';

/** The front page of the documentation: how to start, and the reference of every route. */
export function referencePage(publicUrl: string): string {
  return layout({
    title: 'API reference',
    section: 'reference',
    styles: ['/docs/assets/swagger-ui.css'],
    scripts: ['/docs/assets/swagger-ui-bundle.js', '/docs/assets/reference.js'],
    body: html`
      <h1>API reference</h1>
      <div class="pair">
        <section class="card">
          <p>
            Every request carries an API key of your project. Sandbox keys (<code>sk_sandbox_…</code>) work on every
            route that is not marked “production keys only”; production keys are <code>sk_live_…</code>.
          </p>
          <p>
            All failures return the same envelope in both languages, and its <code>docs_url</code> opens
            <a href="/docs/errors">the page of the error</a>. The <a href="/docs/changes">change history</a> lists what
            changed and when.
          </p>
        </section>
        <section class="card" lang="ar" dir="rtl">
          <p>
            يحمل كل طلب مفتاح API لمشروعك. تعمل مفاتيح البيئة التجريبية <code dir="ltr">sk_sandbox_…</code> على كل مسار
            API غير مخصص لمفاتيح بيئة الإنتاج <code dir="ltr">sk_live_…</code>.
          </p>
          <p>
            تُرجَع كل الأخطاء بصيغة واحدة باللغتين، ويفتح <code dir="ltr">docs_url</code> فيها
            <a href="/docs/errors">صفحة الخطأ</a>. وتجد ما تغيّر ومتى في <a href="/docs/changes">سجل التغييرات</a>.
          </p>
        </section>
      </div>
      <pre><code>curl ${publicUrl}/v1/calls -H "Authorization: Bearer $HATIF_API_KEY"</code></pre>
      <div id="reference"></div>
      <noscript
        ><p>
          The reference needs JavaScript. <a href="/v1/openapi.json">openapi.json</a> has the same content.
        </p>
        <p lang="ar" dir="rtl">
          يحتاج المرجع إلى JavaScript، ومحتواه نفسه في <a href="/v1/openapi.json" dir="ltr">openapi.json</a>.
        </p></noscript
      >
    `,
  });
}
