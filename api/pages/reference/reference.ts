import { html } from '../html.js';
import { layout } from '../layout.js';

/** The front page of the documentation: how to start, and the reference of every route. */
export function referencePage(publicUrl: string): string {
  return layout({
    title: 'API reference',
    section: 'reference',
    styles: ['/docs/assets/swagger-ui.css', '/docs/assets/reference.css'],
    scripts: ['/docs/assets/swagger-ui-bundle.js', '/docs/assets/reference.js'],
    body: html`
      <h1>API reference <span lang="ar" dir="rtl">مرجع API</span></h1>
      <div class="pair">
        <section class="card">
          <p>
            Every request carries an API key of your project. <strong>To try an operation</strong>, press Authorize and
            enter a key. On the machine of the platform, <code>.hatif/bootstrap.json</code> has a
            <code>sandbox_key</code> and a <code>live_key</code>. Start with the sandbox key: it rings nobody and costs
            nothing. Operations that are marked “Production keys only” need the live key, which really calls.
          </p>
          <p>
            All failures return the same envelope in both languages, and its <code>docs_url</code> opens
            <a href="/docs/errors">the page of the error</a>. The <a href="/docs/changes">change history</a> lists what
            changed and when, and the <a href="/docs/guide">guide</a> has tutorials and recipes.
          </p>
        </section>
        <section class="card" lang="ar" dir="rtl">
          <p>
            يحمل كل طلب مفتاح API لمشروعك. <strong>لتجربة عملية</strong> اضغط <bdi lang="en">Authorize</bdi> وأدخل
            مفتاحًا. على جهاز المنصة يحوي <code dir="ltr">.hatif/bootstrap.json</code> المفتاحين
            <code dir="ltr">sandbox_key</code> و<code dir="ltr">live_key</code>. ابدأ بمفتاح البيئة التجريبية، فهو لا
            يتصل بأحد ولا يكلّف شيئًا. أما العمليات المخصصة لمفاتيح بيئة الإنتاج فتحتاج إلى
            <code dir="ltr">live_key</code>، وهو يُجري مكالمات حقيقية.
          </p>
          <p>
            تُرجَع كل الأخطاء بصيغة واحدة باللغتين، ويفتح <code dir="ltr">docs_url</code> فيها
            <a href="/docs/errors">صفحة الخطأ</a>. وتجد ما تغيّر ومتى في <a href="/docs/changes">سجل التغييرات</a>،
            والدروس والوصفات في <a href="/docs/guide">الدليل</a>.
          </p>
        </section>
      </div>
      <pre tabindex="0"><code>KEY=$(node -p "require('./.hatif/bootstrap.json').sandbox_key")
curl ${publicUrl}/v1/callback -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' -d '{"to":"+966500000001"}'</code></pre>
      <div class="find" role="search">
        <label for="find">Search <span lang="ar" dir="rtl">ابحث</span></label>
        <input
          id="find"
          type="search"
          autocomplete="off"
          disabled
          placeholder="POST /v1/calls · placeCall · CALL_NOT_FOUND · مكالمة"
        />
        <output id="found" for="find"></output>
      </div>
      <h2>Operations <span lang="ar" dir="rtl">العمليات</span></h2>
      <div id="reference"></div>
      <noscript
        ><p>The reference needs JavaScript. <a href="/v1/openapi.json">openapi.json</a> has the same content.</p>
        <p lang="ar" dir="rtl">
          يحتاج المرجع إلى JavaScript، ومحتواه نفسه في <a href="/v1/openapi.json" dir="ltr">openapi.json</a>.
        </p></noscript
      >
    `,
  });
}
