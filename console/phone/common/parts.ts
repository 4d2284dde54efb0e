import { h } from '../../shared/dom.js';
import { Refused } from './api.js';
import { inLanguage, say, type TextName } from './texts.js';

/** A button with a text. */
export function button(name: TextName, onclick: () => void, className = ''): HTMLButtonElement {
  return h('button', { type: 'button', class: className, onclick }, say(name));
}

/** A label with its input. */
export function field(label: TextName, input: HTMLElement, hint?: TextName): HTMLElement {
  const parts: Node[] = [h('label', { for: input.id }, say(label)), input];
  if (hint !== undefined) {
    input.setAttribute('aria-describedby', `${input.id}-hint`);
    parts.push(h('small', { id: `${input.id}-hint` }, say(hint)));
  }
  return h('div', { class: 'field' }, ...parts);
}

/** What a person reads of an error: of the package, of the platform, or of anything else. */
export function reasonOf(error: unknown): string {
  const { message, messageAr, hint, hintAr } = error as Partial<Record<string, string>>;
  if (!message || !messageAr) return say('other');
  const text = inLanguage({ message, messageAr });
  const advice = error instanceof Refused ? '' : inLanguage({ message: hint ?? '', messageAr: hintAr ?? '' });
  return advice.startsWith('http') || advice === '' ? text : `${text} ${advice}`;
}

/** Numbers and extensions read from left to right in any language. */
export function number(text: string): HTMLElement {
  return h('bdi', { dir: 'ltr' }, text);
}

/** A dialog that closes by Escape, and gives the focus back. */
export function openDialog(title: TextName, ...content: readonly Node[]): HTMLDialogElement {
  const before = document.activeElement;
  const dialog = h(
    'dialog',
    {
      'aria-labelledby': 'dialog-title',
      onclose: () => {
        dialog.remove();
        if (before instanceof HTMLElement && before.isConnected) before.focus();
      },
    },
    h(
      'header',
      {},
      h('h2', { id: 'dialog-title' }, say(title)),
      button('close', () => dialog.close(), 'quiet'),
    ),
    ...content,
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** A time of a call: `3:07`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const tail = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}
