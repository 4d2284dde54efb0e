import { h } from '../shared/dom.js';
import type { Found } from './calls.js';
import { number } from './common/parts.js';
import { say } from './common/texts.js';

/** A pause in typing after which a search begins. */
const PAUSE_MS = 200;

/**
 * An input that suggests people to call (the combobox pattern of ARIA): arrows go through the list, Enter takes one, and
 * Escape closes the list. What was typed counts if nothing is taken.
 */
export class SearchInput {
  readonly input = h('input', {
    ...{ id: 'target', autocomplete: 'off', dir: 'auto', required: true, role: 'combobox' },
    ...{ 'aria-expanded': 'false', 'aria-controls': 'found', 'aria-autocomplete': 'list' },
  });
  readonly list = h('ul', {
    id: 'found',
    class: 'found',
    role: 'listbox',
    'aria-label': say('transfer_to'),
    hidden: true,
  });
  readonly #status = h('p', { class: 'soft', role: 'status' });
  #found: readonly Found[] = [];
  #chosen: string | null = null;
  #active = -1;
  #searches = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param search null: there is nobody to suggest */
  constructor(private readonly search: ((text: string) => Promise<readonly Found[]>) | null) {
    if (search === null) return;
    this.input.addEventListener('input', () => this.#typed());
    this.input.addEventListener('focus', () => this.#typed());
    this.input.addEventListener('keydown', (event) => this.#pressed(event));
  }

  get element(): HTMLElement {
    return h('div', {}, this.list, this.#status);
  }

  /** Who is meant. */
  get value(): string {
    return this.#chosen ?? this.input.value.trim();
  }

  #typed(): void {
    this.#chosen = null;
    clearTimeout(this.#timer);
    const search = ++this.#searches;
    this.#timer = setTimeout(() => void this.#look(search), PAUSE_MS);
  }

  async #look(search: number): Promise<void> {
    const found = (await this.search?.(this.input.value.trim())) ?? [];
    // A slower answer to an older text.
    if (search === this.#searches) this.#show(found);
  }

  #show(found: readonly Found[]): void {
    this.#found = found;
    this.#activate(-1);
    this.list.replaceChildren(...found.map((one, at) => this.#option(one, at)));
    this.#open(found.length > 0);
    const isSearch = this.input.value.trim() !== '';
    this.#status.textContent =
      found.length > 0 ? say('found', { count: found.length }) : isSearch ? say('nobody_found') : '';
  }

  #option({ target, name, note }: Found, at: number): HTMLElement {
    const texts = name === null ? [number(target)] : [h('bdi', {}, name), ' ', h('small', {}, number(target))];
    const option = h('li', { id: `found-${at}`, role: 'option', 'aria-selected': 'false' }, ...texts);
    option.append(' ', h('small', {}, say(note)));
    // The input keeps the focus.
    option.addEventListener('mousedown', (event) => event.preventDefault());
    option.addEventListener('click', () => this.#take(at));
    return option;
  }

  #pressed(event: KeyboardEvent): void {
    const { key } = event;
    const isOpen = !this.list.hidden;
    const count = this.#found.length;
    if ((key === 'ArrowDown' || key === 'ArrowUp') && count > 0) {
      event.preventDefault();
      this.#open(true);
      const from = this.#active === -1 && key === 'ArrowUp' ? 0 : this.#active;
      this.#activate((from + (key === 'ArrowDown' ? 1 : -1) + count) % count);
    } else if (key === 'Enter' && isOpen && this.#active !== -1) {
      event.preventDefault();
      this.#take(this.#active);
    } else if (key === 'Escape' && isOpen) {
      // Otherwise the dialog would close, too.
      event.preventDefault();
      this.#open(false);
    }
  }

  #take(at: number): void {
    const taken = this.#found[at];
    if (!taken) return;
    this.input.value = taken.name === null ? taken.target : `${taken.name} (${taken.target})`;
    this.#chosen = taken.target;
    // No search of an earlier text opens the list again.
    this.#searches += 1;
    clearTimeout(this.#timer);
    this.#status.textContent = '';
    this.#open(false);
    this.input.focus();
  }

  #open(isOpen: boolean): void {
    this.list.hidden = !isOpen;
    this.input.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) this.#activate(-1);
  }

  #activate(at: number): void {
    this.#active = at;
    for (const [index, option] of [...this.list.children].entries()) {
      option.setAttribute('aria-selected', String(index === at));
      if (index === at) option.scrollIntoView({ block: 'nearest' });
    }
    if (at === -1) this.input.removeAttribute('aria-activedescendant');
    else this.input.setAttribute('aria-activedescendant', `found-${at}`);
  }
}
