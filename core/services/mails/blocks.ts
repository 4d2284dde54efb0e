import type { MailBlock } from '../../model/mails/letter.js';
import { shownName } from '../../model/mails/names.js';
import { arabic } from '../../model/wording/wording.js';

export const greeting = {
  ar: (name: string) => text(arabic`مرحبًا ${shownName(name)}،`),
  en: (name: string) => text(`Hello ${shownName(name)},`),
};

export function text(words: string): MailBlock {
  return { kind: 'text', text: words };
}

export function note(words: string): MailBlock {
  return { kind: 'note', text: words };
}
