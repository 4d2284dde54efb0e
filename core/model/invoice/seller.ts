/** The issuer of invoices, as printed on them. */
export interface Seller {
  readonly name_ar: string;
  readonly name_en: string;
  /** 15 digits; the first and the last are 3. */
  readonly vat_number: string;
  readonly address: string;
}

/** The customer of an invoice. */
export interface Buyer {
  readonly name: string;
}
