/** A number at the provider of the chat application, with its credentials. Never log it. */
export interface ChatappAccount {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  /** E.164. */
  readonly phoneNumber: string;
  /** The provider's ids of the number, and of the account that it belongs to. */
  readonly phoneNumberId: string;
  readonly businessAccountId: string;
  readonly accessToken: string;
  /** Signs the provider's notices. */
  readonly appSecret: string;
}

/** The live numbers of all projects at the provider. @throws DatabaseUnavailable */
export interface ChatappAccounts {
  isConfigured(projectId: string): Promise<boolean>;
  /** Null if the project does not have the number. @param number null: any of the project */
  ofProject(projectId: string, number: string | null): Promise<ChatappAccount | null>;
  /** Those below these accounts of the provider. */
  ofBusinesses(businessAccountIds: readonly string[]): Promise<readonly ChatappAccount[]>;
}

/** What the provider says about a number. */
export interface ProvedNumber {
  /** E.164. */
  readonly phoneNumber: string;
}

/** Checks credentials at the provider. */
export interface ChatappCredentials {
  /**
   * Reads the number with the token, and asks for the notices of its account.
   * @throws ProviderRefusal, ProviderUnavailable
   */
  prove(account: Pick<ChatappAccount, 'phoneNumberId' | 'businessAccountId' | 'accessToken'>): Promise<ProvedNumber>;
}
