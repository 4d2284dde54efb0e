/**
 * One error of the catalogue.
 *
 * `message` says what happened and may hold slots, the same ones in both languages: `{field}` for a value, `{retry_after_seconds:second}` for
 * a number of things, which has the noun in the form that the number needs. Arabic texts have values of another script in backticks. `hint` says what to
 * do about it and has none, since it is shown on the error's own page.
 */
export interface ErrorRow {
  readonly status: number;
  readonly message: string;
  readonly message_ar: string;
  readonly hint: string;
  readonly hint_ar: string;
}

export type ErrorFamily = Readonly<Record<string, ErrorRow>>;
