import type { Person } from './person.js';

let made = 0;

/** Another person for each test of a file. */
export function newPerson(): Person {
  made += 1;
  const number = String(made).padStart(5, '0');
  return { phone: `+96650${number}42`, email: `reem-${number}@customer.example`, externalId: `customer-${number}` };
}
