import { recordEvent } from '../../data/outbox.js';
import type { Challenges } from '../../data/repositories/verification/challenges.js';
import type { ChallengeEnd } from '../../data/rows.js';
import type { SpokenLanguage } from '../../model/spoken/index.js';
import type { Clock } from '../../ports/clock.js';
import { simulatedAnswer } from '../sandbox/destinations.js';
import type { Brands } from '../brands/brands.js';
import { completedChallenge, endOf } from './present.js';

/** What a call asks. */
export interface OpenChallenge {
  readonly language: SpokenLanguage;
  readonly brand: string | null;
  /** Two digits. */
  readonly matchNumber: string;
  /** What the sandbox's number answers by itself; null: nothing. */
  readonly simulated: Extract<ChallengeEnd, 'approved' | 'denied'> | null;
}

export interface ChallengeCallsOptions {
  readonly challenges: Challenges;
  readonly brands: Pick<Brands, 'nameOf'>;
  readonly clock: Clock;
  readonly onLanes: (lanes: readonly string[]) => void;
}

/** Where the calls of challenges learn what to ask, and tell what was answered. */
export class ChallengeCalls {
  constructor(private readonly options: ChallengeCallsOptions) {}

  /** @returns null where nothing is to be asked any more */
  async open(id: string): Promise<OpenChallenge | null> {
    const { challenges, brands, clock } = this.options;
    const row = await challenges.find(id);
    if (row?.state !== 'pending' || row.expires_at <= clock.now()) return null;
    const { language, brand_id, match_number: matchNumber, number, sandbox } = row;
    const brand = await brands.nameOf(brand_id, language);
    return { language, brand, matchNumber, simulated: sandbox ? simulatedAnswer(number) : null };
  }

  /** @returns whether it was in time, and the first answer */
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

  /** End what its call did not end, or not in time. @returns how many were looked at, up to `limit` */
  async settle(limit: number): Promise<number> {
    const { challenges, clock, onLanes } = this.options;
    const now = clock.now();
    const [count, lanes] = await challenges.transaction(async (tx) => {
      const rows = await challenges.due(tx, now, limit);
      const told: string[] = [];
      for (const row of rows) {
        const end = endOf(row, now);
        const ended = end && (await challenges.complete(tx, row.id, end, now, null));
        if (ended) told.push(...(await recordEvent(tx, completedChallenge(ended, now))));
      }
      return [rows.length, told] as const;
    });
    onLanes(lanes);
    return count;
  }
}
