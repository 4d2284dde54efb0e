/** Languages of spoken announcements. */
export type SpokenLanguage = 'ar' | 'en';

/** Gender of the counted noun. */
export type Gender = 'masculine' | 'feminine';

/**
 * Arabic only: `nominative` for a word on its own or a subject, `oblique` after a preposition, a
 * verb or another noun.
 */
export type GrammaticalCase = 'nominative' | 'oblique';
