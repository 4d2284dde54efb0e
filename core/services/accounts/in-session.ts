/** A user and the session in which it asks. */
export interface InSession {
  readonly id: string;
  readonly sessionId: string;
}

/** The same, and where the request comes from. */
export interface Asker extends InSession {
  readonly requestId: string;
  readonly ip: string;
}
