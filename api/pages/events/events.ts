import { exampleMessage } from '../../../core/model/events/definition.js';
import { featureOf } from '../../../core/model/events/features.js';
import {
  definitionOf,
  EVENT_FAMILIES,
  EVENT_TYPES,
  eventDataSchema,
  type EventType,
} from '../../../core/model/events/index.js';
import { html, prose, type Html } from '../html.js';
import { layout } from '../layout.js';
import { memberTable } from './members.js';

/** Every webhook event: when it is sent, what it contains, and an example of its body. */
export function eventsPage(): string {
  const families = EVENT_FAMILIES.map((family) => {
    const events = EVENT_TYPES.filter((type) => type.startsWith(`${family}.`)).map(section);
    return html`<h2 id="${family}">${family}.*</h2>
      ${events}`;
  });
  const links = EVENT_FAMILIES.map((family) => html`<a href="#${family}">${family}.*</a> `);
  return layout({
    title: 'Events',
    section: 'events',
    body: html`
      <h1>Events <span lang="ar" dir="rtl">الأحداث</span></h1>
      <p class="lead">
        Webhooks carry these events. Subscribe to one type, to a family (<code>call.*</code>) or to all (<code>*</code>)
        with <a href="/docs#/Webhooks/createWebhook"><code>POST /v1/webhooks</code></a> and a key with the scope
        <code>webhooks:write</code>. A key with <code>webhooks:read</code> reads them at
        <a href="/docs#/Events/listEvents"><code>GET /v1/events</code></a> and follows them live at
        <a href="/docs#/Events/streamEvents"><code>GET /v1/events/stream</code></a
        >. <a href="/docs/guide/reference/webhooks">Webhooks and events</a> describes signatures, retries and order. The
        schemas are in <a href="/v1/openapi.json">openapi.json</a> under <code>webhooks</code>; code generators turn
        them into client types.
      </p>
      <p class="lead" lang="ar" dir="rtl">
        تحمل نقاط Webhook هذه الأحداث. اشترك في نوع واحد، أو في عائلة (<code dir="ltr">call.*</code>)، أو في جميع
        الأحداث (<code dir="ltr">*</code>) عبر
        <a href="/docs#/Webhooks/createWebhook"><code dir="ltr">POST /v1/webhooks</code></a> بمفتاح له النطاق
        <code dir="ltr">webhooks:write</code>. وبالنطاق <code dir="ltr">webhooks:read</code> تُعرض الأحداث عبر
        <a href="/docs#/Events/listEvents"><code dir="ltr">GET /v1/events</code></a> وتُتابَع مباشرة عبر
        <a href="/docs#/Events/streamEvents"><code dir="ltr">GET /v1/events/stream</code></a
        >. ويشرح <a href="/docs/guide/reference/webhooks">دليل الأحداث</a> التوقيع وإعادة الإرسال والترتيب. والمخططات في
        <a href="/v1/openapi.json" dir="ltr">openapi.json</a> تحت <code dir="ltr">webhooks</code>.
      </p>
      <nav class="families" aria-label="Families">${links}</nav>
      ${families}
    `,
  });
}

function section(type: EventType): Html {
  const definition = definitionOf(type);
  const { summary, summaryAr, reserved } = definition;
  const body = JSON.stringify(exampleMessage(type, definition), null, 2);
  return html`<section class="card" id="${type}">
    <h3>
      <a href="#${type}"><code>${type}</code></a>
    </h3>
    <div class="words">
      <p>${prose(summary)}</p>
      <p lang="ar" dir="rtl">${prose(summaryAr)}</p>
    </div>
    ${rights(type)}
    ${
      reserved
        ? html`<p>
            Reserved: this release does not send it. <span lang="ar" dir="rtl">محجوز: لا يُرسله هذا الإصدار.</span>
          </p>`
        : html`<details>
              <summary>Example <span lang="ar" dir="rtl">مثال</span></summary>
              <pre dir="ltr" tabindex="0"><code>${body}</code></pre>
            </details>
            <details>
              <summary>Members of <code>data</code> <span lang="ar" dir="rtl">حقول data</span></summary>
              <div class="scroll" tabindex="0">${memberTable(eventDataSchema(type))}</div>
            </details>`
    }
  </section>`;
}

/** The feature and the scopes on which the event depends. */
function rights(type: EventType): Html {
  const feature = featureOf(type);
  const { subject } = definitionOf(type);
  const unmasks = subject === 'call' || subject === 'voicemail';
  if (feature === null && !unmasks) return html``;
  return html`<p class="rights">
    ${
      feature === null
        ? html``
        : html`<span>Feature <span lang="ar" dir="rtl">الميزة</span> <code>${feature}</code></span>`
    }
    ${
      unmasks
        ? html`<span
            ><code>pii:read</code> adds <span lang="ar" dir="rtl">يضيف</span> <code>customer_number</code></span
          >`
        : html``
    }
  </p>`;
}
