import { microsFromSar, type MicroSar } from '../../core/model/money.js';
import { CliError, EXIT } from './failure.js';

/** An amount in riyals as people type it. @throws CliError */
export function amountOf(sar: string): MicroSar {
  if (!/^-?\d{1,9}(\.\d{1,2})?$/.test(sar)) throw new CliError(`${sar} is no amount in SAR.`, EXIT.usage);
  return microsFromSar(sar);
}

/** An amount that somebody has paid. @throws CliError where it is none, or not more than nothing */
export function paymentOf(sar: string): MicroSar {
  const paid = amountOf(sar);
  if (paid <= 0) throw new CliError('A payment is more than 0.', EXIT.usage);
  return paid;
}
