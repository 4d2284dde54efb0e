import { Refused, type Api, type Progress, type SentCode, type Settings } from './api.js';
import { h } from '../shared/dom.js';
import type { Proofs } from './proofs.js';
import { Talk } from './talk.js';
import type { Language } from '../shared/texts.js';
import { isText, say, type TextName } from './texts.js';

/** How many status requests in a row may fail before the visitor is notified. */
const MAX_FAILURES = 8;

type Step = 'ask' | 'code' | 'state' | 'talk';

/** The dialog: asks for a number, for a code if the widget requires one, and then shows the status of the call. */
export class Dialog {
  readonly element: HTMLDialogElement;
  readonly #phone = h('input', {
    id: 'to',
    name: 'tel',
    type: 'tel',
    inputmode: 'tel',
    autocomplete: 'tel',
    required: true,
    class: 'ltr',
    maxlength: '20',
    'aria-describedby': 'error',
  });
  readonly #name = h('input', { id: 'name', name: 'name', autocomplete: 'name', maxlength: '100' });
  readonly #code = h('input', {
    id: 'code',
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    required: true,
    class: 'ltr',
    maxlength: '10',
    'aria-describedby': 'error',
  });
  readonly #codeIntro = h('p', {});
  readonly #resend: HTMLButtonElement;
  readonly #error = h('p', { id: 'error', class: 'bad', role: 'alert' });
  readonly #state = h('p', { class: 'state', role: 'status', 'aria-live': 'polite', tabindex: '-1' });
  readonly #dot = h('span', { class: 'dot', 'aria-hidden': 'true' });
  readonly #again: HTMLButtonElement;
  readonly #steps: Record<Step, HTMLElement>;
  readonly #talk: Talk;
  #sent: SentCode | null = null;
  #step: Step = 'ask';
  /** The token of the chat from which the visitor calls. */
  #chat: string | null = null;

  constructor(
    private readonly api: Api,
    private readonly settings: Settings,
    private readonly proofs: Proofs,
    private readonly language: Language,
    onClose: () => void,
  ) {
    const t = (name: TextName): string => say(language, name);
    const field = (name: TextName, input: HTMLElement): Node[] => [h('label', { for: input.id }, t(name)), input];
    const submit = (name: TextName): HTMLElement => h('button', { type: 'submit' }, t(name));
    const form = (work: () => Promise<void>, ...children: Node[]): HTMLElement =>
      h(
        'form',
        {
          novalidate: true,
          onsubmit: (event) => {
            event.preventDefault();
            void this.#try(work);
          },
        },
        ...children,
      );
    this.#resend = h('button', {
      type: 'button',
      class: 'link',
      onclick: () => void this.#try(() => this.#sendCode()),
    });
    this.#talk = new Talk({
      ...{ api, language },
      onState: (text) => this.#say(text),
      onOver: () => {
        // The reason stays until the visitor has read it.
        const text = this.#state.textContent;
        this.#show('state');
        this.#say(text);
        this.#again.hidden = false;
      },
    });
    this.#again = h('button', { type: 'button', class: 'again', onclick: () => this.#show('ask') }, t('again'));
    this.#steps = {
      ask: form(
        () => (settings.otp ? this.#sendCode() : this.#request()),
        h('p', { class: 'soft' }, t('intro')),
        ...(settings.sandbox ? [h('p', { class: 'soft' }, t('sandbox'))] : []),
        ...field('phone', this.#phone),
        ...field('name', this.#name),
        submit('submit'),
        ...(settings.browser_calls
          ? [
              h(
                'button',
                { type: 'button', class: 'link', onclick: () => void this.#try(() => this.#startTalk()) },
                t('talk'),
              ),
            ]
          : []),
      ),
      code: form(
        () => this.#request(),
        this.#codeIntro,
        ...field('code', this.#code),
        submit('code_submit'),
        this.#resend,
      ),
      state: h('div', {}, this.#dot, this.#again),
      talk: this.#talk.element,
    };
    this.element = h(
      'dialog',
      { 'aria-labelledby': 'title', onclose: onClose, onkeydown: (event) => this.#keepFocus(event as KeyboardEvent) },
      h(
        'header',
        {},
        h('h2', { id: 'title' }, t('title')),
        h('button', { type: 'button', class: 'x', 'aria-label': t('close'), onclick: () => this.element.close() }, '×'),
      ),
      this.#state,
      ...Object.values(this.#steps),
      this.#error,
    );
    this.#show('ask');
  }

  /** @param chat the token of the chat from which the visitor calls @param isNow calls at once, if the browser can */
  open(chat: string | null = null, isNow = false): void {
    this.#chat = chat;
    this.element.showModal();
    this.#focus();
    // Start solving the challenge while the visitor types.
    this.proofs.prepare();
    if (!isNow || !this.settings.browser_calls) return;
    const isOver = this.#step === 'state' && !this.#again.hidden;
    if (isOver) this.#show('ask');
    if (this.#step === 'ask') void this.#try(() => this.#startTalk());
  }

  get #from(): { chat?: string } {
    return this.#chat === null ? {} : { chat: this.#chat };
  }

  #show(step: Step): void {
    this.#step = step;
    for (const [name, element] of Object.entries(this.#steps)) element.hidden = name !== step;
    this.#say('');
    this.#fail('');
    this.#again.hidden = true;
    if (this.element.open) this.#focus();
  }

  #focus(): void {
    const first = { ask: this.#phone, code: this.#code, state: this.#state, talk: this.#state }[this.#step];
    first.focus();
  }

  /** Keeps the focus inside the dialog when tabbing. */
  #keepFocus(event: KeyboardEvent): void {
    if (event.key !== 'Tab') return;
    const all = Array.from(this.element.querySelectorAll<HTMLElement>('button,input')).filter(
      (one) => one.offsetParent !== null && !one.hasAttribute('disabled'),
    );
    const active = (this.element.getRootNode() as ShadowRoot).activeElement;
    const [from, to] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]];
    if (active !== from && all.includes(active as HTMLElement)) return;
    event.preventDefault();
    to?.focus();
  }

  #say(text: string): void {
    this.#state.textContent = text;
  }

  #fail(text: string): void {
    this.#error.textContent = text;
    const input = this.#step === 'code' ? this.#code : this.#phone;
    input.toggleAttribute('aria-invalid', false);
    if (text !== '' && (this.#step === 'ask' || this.#step === 'code')) input.setAttribute('aria-invalid', 'true');
  }

  /** Runs the action of a submit button, one at a time, and shows errors. */
  async #try(work: () => Promise<void>): Promise<void> {
    const form = this.#steps[this.#step];
    if (form.hasAttribute('aria-busy')) return;
    form.setAttribute('aria-busy', 'true');
    this.#fail('');
    this.#say(say(this.language, 'working'));
    try {
      await work();
    } catch (error) {
      this.#say('');
      this.#fail(this.#reason(error));
      this.#focus();
    } finally {
      form.removeAttribute('aria-busy');
    }
  }

  #reason(error: unknown): string {
    const { code, retryAfterSeconds } = error instanceof Refused ? error : new Refused(null, 0);
    const own = error as { readonly message?: string; readonly messageAr?: string };
    if (own.messageAr !== undefined) return (this.language === 'ar' ? own.messageAr : own.message) ?? '';
    const malformed = code === 'VALIDATION_ERROR' && this.#step === 'code' ? 'OTP_INVALID' : code;
    const name = malformed !== null && isText(malformed) ? malformed : 'other';
    return say(this.language, name, { seconds: retryAfterSeconds, minutes: Math.ceil(retryAfterSeconds / 60) });
  }

  async #startTalk(): Promise<void> {
    await this.proofs.with((proof) => this.#talk.begin({ ...proof, ...this.#from }));
    const text = this.#state.textContent;
    this.#show('talk');
    this.#say(text);
  }

  async #sendCode(): Promise<void> {
    const to = this.#phone.value.trim();
    this.#sent = await this.proofs.with((proof) => this.api.code({ to, language: this.language, ...proof }));
    this.#codeIntro.textContent = say(this.language, 'code_intro', { to: this.#sent.to_masked });
    this.#code.value = '';
    this.#show('code');
    this.#countDown(this.#sent.resend_after_seconds);
  }

  #countDown(seconds: number): void {
    this.#resend.disabled = seconds > 0;
    this.#resend.textContent =
      seconds > 0 ? say(this.language, 'code_wait', { seconds }) : say(this.language, 'code_again');
    if (seconds > 0) setTimeout(() => this.#countDown(seconds - 1), 1_000);
  }

  async #request(): Promise<void> {
    const name = this.#name.value.trim();
    const body = { to: this.#phone.value.trim(), ...(name === '' ? {} : { name }), ...this.#from };
    const sent = this.#sent;
    const placed = sent
      ? await this.api.request({ ...body, otp: { id: sent.otp_id, code: this.#code.value.trim() } })
      : await this.proofs.with((proof) => this.api.request({ ...body, ...proof }));
    this.#sent = null;
    this.#show('state');
    void this.#follow(placed);
  }

  /** Shows the status of the call until it ends, even while the dialog is closed. */
  async #follow(placed: Progress): Promise<void> {
    const { callback_id: id, status_token: token = '' } = placed;
    let known = placed;
    let failures = 0;
    for (;;) {
      const isOver = !['initiated', 'ringing', 'answered'].includes(known.status);
      this.#say(say(this.language, known.status as TextName, { to: known.to_masked }));
      this.#dot.classList.toggle('live', !isOver);
      this.#again.hidden = !isOver;
      if (isOver) return;
      try {
        known = await this.api.follow(id, token, known.status);
        failures = 0;
      } catch {
        failures += 1;
        if (failures > MAX_FAILURES) break;
        await new Promise((resolve) => setTimeout(resolve, 1_000 * failures));
      }
    }
    this.#say(say(this.language, 'lost'));
    this.#dot.classList.remove('live');
    this.#again.hidden = false;
  }
}
