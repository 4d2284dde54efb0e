/** Who writes invoices, as it stands on them. */
export interface Seller {
  readonly name_ar: string;
  readonly name_en: string;
  /** 15 digits, the first and the last of them 3. */
  readonly vat_number: string;
  readonly address: string;
}

/** Whom an invoice is for. */
export interface Buyer {
  readonly name: string;
}
