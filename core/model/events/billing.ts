import { z } from 'zod';
import { CURRENCY, idOutput, sar } from '../objects/fields.js';
import { paymentObject } from '../objects/payment.js';
import { defineEvent } from './definition.js';

const PAYMENT_EXAMPLE = {
  id: '01934f78-6f70-7182-9d34-2eb1f0a9c873',
  status: 'succeeded',
  method: 'bank_transfer',
  amount_sar: 1000,
  vat_sar: 150,
  total_sar: 1150,
  paid_sar: 1150,
  currency: 'SAR',
  invoice_id: null,
  reference: 'HT7K2M9QXWAB',
  error_code: null,
  reason: null,
  checkout_url: null,
  return_url: null,
  transfer_to: null,
  expires_at: '2026-02-14T06:00:00.000Z',
  created_at: '2026-01-31T06:00:00.000Z',
  ended_at: '2026-02-01T08:30:00.000Z',
} as const;

/** Billing events: spending, payments and invoices. */
export const BILLING_EVENTS = {
  'usage.threshold': defineEvent({
    subject: 'project',
    summary: 'A project spent a share of its daily or monthly cap.',
    summaryAr: 'بلغ إنفاق المشروع نسبة من سقف الإنفاق اليومي أو الشهري.',
    own: {
      project_id: idOutput,
      period: z.enum(['day', 'month']),
      starts: z.string().describe('The first day of the period, in Riyadh').meta({ format: 'date' }),
      percent: z.int(),
      cap_sar: sar,
      spent_sar: sar,
      currency: CURRENCY,
    },
    example: {
      project_id: '01934f79-7081-7293-8e45-3fc201bad984',
      period: 'month',
      starts: '2026-01-01',
      percent: 80,
      cap_sar: 5000,
      spent_sar: 4012.4,
      currency: 'SAR',
    },
  }),
  'payment.succeeded': defineEvent({
    subject: 'project',
    summary: 'A payment arrived and was booked.',
    summaryAr: 'وصلت دفعة وقُيّدت.',
    own: paymentObject.shape,
    example: PAYMENT_EXAMPLE,
  }),
  'payment.failed': defineEvent({
    subject: 'project',
    summary: 'A payment failed, was refused, was cancelled or expired.',
    summaryAr: 'فشلت الدفعة، أو رُفضت، أو أُلغيت، أو انتهت مدتها.',
    own: paymentObject.shape,
    example: {
      ...PAYMENT_EXAMPLE,
      status: 'failed',
      paid_sar: null,
      error_code: 'PAYMENT_FAILED',
      reason: 'Card declined',
    },
  }),
  'invoice.issued': defineEvent({
    subject: 'project',
    summary: 'An invoice that includes the project was issued.',
    summaryAr: 'صدرت فاتورة تشمل المشروع.',
    own: {
      invoice_id: idOutput,
      number: z.string(),
      month: z.string().meta({ examples: ['2026-01'] }),
      net_sar: sar,
      vat_sar: sar,
      total_sar: sar,
      due_sar: sar,
      currency: CURRENCY,
    },
    example: {
      invoice_id: '01934f7a-8192-73a4-9f56-40d312cbea95',
      number: 'INV-2026-000042',
      month: '2026-01',
      net_sar: 812.5,
      vat_sar: 121.88,
      total_sar: 934.38,
      due_sar: 0,
      currency: 'SAR',
    },
  }),
};
