import { z } from 'zod';
import {
  areDifferent,
  callPrice,
  count,
  ibanSetting,
  list,
  matching,
  messagePrice,
  numberPrice,
  shortText,
  text,
  url,
  webhookSecret,
} from './setting-values.js';

const documentPrefix = matching(/^[A-Z0-9]{1,10}$/, 'must be 1 to 10 capital letters or digits');

/** Prices, tax, invoices and payments. */
export const BILLING_SETTINGS = {
  /**
   * Prices per minute in SAR of the rate plan `default`, by direction or direction and kind:
   * `outbound=0.12,outbound.callback=0.15`.
   */
  CALL_PRICES: list
    .pipe(z.array(callPrice))
    .refine(areDifferent, 'must not name a direction or kind twice')
    .default([]),
  /** Monthly prices of numbers in SAR of the rate plan `default`, by kind: `geographic=15,mobile=20`. */
  NUMBER_PRICES: list
    .pipe(z.array(numberPrice))
    .refine((prices) => new Set(prices.map(({ kind }) => kind)).size === prices.length, 'must not name a kind twice')
    .default([]),
  /** Prices of one message in SAR of the rate plan `default`, by channel: `sms=0.08`. */
  MESSAGE_PRICES: list
    .pipe(z.array(messagePrice))
    .refine(
      (prices) => new Set(prices.map(({ channel }) => channel)).size === prices.length,
      'must not name a channel twice',
    )
    .default([]),
  /** Value-added tax on invoices and payments. */
  BILLING_VAT_PERCENT: count(0, 100).default(15),
  /** The seller on invoices; invoices need all of these. */
  INVOICE_SELLER_NAME_AR: shortText(120).optional(),
  INVOICE_SELLER_NAME_EN: shortText(120).optional(),
  INVOICE_SELLER_VAT_NUMBER: matching(/^3\d{13}3$/, 'must be 15 digits that start and end with 3').optional(),
  INVOICE_SELLER_ADDRESS: shortText(250).optional(),
  /** Prefix of invoice numbers: `INV-2026-000001`. */
  INVOICE_NUMBER_PREFIX: documentPrefix.default('INV'),
  /** Prefix of the numbers of credit notes, which are a series of their own: `CN-2026-000001`. */
  CREDIT_NOTE_NUMBER_PREFIX: documentPrefix.default('CN'),
  /** The operator's account for bank transfers; without it customers cannot pay by transfer. */
  PAYMENT_IBAN: ibanSetting.optional(),
  /** The account holder's name. */
  PAYMENT_ACCOUNT_NAME: text.optional(),
  /**
   * A payment gateway with the protocol of docs/reference/payments.md, and the secret that signs messages of both
   * sides.
   */
  PAYMENT_GATEWAY_URL: url('http:', 'https:').optional(),
  PAYMENT_GATEWAY_SECRET: webhookSecret.optional(),
  PAYMENT_GATEWAY_TIMEOUT_SECONDS: count(1, 30).default(10),
};
