import { microsFromSar, type MicroSar } from '../../core/model/money.js';
import { CliError, EXIT } from '../failure.js';

/** An amount in riyals as people type it. @throws CliError */
export function amountOf(sar: string): MicroSar {
  if (!/^-?\d{1,9}(\.\d{1,2})?$/.test(sar)) throw new CliError(`${sar} is no amount in SAR.`, EXIT.usage);
  return microsFromSar(sar);
}
