/** The provider does not accept a request, and never will. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
  constructor(
    /** In the words of the provider. */
    message: string,
    readonly code: string | null,
    /** Whether the credentials are the reason. */
    readonly isUnauthorized: boolean,
  ) {
    super(message);
  }
}

/** The provider cannot be reached, or failed: a repeat may succeed. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}
