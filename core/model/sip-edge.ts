/** What phones can subscribe to: whether a colleague is on the telephone (RFC 4235), and waiting messages (RFC 3842). */
export const SIP_PACKAGES = ['dialog', 'message-summary'] as const;
export type SipPackage = (typeof SIP_PACKAGES)[number];

/**
 * Why the SIP edge does not serve a request:
 *
 * - `denied`, `country`: the operator denied its network or country, or allowed others only
 * - `locked_out`: its address or user guessed passwords
 * - `scanner`: a program that looks for SIP servers
 * - `stranger`: no phone has registered from its address
 * - `forged`: it has fields that only Hatif writes
 * - `transport`: phones need TLS
 */
export const SIP_REFUSALS = ['denied', 'country', 'locked_out', 'scanner', 'stranger', 'forged', 'transport'] as const;
export type SipRefusal = (typeof SIP_REFUSALS)[number];
