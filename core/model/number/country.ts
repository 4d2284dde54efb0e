import { getCountries, getCountryCallingCode } from 'libphonenumber-js/min';

/** Calling codes of countries, `+966`. None begins with another. Satellites and shared services have no country. */
const CALLING_CODES: ReadonlySet<string> = new Set(
  getCountries().map((country) => `+${getCountryCallingCode(country)}`),
);

/** What may be called if nothing else is set. */
export const HOME_COUNTRY = '+966';

/** @param text a calling code with its plus */
export function isCallingCode(text: string): boolean {
  return CALLING_CODES.has(text);
}

/** Whether a number belongs to one of the countries. @param codes calling codes, each with its plus */
export function isOfCountry(e164: string, codes: readonly string[]): boolean {
  return codes.some((code) => e164.startsWith(code));
}
