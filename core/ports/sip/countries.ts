/** In which countries addresses are. */
export interface Countries {
  /**
   * Reads the data, once. Only who needs it calls this: it takes some megabytes.
   * @throws Error if the file is missing or is no such data
   */
  load(): Promise<void>;
  /** ISO 3166-1 alpha-2; null for a private address, one without a country, and before {@link load}. */
  of(address: string): string | null;
}
