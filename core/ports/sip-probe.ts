/** Asks SIP servers whether they are there. */
export interface SipProbe {
  /** Whether anything at all was answered to one OPTIONS (RFC 3261 §11) within the time. Never rejects. */
  ask(host: string, port: number, timeoutMs: number): Promise<boolean>;
}
