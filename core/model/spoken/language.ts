/** Languages that a call is spoken to in. */
export type SpokenLanguage = 'ar' | 'en';

/** Of the thing that is counted. */
export type Gender = 'masculine' | 'feminine';

/** Arabic only: `nominative` for what stands alone or as a subject, `oblique` behind a preposition, a verb or another noun. */
export type GrammaticalCase = 'nominative' | 'oblique';
