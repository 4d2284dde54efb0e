/** Checks whether SIP servers answer. */
export interface SipProbe {
  /**
   * Sends one OPTIONS (RFC 3261 §11). Resolves true if any response arrived in time. Never rejects.
   */
  probe(host: string, port: number, timeoutMs: number): Promise<boolean>;
}
