import { microsFromSar, type MicroSar } from '../../core/model/money.js';
import { CliError, EXIT } from './failure.js';

/** Parses an amount in SAR. @throws CliError */
export function amountOf(sar: string): MicroSar {
  if (!/^-?\d{1,9}(\.\d{1,2})?$/.test(sar)) throw new CliError(`${sar} is not an amount in SAR.`, EXIT.usage);
  return microsFromSar(sar);
}

/** Parses a paid amount. @throws CliError if it is not an amount above 0 */
export function paymentOf(sar: string): MicroSar {
  const paid = amountOf(sar);
  if (paid <= 0) throw new CliError('A payment must be above 0.', EXIT.usage);
  return paid;
}
