import type { Call, Device } from '../../packages/web/src/index.js';
import { h } from '../shared/dom.js';
import { callCard } from './call-card.js';
import { CallLog } from './call-log.js';
import type { Calls } from './calls.js';
import { devicesDialog } from './devices.js';
import { DialPad } from './dial-pad.js';
import { button, reasonOf } from './common/parts.js';
import { inLanguage, language, say } from './common/texts.js';

export interface DeskOptions {
  readonly device: Device;
  /** Who calls. */
  readonly title: string;
  readonly subtitle: string;
  /** Null for a page with nothing but a token: it requests nothing from the API. */
  readonly calls: Calls | null;
  /** Parts of their own beside the telephone: queues and chats. */
  readonly beside: readonly HTMLElement[];
  /** Whether the person's role may make conferences. */
  readonly mayConfer: boolean;
  /** No phone rings there. */
  readonly isSandbox: boolean;
  readonly onSignOut: (() => void) | null;
  /** The session is over: another one is needed. */
  readonly onAgain: (() => void) | null;
}

/** A telephone: calls, a keypad, and for agents what they called. */
export class Desk {
  readonly element: HTMLElement;
  readonly #device: Device;
  readonly #log: CallLog | null;
  readonly #cards = new Map<Call, HTMLElement>();
  readonly #list = h('div', { class: 'calls' });
  readonly #state = h('p', { class: 'line' });
  readonly #announcer = h('p', { class: 'hidden', 'aria-live': 'assertive' });
  readonly #note = h('p', { class: 'bad', role: 'alert' });
  readonly #again: HTMLButtonElement;

  constructor(private readonly options: DeskOptions) {
    const { device, calls, title, subtitle, beside, onSignOut, onAgain } = options;
    this.#device = device;
    const pad = new DialPad({ onCall: (to) => void this.#dial(to), onDigit: (digit) => this.#digit(digit) });
    this.#log = calls === null ? null : new CallLog(calls, (to) => pad.show(to));
    this.#again = button('connect_again', () => onAgain?.(), 'main');
    this.element = h(
      'div',
      { class: 'desk' },
      h(
        'section',
        { class: 'card', 'aria-labelledby': 'calls-title' },
        h('h1', {}, title, ' ', h('small', {}, subtitle)),
        this.#state,
        this.#again,
        this.#note,
        h('h2', { id: 'calls-title' }, say('calls')),
        this.#list,
        h(
          'div',
          { class: 'actions' },
          button('devices', () => devicesDialog(this.#device), 'quiet'),
          otherLanguage(),
          ...(onSignOut === null ? [] : [button('sign_out', onSignOut, 'quiet')]),
        ),
        this.#announcer,
      ),
      pad.element,
      ...(this.#log === null ? [] : [this.#log.element]),
      ...beside,
    );
    this.#follow();
  }

  #follow(): void {
    const device = this.#device;
    device.on('changed', () => this.#draw());
    device.on('incoming', ({ remote: { name, address } }) => this.#say(say('calling', { name: name ?? address })));
    device.on('ringtoneBlocked', (isBlocked) => (this.#note.textContent = isBlocked ? say('click_to_ring') : ''));
    device.audio.on('inputLost', () => (this.#note.textContent = say('input_lost')));
    device.on('unregistered', (error) => {
      if (error !== null) this.#note.textContent = reasonOf(error);
    });
    if (this.options.isSandbox) this.#note.textContent = say('sandbox');
    else void device.register().catch(() => undefined);
    this.#draw();
  }

  #draw(): void {
    const { state, calls } = this.#device;
    this.#state.textContent = say(state);
    this.#state.className = `line ${state}`;
    this.#again.hidden = state !== 'unregistered' || this.options.onAgain === null;
    for (const call of calls) if (!this.#cards.has(call)) this.#add(call);
    for (const [call, card] of this.#cards) {
      if (calls.includes(call)) continue;
      this.#cards.delete(call);
      card.remove();
      // The platform writes the end a moment later.
      setTimeout(() => void this.#log?.refresh(), 1_500);
    }
    if (this.#cards.size === 0) this.#list.replaceChildren(h('p', { class: 'soft' }, say('no_calls')));
  }

  #add(call: Call): void {
    if (this.#cards.size === 0) this.#list.replaceChildren();
    const card = callCard({
      ...{ call, calls: this.options.calls, mayConfer: this.options.mayConfer },
      onTaken: () => this.#holdOthers(call),
      announce: (text) => this.#say(text),
    });
    this.#cards.set(call, card);
    this.#list.append(card);
    call.on('disconnected', (cause) => {
      this.#log?.note(call);
      if (cause.code !== 'hangup') this.#note.textContent = inLanguage(cause);
    });
  }

  async #dial(to: string): Promise<void> {
    this.#note.textContent = '';
    this.#holdOthers(null);
    try {
      await this.#device.connect({ to });
    } catch (error) {
      this.#note.textContent = reasonOf(error);
    }
  }

  /** A person speaks in one call at a time. */
  #holdOthers(but: Call | null): void {
    for (const call of this.#device.calls) {
      if (call !== but && call.state === 'connected' && !call.isHeld) void call.hold().catch(() => undefined);
    }
  }

  #digit(digit: string): boolean {
    const call = this.#device.calls.find((one) => one.state === 'connected' && !one.isHeld);
    call?.sendDigits(digit);
    return call !== undefined;
  }

  #say(text: string): void {
    this.#announcer.textContent = text;
  }
}

function otherLanguage(): HTMLElement {
  const other = language === 'ar' ? 'en' : 'ar';
  const name = other === 'ar' ? 'العربية' : 'English';
  return h('a', { href: `?language=${other}`, lang: other, dir: other === 'ar' ? 'rtl' : 'ltr' }, name);
}
