import type { Call } from '../../packages/web/src/index.js';
import { h } from '../shared/dom.js';
import type { Api } from './api.js';
import type { Proof } from './proof.js';
import type { Language } from '../shared/texts.js';
import { say } from './texts.js';

export interface TalkOptions {
  readonly api: Api;
  readonly language: Language;
  /** Shows what happens. */
  readonly onState: (text: string) => void;
  readonly onOver: () => void;
}

/** A call from the browser to the widget's destination. */
export class Talk {
  readonly element: HTMLElement;
  readonly #mute: HTMLButtonElement;
  #call: Call | null = null;

  constructor(private readonly options: TalkOptions) {
    const { language } = options;
    this.#mute = h('button', { type: 'button', onclick: () => this.#toggle() }, say(language, 'talk_mute'));
    const hangup = h('button', { type: 'button', onclick: () => this.#call?.hangup() }, say(language, 'talk_hangup'));
    this.element = h('div', { class: 'talk' }, this.#mute, hangup);
  }

  /** @throws Refused, HatifError */
  async begin(body: { captcha?: Proof; chat?: string }): Promise<void> {
    const { api, language, onState, onOver } = this.options;
    const { token, dial } = await api.call(body);
    onState(say(language, 'talk_microphone'));
    const device = await api.device(token);
    try {
      await device.register();
      const call = await device.connect({ to: dial });
      this.#call = call;
      onState(say(language, 'talk_connecting'));
      call.on('ringing', () => onState(say(language, 'talk_ringing')));
      call.on('connected', () => onState(say(language, 'talk_connected')));
      call.on('reconnecting', () => onState(say(language, 'talk_reconnecting')));
      call.on('reconnected', () => onState(say(language, 'talk_connected')));
      call.on('warning', (warning) => onState(language === 'ar' ? warning.messageAr : warning.message));
      call.on('warningCleared', () => onState(say(language, 'talk_connected')));
      call.on('disconnected', ({ message, messageAr }) => {
        this.#call = null;
        onState(language === 'ar' ? messageAr : message);
        device.destroy();
        onOver();
      });
    } catch (error) {
      device.destroy();
      throw error;
    }
  }

  #toggle(): void {
    const call = this.#call;
    if (!call) return;
    call.mute(!call.isMuted);
    this.#mute.setAttribute('aria-pressed', String(call.isMuted));
    this.#mute.textContent = say(this.options.language, call.isMuted ? 'talk_unmute' : 'talk_mute');
  }
}
