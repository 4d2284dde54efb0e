/** Turns passwords into what may be stored of them. Slow on purpose: a stolen table is costly to search. */
export interface PasswordHasher {
  /** @returns the hash with its parameters and a salt of its own. */
  hash(password: string): Promise<string>;
  /** Whether the hash was made of this password. A text that is no hash fits no password. */
  verify(hash: string, password: string): Promise<boolean>;
}
