/** Which resources a directory asks for. */
export interface WantedPage {
  /** In the syntax of SCIM; null: all. */
  readonly filter: string | null;
  /** How many to pass over. */
  readonly offset: number;
  readonly limit: number;
}

export interface ScimPage<Item> {
  readonly items: readonly Item[];
  /** On all pages. */
  readonly total: number;
}
