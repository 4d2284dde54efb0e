/** A notice that an outside service sent on its own cannot be accepted. */
export class NoticeError extends Error {
  override readonly name = 'NoticeError';
  /**
   * @param problem `unauthorized`: the signature is wrong or too old. `unreadable`: signed, but in no known form.
   */
  constructor(
    readonly problem: 'unauthorized' | 'unreadable',
    message: string,
  ) {
    super(message);
  }
}
