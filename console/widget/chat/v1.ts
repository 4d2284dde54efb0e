import { h } from '../../shared/dom.js';
import type { ChatParts } from '../chat-module.js';
import { ChatApi } from './api.js';
import { ChatPanel } from './panel.js';
import { chatStyleOf } from './style.js';
import { sayInChat } from './texts.js';

/** Adds the chat to the widget, with its button beside that of calls. */
export function addChat(root: ShadowRoot, { api, position, ...parts }: ChatParts): void {
  const { language } = parts;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(chatStyleOf(position));
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const button = h(
    'button',
    {
      ...{ type: 'button', class: 'open', part: 'chat-button', 'aria-haspopup': 'dialog', 'aria-expanded': 'false' },
      onclick: () => {
        button.setAttribute('aria-expanded', 'true');
        panel.open();
      },
    },
    sayInChat(language, 'chat_button'),
  );
  const panel = new ChatPanel({
    ...parts,
    api: new ChatApi(api),
    key: api.key,
    onClose: () => {
      button.setAttribute('aria-expanded', 'false');
      button.focus();
    },
    onUnread: (count) => {
      const name = count === 0 ? 'chat_button' : 'chat_unread';
      button.textContent = sayInChat(language, name, { count });
    },
  });
  root.querySelector('.bar')?.append(button);
  root.append(panel.element);
}
