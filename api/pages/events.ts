import { exampleMessage } from '../../core/model/events/definition.js';
import { definitionOf, EVENT_FAMILIES, EVENT_TYPES, type EventType } from '../../core/model/events/index.js';
import { html, prose, type Html } from './html.js';
import { layout } from './layout.js';

/** Every webhook event: when it is sent, and an example of its body. */
export function eventsPage(): string {
  const families = EVENT_FAMILIES.map((family) => {
    const events = EVENT_TYPES.filter((type) => type.startsWith(`${family}.`)).map(section);
    return html`<h2 id="${family}">${family}.*</h2>
      ${events}`;
  });
  return layout({
    title: 'Events',
    section: 'events',
    body: html`
      <h1>Events</h1>
      <p class="lead">
        Webhooks carry these events. Subscribe to one type, to a family (<code>call.*</code>) or to all
        (<code>*</code>). The schemas are in <a href="/v1/openapi.json">openapi.json</a> under <code>webhooks</code>;
        code generators turn them into client types.
      </p>
      <p class="lead" lang="ar" dir="rtl">
        تحمل نقاط Webhook هذه الأحداث. اشترك في نوع واحد، أو في عائلة (<code dir="ltr">call.*</code>)، أو في جميع
        الأحداث (<code dir="ltr">*</code>). والمخططات في <a href="/v1/openapi.json" dir="ltr">openapi.json</a> تحت
        <code dir="ltr">webhooks</code>.
      </p>
      ${families}
    `,
  });
}

function section(type: EventType): Html {
  const definition = definitionOf(type);
  const { summary, summaryAr, reserved } = definition;
  const body = JSON.stringify(exampleMessage(type, definition), null, 2);
  return html`<section class="card" id="${type}">
    <h3><code>${type}</code></h3>
    <p>${prose(summary)}</p>
    <p lang="ar" dir="rtl">${prose(summaryAr)}</p>
    ${
      reserved
        ? html`<p>
            Reserved: this release does not send it. <span lang="ar" dir="rtl">محجوز: لا يُرسله هذا الإصدار.</span>
          </p>`
        : html`<details>
            <summary>Example <span lang="ar" dir="rtl">مثال</span></summary>
            <pre dir="ltr"><code>${body}</code></pre>
          </details>`
    }
  </section>`;
}
