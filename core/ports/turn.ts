/** Asks servers that help browsers to be reached. */
export interface TurnProbe {
  /**
   * Whether the server of a `turn:`, `turns:` or `stun:` URI (RFC 7065, RFC 7064) answers a STUN Binding request (RFC 8489)
   * within two seconds.
   */
  answers(url: string): Promise<boolean>;
}
