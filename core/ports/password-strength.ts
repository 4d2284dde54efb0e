/** Judges how soon an attacker would guess a password. */
export interface PasswordStrength {
  /** Whether the password is in a list of passwords that became public. */
  isLeaked(password: string): boolean;
  /**
   * Whether a program would guess the password soon.
   * @param personal what an attacker knows about its owner: name, e-mail address.
   */
  isWeak(password: string, personal: readonly string[]): boolean;
}
