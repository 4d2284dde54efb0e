/** Judges how soon an attacker would guess a password. */
export interface PasswordStrength {
  /**
   * Whether a program would guess the password soon.
   * @param personal what an attacker knows about its owner: name, e-mail address.
   */
  isWeak(password: string, personal: readonly string[]): boolean;
}
