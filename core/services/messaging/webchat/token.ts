import { timingSafeEqual } from 'node:crypto';
import type { Cipher } from '../../../model/access/cipher.js';

/** Signs the tokens by which visitors come back to their chats on the pages of a widget. No secret of them is stored. */
export class ChatTokens {
  constructor(private readonly cipher: Pick<Cipher, 'mac'>) {}

  make(widgetId: string, chatId: string): string {
    return `${chatId}.${this.#sign(widgetId, chatId)}`;
  }

  /** The chat that the token opens; null if it is not valid for the widget. */
  chatOf(widgetId: string, token: string): string | null {
    const [chatId = '', signature = ''] = token.split('.');
    const [expected, given] = [Buffer.from(this.#sign(widgetId, chatId)), Buffer.from(signature)];
    return expected.length === given.length && timingSafeEqual(expected, given) ? chatId : null;
  }

  #sign(widgetId: string, chatId: string): string {
    return this.cipher.mac('widget', `chat/${widgetId}/${chatId}`);
  }
}
