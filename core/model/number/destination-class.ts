import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/**
 * Kinds of outside numbers, by what calls to them may cost. A project and an agent may call only the classes that they
 * are allowed. `national` are Saudi numbers except those of mobile phones.
 */
export const DESTINATION_CLASSES = ['national', 'mobile', 'foreign', 'premium', 'satellite'] as const;
export type DestinationClass = (typeof DESTINATION_CLASSES)[number];

/** What a new project and a new agent may call. */
export const DEFAULT_DESTINATION_CLASSES: readonly DestinationClass[] = ['national', 'mobile'];

/** ITU country codes of satellite systems (870, 881), and of the networks that they share (882, 883). */
const SATELLITE = /^\+(?:870|881|882|883)/;
/** The ITU's international premium rate and shared cost services. */
const PREMIUM = /^\+(?:979|808)/;
/** By the national numbering plan. */
const SAUDI_MOBILE = '+9665';

/**
 * The class of a number that may be called.
 * @param e164 with its plus
 * @param highRisk the operator's prefixes in E.164; numbers that begin with one count as premium
 */
export function destinationClassOf(e164: string, highRisk: readonly string[] = []): DestinationClass {
  if (highRisk.some((prefix) => e164.startsWith(prefix))) return 'premium';
  if (e164.startsWith('+966')) return e164.startsWith(SAUDI_MOBILE) ? 'mobile' : 'national';
  if (SATELLITE.test(e164)) return 'satellite';
  if (PREMIUM.test(e164)) return 'premium';
  const type = parsePhoneNumberFromString(e164)?.getType();
  return type === 'PREMIUM_RATE' || type === 'SHARED_COST' ? 'premium' : 'foreign';
}

export function isDestinationClass(text: string): text is DestinationClass {
  return (DESTINATION_CLASSES as readonly string[]).includes(text);
}
