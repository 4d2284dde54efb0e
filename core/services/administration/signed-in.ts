/** The administrator behind a request. */
export interface SignedInAdministrator {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** The session or script token of the request. */
  readonly tokenId: string;
  /** Only the second factor may be set up: away from the machine itself, administrators need one. */
  readonly needsSecondFactor: boolean;
}
