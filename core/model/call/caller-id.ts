/** The caller that a phone displays. */
export interface CallerId {
  /** E.164 or an extension; null withholds it. */
  readonly number: string | null;
  readonly name: string | null;
}
