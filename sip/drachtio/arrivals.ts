const DAY_MS = 86_400_000;
/** The clock of another machine drifts; a queue is empty at some moment of this time. */
const WINDOW_MS = 60_000;

/**
 * How long messages wait between drachtio-server and this process. drachtio-server writes the time of day at which a
 * message arrived, by its own clock. The smallest difference of the last minute or two is taken for that of the clocks.
 */
export class Arrivals {
  #windowMs = -Infinity;
  #leastBefore = Infinity;
  #least = Infinity;

  /**
   * @param time as drachtio-server writes it: `hh:mm:ss.µµµµµµ`, UTC
   * @param nowMs milliseconds since 1970
   * @returns milliseconds; 0 for a time that cannot be read
   */
  waitedMs(time: string, nowMs: number): number {
    const [, hours, minutes, seconds] = /^(\d\d):(\d\d):(\d\d(?:\.\d+)?)$/.exec(time) ?? [];
    if (hours === undefined) return 0;
    const arrivedMs = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
    const difference = nearest((nowMs % DAY_MS) - arrivedMs);
    if (Math.abs(nowMs - this.#windowMs) >= WINDOW_MS) {
      [this.#windowMs, this.#leastBefore, this.#least] = [nowMs, this.#least, difference];
    }
    this.#least = Math.min(this.#least, difference);
    return difference - Math.min(this.#least, this.#leastBefore);
  }
}

/** Of a time of day before midnight and one after it, the small difference. */
function nearest(differenceMs: number): number {
  if (differenceMs > DAY_MS / 2) return differenceMs - DAY_MS;
  return differenceMs < -DAY_MS / 2 ? differenceMs + DAY_MS : differenceMs;
}
