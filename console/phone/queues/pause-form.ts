import { h } from '../../shared/dom.js';
import { say } from './queue-texts.js';

/** The longest reason that the platform takes. */
const LONGEST_REASON = 128;

/** Pauses the agent, with a reason or without one, and ends the pause. */
export class PauseForm {
  readonly element: HTMLElement;
  readonly #reason = h('input', { id: 'pause-reason', maxlength: String(LONGEST_REASON), dir: 'auto' });
  readonly #field = h('div', {}, h('label', { for: 'pause-reason' }, say('reason')), this.#reason);
  readonly #button = h('button', { type: 'submit' });

  /** @param onToggle with the reason that was entered; null without one */
  constructor(onToggle: (reason: string | null) => void) {
    this.element = h(
      'form',
      {
        class: 'field',
        onsubmit: (event) => {
          event.preventDefault();
          const reason = this.#reason.value.trim();
          // The input may be hidden in a moment.
          this.#button.focus();
          onToggle(reason === '' ? null : reason);
        },
      },
      this.#field,
      h('div', { class: 'actions' }, this.#button),
    );
    this.draw(false);
  }

  draw(isPaused: boolean): void {
    if (isPaused) this.#reason.value = '';
    this.#field.hidden = isPaused;
    this.#button.textContent = say(isPaused ? 'unpause' : 'pause');
  }
}
