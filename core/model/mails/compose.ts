import type { SpokenLanguage } from '../spoken/language.js';
import { isolate } from '../wording/wording.js';
import { htmlOf } from './html.js';
import type { Letter, MailBlock } from './letter.js';

/** A mail as it is sent. */
export interface ComposedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Of the part that stands first. */
  readonly language: SpokenLanguage;
}

/** Renders the languages of a mail below each other, as plain text and as HTML with the same content. */
export function composeMail(first: Letter, ...others: readonly Letter[]): ComposedMail {
  const letters = [first, ...others];
  const subject = letters.map((letter) => letter.subject).join(' · ');
  return {
    subject,
    text: `${letters.map(textOf).join('\n\n')}\n`,
    html: htmlOf(subject, letters),
    language: first.language,
  };
}

function textOf({ language, blocks }: Letter): string {
  return blocks.map((block) => blockText(block, language)).join('\n\n');
}

function blockText(block: MailBlock, language: SpokenLanguage): string {
  switch (block.kind) {
    case 'text':
    case 'note':
      return block.text;
    case 'facts':
      return block.facts.map(([label, value]) => `${label}: ${language === 'ar' ? isolate(value) : value}`).join('\n');
    case 'link':
      // On a line of its own: isolates would become a part of the address.
      return `${block.label}:\n${block.url}`;
    case 'code':
      return block.code;
  }
}
