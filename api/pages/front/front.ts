import type { PhoneRow, ReachRow } from '../../../core/data/repositories/engines/overview-rows.js';
import type { Commands } from '../../../core/model/commands.js';
import { nextStep } from '../../../core/services/overview/next-step.js';
import type { EngineView, Overview, Place } from '../../../core/services/overview/overview.js';
import { html, prose, type Html } from '../html.js';
import { layout } from '../layout.js';
import { FRONT_TEXTS, type FrontTexts, type Link } from './texts.js';

/** What everyone sees of the health of the service: a part of `/v1/health`. */
export interface ShownHealth {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly version: string;
  readonly checks: {
    readonly database: 'up' | 'down' | 'off';
    readonly redis: 'up' | 'down' | 'off';
    readonly engines: readonly { readonly kind: string; readonly status: 'up' | 'unreachable' }[];
  };
}

/** What the operator sees in addition. The overview is null if it cannot be read now. */
export interface OperatorsView {
  readonly overview: Overview | null;
  readonly place: Place;
}

const LINKS: Readonly<Record<Link, string>> = {
  guide: '/docs/guide',
  reference: '/docs',
  events: '/docs/events',
  errors: '/docs/errors',
  changes: '/docs/changes',
  widget: '/widget/demo',
  health: '/v1/health',
  openapi: '/v1/openapi.json',
  metrics: '/metrics',
};

/** The page at `/`. @param operator null for strangers, who see what `/v1/health` and the documents show */
export function frontPage(
  health: ShownHealth,
  operator: OperatorsView | null,
  commands: Commands,
  language: 'en' | 'ar',
): string {
  const texts = FRONT_TEXTS[language];
  const another = language === 'ar' ? 'en' : 'ar';
  return layout({
    title: language === 'ar' ? 'هاتف' : 'Start',
    section: 'front',
    language,
    body: html`
      <p><a href="?language=${another}" lang="${another}">${texts.other}</a></p>
      <h1>${language === 'ar' ? 'هاتف' : 'Hatif'} ${code(health.version)}</h1>
      <p class="lead">${texts.lead}</p>
      ${operator?.overview ? next(operator.overview, operator.place, commands, texts) : html``}
      ${healthOf(health, texts)}
      ${operator ? details(operator, texts) : html`<p>${prose(texts.hidden(commands.hatif('--help')))}</p>`}
      ${links(operator, texts)}
    `,
  });
}

function healthOf({ status, checks }: ShownHealth, texts: FrontTexts): Html {
  const parts = [
    [texts.database, checks.database],
    ['Redis', checks.redis],
    ...checks.engines.map(({ kind, status: engine }) => [nameOf(kind), engine] as const),
  ] as const;
  return html`<h2>
      ${texts.health} <span class="status ${status === 'ok' ? '' : 's5'}">${texts.status[status]}</span>
    </h2>
    <ul>
      ${parts.map(([name, state]) => html`<li><bdi>${name}</bdi>: ${texts.part[state]}</li>`)}
    </ul>`;
}

function details({ overview, place }: OperatorsView, texts: FrontTexts): Html {
  if (overview === null) return html`<p>${texts.unreadable}</p>`;
  const { engines, phones, numbers } = overview;
  return html`<h2>${texts.runs}</h2>
    ${place.parts.length > 0 ? html`<p>${texts.started} ${listed(place.parts)}</p>` : html``}
    ${engines.length > 0 ? table(engines.map((engine) => engineRow(engine, texts))) : html`<p>${texts.noEngine}</p>`}
    <h2>${texts.phones}</h2>
    <p>${texts.server}: ${code(`${place.sip.host}:${place.sip.port}`)}</p>
    ${
      phones.total > 0
        ? html`<p>${texts.registeredOf} ${code(`${phones.registered}/${phones.total}`)}</p>
            ${table(phones.rows.map((phone) => phoneRow(phone, texts)))}`
        : html`<p>${texts.phone.none}</p>`
    }
    ${rest(phones, texts)}
    <h2>${texts.numbers}</h2>
    ${numbers.total > 0 ? table(numbers.rows.map((row) => numberRow(row, texts))) : html`<p>${texts.noNumber}</p>`}
    ${rest(numbers, texts)}`;
}

function next(overview: Overview, place: Place, commands: Commands, texts: FrontTexts): Html {
  const chosen = nextStep(overview, place, commands, texts.greeting);
  const of = 'agent' in chosen ? html` ${code(`${chosen.agent}@${chosen.server.host}:${chosen.server.port}`)}` : html``;
  return html`<h2>${texts.next}</h2>
    <p>${texts.step[chosen.step]}${of}</p>
    <pre dir="ltr" tabindex="0"><code>${chosen.command}</code></pre>`;
}

function links(operator: OperatorsView | null, texts: FrontTexts): Html {
  const hidden: readonly Link[] = [
    ...(operator?.place.hasWidgetDemo === true ? [] : (['widget'] as const)),
    ...(operator?.place.servesMetrics === true ? [] : (['metrics'] as const)),
  ];
  const shown = (Object.keys(LINKS) as Link[]).filter((link) => !hidden.includes(link));
  return html`<h2>${texts.links}</h2>
    <ul>
      ${shown.map((link) => html`<li><a href="${LINKS[link]}">${texts.link[link]}</a> ${code(LINKS[link])}</li>`)}
    </ul>`;
}

function engineRow({ name, kind, version, isUp, liveCalls }: EngineView, texts: FrontTexts): readonly Html[] {
  return [
    html`<bdi>${nameOf(kind)} ${version ?? ''}</bdi> (<bdi>${name}</bdi>)`,
    html`${isUp ? texts.part.up : texts.part.unreachable}`,
    html`${texts.liveCalls}: ${liveCalls}`,
  ];
}

function phoneRow({ agent, name, project, registered, number }: PhoneRow, texts: FrontTexts): readonly Html[] {
  return [
    code(agent),
    html`<bdi>${name}</bdi> · <bdi>${project}</bdi>`,
    number === null ? html`` : code(number),
    html`${registered ? texts.phone.registered : texts.phone.away}`,
  ];
}

function numberRow({ number, project, type, target }: ReachRow, texts: FrontTexts): readonly Html[] {
  const what = texts.destination[type ?? 'none'] ?? type ?? '';
  return [
    code(number),
    html`<bdi>${project}</bdi>`,
    html`${texts.reaches}: ${what} ${target === null ? html`` : html`<bdi>${target}</bdi>`}`,
  ];
}

function rest({ total, rows }: { readonly total: number; readonly rows: readonly unknown[] }, texts: FrontTexts): Html {
  return total > rows.length ? html`<p>${texts.more} ${total - rows.length}</p>` : html``;
}

function table(rows: readonly (readonly Html[])[]): Html {
  const shown = rows.map(
    (cells) =>
      html`<tr>
        ${cells.map((cell) => html`<td>${cell}</td>`)}
      </tr>`,
  );
  return html`<table class="list">
    <tbody>
      ${shown}
    </tbody>
  </table>`;
}

function listed(values: readonly string[]): Html {
  return html`${values.map((value, index) => html`${index === 0 ? '' : ' · '}<bdi>${value}</bdi>`)}`;
}

function code(text: string): Html {
  return html`<code dir="ltr">${text}</code>`;
}

const NAMES: Readonly<Record<string, string>> = { asterisk: 'Asterisk', freeswitch: 'FreeSWITCH' };

function nameOf(kind: string): string {
  return NAMES[kind] ?? kind;
}
