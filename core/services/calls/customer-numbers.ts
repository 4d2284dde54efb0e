import type { Calls, NumberScope } from '../../data/repositories/calls/calls.js';
import { fullNumber } from '../../model/phone-numbers.js';
import { callsShown, withCustomerNumbers } from '../call-state/presenting/customer-number.js';

/** Adds customers' full numbers to what the API shows, for keys that may see them. */
export class CustomerNumbers {
  constructor(private readonly calls: Pick<Calls, 'customerNumbers'>) {}

  /**
   * Returns the value with `customer_number` in each object that shows a call, callback, waiting caller, recording or
   * message. For a call outside the scope it is null.
   * @returns null if the value shows no customer
   * @throws DatabaseUnavailable
   */
  async addTo(value: unknown, scope: NumberScope): Promise<unknown> {
    const ids = callsShown(value);
    if (ids.length === 0) return null;
    const numbers = await this.calls.customerNumbers(scope, ids);
    return withCustomerNumbers(value, (callId) => fullNumber(numbers.get(callId) ?? ''));
  }
}
