/**
 * One error of the catalogue.
 *
 * `message` says what happened and may contain slots (`{field}`), the same ones in both languages.
 * `hint` says what to do about it and has no slots, since it is shown on the error's own page.
 */
export interface ErrorRow {
  readonly status: number;
  readonly message: string;
  readonly message_ar: string;
  readonly hint: string;
  readonly hint_ar: string;
}

export type ErrorFamily = Readonly<Record<string, ErrorRow>>;
