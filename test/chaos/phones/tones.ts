/** What a phone sends, and what it is to hear: multiples of 50 Hz, so that each packet is a whole number of waves. */
export interface Tones {
  readonly sendHz: number;
  readonly expectHz: number;
}
