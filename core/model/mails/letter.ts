import type { SpokenLanguage } from '../spoken/language.js';

/** A part of a mail, in reading order. */
export type MailBlock =
  | { readonly kind: 'text'; readonly text: string }
  /** A table of labels and values. The values need no isolates. */
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [label: string, value: string])[] }
  /** The one thing to do. */
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  /** To be typed elsewhere. */
  | { readonly kind: 'code'; readonly code: string }
  /** Small print. */
  | { readonly kind: 'note'; readonly text: string };

/** A mail in one language. */
export interface Letter {
  readonly language: SpokenLanguage;
  readonly subject: string;
  readonly blocks: readonly MailBlock[];
}
