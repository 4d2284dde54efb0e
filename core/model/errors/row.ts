/**
 * One error of the catalogue.
 *
 * `message` says what happened and may contain slots, the same ones in both languages: `{field}`
 * for a value, `{retry_after_seconds:second}` for a count with its noun in agreeing form. Arabic
 * texts put values of another script in backticks. `hint` says what to do about it and has no
 * slots, since it is shown on the error's own page.
 */
export interface ErrorRow {
  readonly status: number;
  readonly message: string;
  readonly message_ar: string;
  readonly hint: string;
  readonly hint_ar: string;
}

export type ErrorFamily = Readonly<Record<string, ErrorRow>>;
