import { AUTH_WORDS } from '../../../core/services/voice-auth/words.js';
import { PARTIES, type Party } from '../../../engine/simulator/party.js';
import { NUMBER, type VerifyStage } from '../stages/verify-stage.js';

/** The announcements on these calls. */
export const WORDS = AUTH_WORDS.en;

interface Started {
  readonly id: string;
  readonly match: string;
  readonly callId: string;
}

/** Voice authentication challenges on a verification stage: starts them, sends digits and reads the outcome. */
export class AuthCalls {
  constructor(private readonly stage: VerifyStage) {}

  /** Starts a challenge of the number, in English. @param party answers the telephone */
  async started(json: object = {}, party: Party = PARTIES.answers): Promise<Started> {
    const { phones } = this.stage;
    phones.parties.set(NUMBER, party);
    const made = await this.stage.good('POST', '/voice-auth/challenges', { to: NUMBER, language: 'en', ...json });
    return { id: String(made.challenge_id), match: String(made.match_number), callId: await phones.newest() };
  }

  read(id: string, key?: string): Promise<Record<string, unknown>> {
    return this.stage.good('GET', `/voice-auth/challenges/${id}`, undefined, key);
  }

  async stateOf(id: string): Promise<unknown> {
    return (await this.read(id)).state;
  }

  /** Resolves when the voice has said the text at least `times` times. */
  said(text: string, times = 1): Promise<void> {
    const { phones } = this.stage;
    return phones.until(() => Promise.resolve(phones.said.filter((one) => one === text).length >= times));
  }

  async press(callId: string, digits: string): Promise<void> {
    const { phones } = this.stage;
    const [leg] = await phones.legs(callId);
    phones.engine.pressDigits(leg!.id, digits);
    await phones.settle();
  }

  /** Resolves when the call has ended and its outcome is settled. */
  async over(callId: string): Promise<void> {
    const { phones, settling } = this.stage;
    await phones.until(async () => ((await phones.calls.find(callId))?.ended_at ?? null) !== null);
    await settling.run();
  }

  /** The states in the challenge's `voice_auth.completed` events. */
  async completed(id: string): Promise<unknown[]> {
    return (await this.stage.eventData('voice_auth.completed', id)).map(({ state }) => state);
  }
}
