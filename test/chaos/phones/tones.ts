/**
 * The tones that a phone sends and expects: multiples of 50 Hz, so that each packet contains a whole number of periods.
 */
export interface Tones {
  readonly sendHz: number;
  readonly expectHz: number;
}
