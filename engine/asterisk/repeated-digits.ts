/** The time that Asterisk leaves between two digits (`AST_MIN_DTMF_GAP`). */
const GAP_MS = 45;
/** Asterisk prolongs shorter digits to this (`AST_MIN_DTMF_DURATION`). */
const SHORTEST_MS = 80;
/** Asterisk looks at its digits when it reads a packet. */
const PACKET_MS = 20;
/** How late a digit may be taken up on a busy machine. */
const LATE_MS = 30;
/** A digit that surely waits is taken up within this time, however long the previous one is prolonged. */
const LATEST_MS = 500;

interface Digit {
  readonly digit: string;
  readonly durationMs: number;
  readonly at: number;
}

/** A digit that waits, or may. */
interface WaitingDigit extends Digit {
  /** Its packets were delayed, so the rules do not say when it will be reported again, if at all. */
  readonly isDelayed: boolean;
  /** It is reported again until then, or as late as the rules allow. */
  readonly until: number;
}

/**
 * Recognises the digits of one channel that Asterisk reports twice. Asterisk makes a digit wait if it arrives while the
 * previous one is prolonged, or less than 45 ms after it, and reports it on arrival and again when it takes it up
 * (`__ast_read` of `channel.c`). No event says so. This class follows the same rules with the times of the events, so it
 * knows when a waiting digit will be reported again. Times are milliseconds of Asterisk's clock.
 */
export class RepeatedDigits {
  /** Asterisk takes up the next digit at a moment in this span at the earliest. */
  #free = { from: 0, to: 0 };
  /** The last digit that Asterisk took up. */
  #takenUpAt = Number.NEGATIVE_INFINITY;
  #reportedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting: WaitingDigit[] = [];

  /** Call this for each reported digit, in order. @returns whether it has been reported before */
  isRepeated(digit: Digit): boolean {
    const { at } = digit;
    this.#forgetMissed(at);
    const isRepeated = this.#isExpected(digit);
    if (isRepeated) {
      this.#waiting.shift();
      this.#prolong(digit);
    } else if (this.#waiting.length > 0 || at < this.#free.to) {
      // Packets that were delayed arrive together. Such a digit seems short, so it is prolonged for longer than its report
      // suggests, but one that follows it so soon waits in any case.
      const isSure = at < this.#takenUpAt + GAP_MS;
      this.#waiting.push({ ...digit, isDelayed: false, until: isSure ? at + LATEST_MS : at });
    } else if (isDelayed(digit, this.#reportedAt)) {
      this.#waiting.push({ ...digit, isDelayed: true, until: at + digit.durationMs });
    } else {
      this.#takeUp(digit);
    }
    this.#reportedAt = at;
    return isRepeated;
  }

  #isExpected({ digit, durationMs, at }: Digit): boolean {
    const [next] = this.#waiting;
    if (next?.digit !== digit || next.durationMs !== durationMs) return false;
    return next.isDelayed || at >= this.#free.from;
  }

  /** A digit that is not reported again in time did not wait. */
  #forgetMissed(at: number): void {
    let [next] = this.#waiting;
    while (next && at > next.until && (next.isDelayed || at > this.#free.to + LATE_MS)) {
      this.#waiting.shift();
      this.#takeUp(next);
      [next] = this.#waiting;
    }
  }

  #takeUp({ durationMs, at }: Digit): void {
    this.#takenUpAt = at;
    const longest = Math.max(durationMs, SHORTEST_MS);
    const measuredMs = durationMs - PACKET_MS;
    // Its beginning was ignored, or it seemed short because its packets were delayed: then it is prolonged less.
    if (at - durationMs < this.#free.to) this.#freeAfter(at + SHORTEST_MS, at + longest + PACKET_MS);
    else if (measuredMs >= SHORTEST_MS) this.#freeAfter(at, at);
    else this.#freeAfter(Math.max(at, at - measuredMs + SHORTEST_MS - measuredMs));
  }

  #prolong({ durationMs, at }: Digit): void {
    this.#takenUpAt = at;
    this.#freeAfter(at + Math.max(durationMs, SHORTEST_MS));
  }

  /** @param earliest when the digit ends for Asterisk, at the earliest */
  #freeAfter(earliest: number, latest = earliest + PACKET_MS): void {
    this.#free = { from: earliest + GAP_MS - 1, to: latest + GAP_MS };
  }
}

/** Whether a digit would have begun before the previous one was reported. */
function isDelayed({ durationMs, at }: Digit, previousAt: number): boolean {
  return at - durationMs < previousAt;
}
