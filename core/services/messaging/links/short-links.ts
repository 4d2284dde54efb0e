import { randomInt } from 'node:crypto';
import type { MessageLinkRow } from '../../../data/rows.js';
import { invalidField, type Phrase } from '../../../model/errors/index.js';
import { replaceAddresses } from '../../../model/messaging/web-addresses.js';

export const SHORT_LINK_PATH = '/l';

/** Letters and digits only: telephones do not take a mark at the end of an address for a part of it. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** 62 to the 10th: nobody finds a code by trying. */
const CODE_LENGTH = 10;
const MOST_LINKS = 10;

/** Makes the short addresses of tracked links. */
export class ShortLinks {
  /** @param baseUrl without a slash at its end; null: none is set */
  constructor(private readonly baseUrl: string | null) {}

  /** @throws HatifError VALIDATION_ERROR if the installation has no address for them */
  begin(): MessageShortener {
    if (this.baseUrl === null) throw invalidField('track_links', NO_ADDRESS);
    return new MessageShortener(`${this.baseUrl}${SHORT_LINK_PATH}/`);
  }

  urlOf(code: string): string {
    return `${this.baseUrl ?? ''}${SHORT_LINK_PATH}/${code}`;
  }
}

/** Shortens the addresses in the texts of one message. Each person gets codes of their own. */
export class MessageShortener {
  readonly #codes = new Map<string, string>();

  /** @param prefix of short addresses */
  constructor(private readonly prefix: string) {}

  /** The text with short addresses. @throws HatifError VALIDATION_ERROR for a message with more than ten */
  shorten(text: string): string {
    return replaceAddresses(text, (url) => {
      if (url.startsWith(this.prefix)) return url;
      const code = this.#codes.get(url) ?? newCode();
      this.#codes.set(url, code);
      if (this.#codes.size > MOST_LINKS) throw invalidField('text', TOO_MANY);
      return this.prefix + code;
    });
  }

  /** What is stored with the message. */
  rows(messageId: string): readonly MessageLinkRow[] {
    return [...this.#codes].map(([url, code]) => ({
      ...{ code, message_id: messageId, url, clicks: 0, previews: 0 },
      ...{ first_clicked_at: null, last_clicked_at: null },
    }));
  }
}

function newCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

const NO_ADDRESS: Phrase = {
  en: 'needs an address for short links, which the operator has not set',
  ar: 'يتطلب عنوانًا للروابط القصيرة لم يضبطه المشغّل',
};
const TOO_MANY: Phrase = { en: 'has more than 10 links to track', ar: 'فيه أكثر من 10 روابط متتبَّعة' };
