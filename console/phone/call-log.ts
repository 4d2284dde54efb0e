import type { Call } from '../../packages/web/src/index.js';
import { h } from '../shared/dom.js';
import type { Calls, ListedCall } from './calls.js';
import { duration, number } from './common/parts.js';
import { language, say, type TextName } from './common/texts.js';

const DIRECTIONS: Readonly<Record<string, TextName>> = { inbound: 'inbound', outbound: 'outbound' };

const SHOWN = 20;

/** The agent's newest calls. */
export class CallLog {
  readonly element: HTMLElement;
  readonly #list = h('ul', { class: 'log' });
  readonly #time = new Intl.DateTimeFormat(language === 'ar' ? 'ar-SA-u-nu-latn-ca-gregory' : 'en-GB', {
    ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  });

  /** Calls to colleagues from this page: the API lists a call inside for the agent who is called. */
  readonly #inside: ListedCall[] = [];

  constructor(
    private readonly calls: Calls,
    private readonly onDial: (number: string) => void,
  ) {
    this.element = h('section', { class: 'card', 'aria-labelledby': 'log-title' });
    this.element.append(h('h2', { id: 'log-title' }, say('log')), this.#list);
    void this.refresh();
  }

  /** Notes a call that ended. */
  note({ id, direction, remote: { address }, startedAt, connectedAt, endedAt }: Call): void {
    if (direction === 'incoming' || /^\+|^\d{7,}$/.test(address)) return;
    const seconds = connectedAt && endedAt ? Math.round((endedAt.getTime() - connectedAt.getTime()) / 1_000) : null;
    this.#inside.unshift({
      ...{ call_id: id, status: 'ended', direction: 'internal', kind: 'web', agent: null, metadata: {} },
      ...{ customer_number: address, customer_number_masked: address },
      ...{ created_at: startedAt.toISOString(), duration_seconds: seconds },
    });
  }

  async refresh(): Promise<void> {
    const recent = await this.calls.recent().catch(() => null);
    if (recent === null) return;
    const all = [...this.#inside, ...recent].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
    const rows = all.slice(0, SHOWN).map((call) => this.#row(call));
    this.#list.replaceChildren(...(rows.length > 0 ? rows : [h('li', { class: 'soft' }, say('no_log'))]));
  }

  #row(call: ListedCall): HTMLElement {
    const full = call.customer_number ?? null;
    const shown = full ?? call.customer_number_masked ?? '';
    const direction = say(DIRECTIONS[call.direction] ?? 'internal');
    const length = call.duration_seconds === null ? '' : ` · ${duration(call.duration_seconds * 1_000)}`;
    const dial =
      full === null
        ? []
        : [
            h(
              'button',
              {
                type: 'button',
                class: 'quiet',
                'aria-label': say('again', { number: full }),
                onclick: () => this.onDial(full),
              },
              say('call'),
            ),
          ];
    const at = h('time', { datetime: call.created_at }, this.#time.format(new Date(call.created_at)));
    return h('li', {}, h('div', {}, number(shown), h('small', {}, `${direction} · `, at, length)), ...dial);
  }
}
