/** DTMF digits that the API sends into a call. */
export const DTMF_PATTERN = /^[0-9*#]{1,32}$/;

/** Digits to send after the answer; each `w` is a pause. */
export const SEND_DIGITS_PATTERN = /^[0-9*#w]{1,32}$/;
