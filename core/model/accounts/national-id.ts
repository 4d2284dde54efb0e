/** Citizens have numbers that start with 1, residents 2. */
const FORM = /^[12]\d{9}$/;

/** Whether this is a Saudi national id or residence number, by form and check digit (Luhn). */
export function isNationalId(text: string): boolean {
  return FORM.test(text) && luhnSum(text) % 10 === 0;
}

/** The states of a verification. Only `pending` ever changes. */
export const IDENTITY_STATES = ['pending', 'verified', 'rejected', 'expired'] as const;
export type IdentityState = (typeof IDENTITY_STATES)[number];

/** Every second digit from the right is doubled; the digits of the results are added up. */
function luhnSum(digits: string): number {
  return Array.from(digits)
    .reverse()
    .reduce((sum, digit, index) => {
      const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
      return sum + (value > 9 ? value - 9 : value);
    }, 0);
}
