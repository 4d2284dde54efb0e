/** A message that would have gone to a person. */
export interface CaughtMessage {
  readonly channel: 'sms' | 'email';
  readonly from: string;
  readonly to: string;
  /** Null for an SMS. */
  readonly subject: string | null;
  readonly text: string;
  /** Names of the files of a mail. */
  readonly files: readonly string[];
}
