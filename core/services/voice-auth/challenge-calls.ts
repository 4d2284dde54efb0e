import { recordEvent } from '../../data/outbox.js';
import type { Challenges } from '../../data/repositories/verification/challenges.js';
import type { ChallengeEnd } from '../../data/rows.js';
import type { SpokenLanguage } from '../../model/spoken/index.js';
import type { Clock } from '../../ports/clock.js';
import { simulatedAnswer } from '../sandbox/destinations.js';
import type { Brands } from '../brands/brands.js';
import { completedChallenge, endOf } from './present.js';

/** The challenge that a call presents. */
export interface OpenChallenge {
  readonly language: SpokenLanguage;
  readonly brand: string | null;
  /** Two digits. */
  readonly matchNumber: string;
  /** The simulated answer of a sandbox number; null means none. */
  readonly simulated: Extract<ChallengeEnd, 'approved' | 'denied'> | null;
}

export interface ChallengeCallsOptions {
  readonly challenges: Challenges;
  readonly brands: Pick<Brands, 'nameOf'>;
  readonly clock: Clock;
  readonly onLanes: (lanes: readonly string[]) => void;
}

/** Gives the calls of challenges what they ask, and records the answers. */
export class ChallengeCalls {
  constructor(private readonly options: ChallengeCallsOptions) {}

  /** @returns null if the challenge is no longer open */
  async open(id: string): Promise<OpenChallenge | null> {
    const { challenges, brands, clock } = this.options;
    const row = await challenges.find(id);
    if (row?.state !== 'pending' || row.expires_at <= clock.now()) return null;
    const { language, brand_id, match_number: matchNumber, number, sandbox } = row;
    const brand = await brands.nameOf(brand_id, language);
    return { language, brand, matchNumber, simulated: sandbox ? simulatedAnswer(number) : null };
  }

  /** Records the answer. @returns whether it came in time and was the first one */
  async complete(id: string, end: Extract<ChallengeEnd, 'approved' | 'denied' | 'no_answer'>): Promise<boolean> {
    const { challenges, clock, onLanes } = this.options;
    const now = clock.now();
    const lanes = await challenges.transaction(async (tx) => {
      const row = await challenges.complete(tx, id, end, now, now);
      return row && recordEvent(tx, completedChallenge(row, now));
    });
    onLanes(lanes ?? []);
    return lanes !== null;
  }

  /**
   * Closes challenges that their calls did not close in time. @returns the number of challenges processed, at most
   * `limit`
   */
  async closeEnded(limit: number): Promise<number> {
    const { challenges, clock, onLanes } = this.options;
    const now = clock.now();
    const [count, lanes] = await challenges.transaction(async (tx) => {
      const rows = await challenges.due(tx, now, limit);
      const lanes: string[] = [];
      for (const row of rows) {
        const end = endOf(row, now);
        const ended = end && (await challenges.complete(tx, row.id, end, now, null));
        if (ended) lanes.push(...(await recordEvent(tx, completedChallenge(ended, now))));
      }
      return [rows.length, lanes] as const;
    });
    onLanes(lanes);
    return count;
  }
}
