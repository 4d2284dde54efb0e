export const TRUNK_TRANSPORTS = ['udp', 'tcp', 'tls'] as const;
export type TrunkTransport = (typeof TRUNK_TRANSPORTS)[number];

/** Codecs by Hatif's names. */
export const TRUNK_CODECS = ['alaw', 'ulaw', 'opus', 'g722'] as const;

/**
 * How digits are sent: as RFC 4733 events, in INFO requests, or as tones. `auto`: as the other side offers.
 */
export const DTMF_MODES = ['auto', 'rfc4733', 'info', 'inband'] as const;
export type DtmfMode = (typeof DTMF_MODES)[number];

/** The number that callers show: the one that they chose, the project's main number, or one of the trunk. */
export const CALLER_ID_RULES = ['pass', 'main', 'fixed'] as const;
export type CallerIdRule = (typeof CALLER_ID_RULES)[number];

/**
 * The number in P-Asserted-Identity: the one that the caller chose, whatever is shown, the project's main number, one of
 * the trunk, or none.
 */
export const ASSERTED_IDENTITIES = ['caller', 'main', 'fixed', 'none'] as const;
export type AssertedIdentity = (typeof ASSERTED_IDENTITIES)[number];
