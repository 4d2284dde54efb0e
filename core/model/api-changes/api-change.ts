/** One change of the public API, as the change history shows it. Backticks mark code. */
export interface ApiChange {
  /** The day it was merged: YYYY-MM-DD. */
  readonly date: string;
  readonly text: string;
  readonly text_ar: string;
  /** Enabled per environment: the pages of a disabled feature say what the API answers instead. */
  readonly perEnvironment?: boolean;
}
