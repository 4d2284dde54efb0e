import { h } from '../../shared/dom.js';
import type { Language } from '../../shared/texts.js';
import { sayInChat } from './texts.js';

/** What chats take; the platform looks at the content. */
const ACCEPT = 'image/png,image/jpeg,image/gif,image/webp,application/pdf,audio/*,video/mp4';

/** Chooses a file, which is sent at once. */
export function fileField(label: string, onFile: (file: File) => void): HTMLElement {
  const input = h('input', {
    ...{ id: 'chat-file', type: 'file', accept: ACCEPT },
    onchange: () => {
      const [file] = input.files ?? [];
      input.value = '';
      if (file) onFile(file);
    },
  });
  return h('div', {}, h('label', { for: 'chat-file' }, label), input);
}

/** Asks where the chat is to be mailed; hidden at first. */
export function mailForm(language: Language, onEmail: (email: string) => void): HTMLFormElement {
  const input = h('input', {
    ...{ id: 'chat-email', type: 'email', autocomplete: 'email', required: true, class: 'ltr', maxlength: '254' },
  });
  return h(
    'form',
    {
      hidden: true,
      onsubmit: (event) => {
        event.preventDefault();
        onEmail(input.value.trim());
      },
    },
    h('label', { for: 'chat-email' }, sayInChat(language, 'chat_email')),
    input,
    h('button', { type: 'submit' }, sayInChat(language, 'chat_mail_send')),
  );
}
