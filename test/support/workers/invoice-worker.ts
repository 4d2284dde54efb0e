/**
 * A process that writes the invoices of the month `MONTH` in the database of `DATABASE_URL` until it is done or killed.
 * Each finished organization is a step of ./mortal.ts.
 */
import { systemClock } from '../../../core/ports/clock.js';
import { readSettings } from '../../../config/read-settings.js';
import { openInvoicing } from '../../../main/wiring/invoices.js';
import { openStores } from '../../../main/wiring/stores.js';
import { SELLER } from '../stages/billing/invoice-stage.js';
import { step } from './mortal.js';

const { MONTH = '', DATABASE_URL = '' } = process.env;
const stores = openStores(DATABASE_URL, 2);
const settings = readSettings({
  INVOICE_SELLER_NAME_AR: SELLER.name_ar,
  INVOICE_SELLER_NAME_EN: SELLER.name_en,
  INVOICE_SELLER_VAT_NUMBER: SELLER.vat_number,
  INVOICE_SELLER_ADDRESS: SELLER.address,
});
const { issue } = openInvoicing(stores, settings, systemClock, () => undefined);
await issue.run(MONTH, null, false, step);
await stores.db.close();
