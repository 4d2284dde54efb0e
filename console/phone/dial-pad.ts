import { h } from '../shared/dom.js';
import { field } from './common/parts.js';
import { say } from './common/texts.js';

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'];

export interface DialPadOptions {
  readonly onCall: (target: string) => void;
  /** A key during a call. @returns whether a call took it */
  readonly onDigit: (digit: string) => boolean;
}

/** The keypad: it dials, and presses keys in a call. The keyboard works everywhere but in other inputs. */
export class DialPad {
  readonly element: HTMLElement;
  readonly #input = h('input', { id: 'dial', type: 'tel', inputmode: 'tel', autocomplete: 'off', dir: 'ltr' });
  readonly #keys = new Map<string, HTMLButtonElement>();

  constructor(private readonly options: DialPadOptions) {
    for (const digit of KEYS) {
      const attributes = { type: 'button', 'aria-label': say('key', { digit }), onclick: () => this.#press(digit) };
      this.#keys.set(digit, h('button', attributes, digit));
    }
    const erase = h('button', { type: 'button', 'aria-label': say('delete_digit'), onclick: () => this.#erase() }, '⌫');
    this.element = h(
      'form',
      {
        class: 'card pad',
        onsubmit: (event) => {
          event.preventDefault();
          this.#call();
        },
      },
      h('h2', {}, say('keypad')),
      field('dial', this.#input),
      h('div', { class: 'keys', role: 'group', 'aria-label': say('keypad'), dir: 'ltr' }, ...this.#keys.values()),
      h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'main' }, say('call')), erase),
    );
    addEventListener('keydown', (event) => this.#typed(event));
  }

  /** Puts a number there, to call it. */
  show(number: string): void {
    this.#input.value = number;
    this.#input.focus();
  }

  #call(): void {
    const target = this.#input.value.trim();
    if (target === '') {
      this.#input.focus();
      return;
    }
    this.options.onCall(target);
    this.#input.value = '';
  }

  #press(digit: string): void {
    if (!this.options.onDigit(digit)) this.#input.value += digit;
  }

  #erase(): void {
    this.#input.value = this.#input.value.slice(0, -1);
  }

  #typed({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
    const isElsewhere = target instanceof Element && target.closest('input, select, textarea, dialog') !== null;
    if (isElsewhere || ctrlKey || metaKey || altKey || !this.#keys.has(key)) return;
    this.#keys.get(key)?.click();
  }
}
