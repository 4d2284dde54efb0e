import type { MessageCounts } from '../../core/model/voicemail.js';
import { pause, type Clock } from '../../core/ports/clock.js';
import { EngineError, type Mwi } from '../../core/ports/engine.js';
import type { EslLink } from './esl/esl-link.js';
import { PROFILE } from './leg-id.js';

const POLL_INTERVAL_MS = 100;
/** FreeSWITCH writes a registration to its table up to a second after the event. */
const MAX_POLLS = 30;

/** mod_sofia turns an event about messages into a NOTIFY to each registered phone. */
export class FreeswitchMwi implements Mwi {
  constructor(
    private readonly link: EslLink,
    private readonly isRegistered: (aor: string) => boolean,
    private readonly clock: Clock,
  ) {}

  async show(aor: string, { fresh, heard }: MessageCounts): Promise<void> {
    this.link.require();
    if (/[\s'"]/.test(aor)) throw new EngineError('rejected', 'Invalid softphone name');
    for (let poll = 0; poll < MAX_POLLS && this.isRegistered(aor) && !(await this.#isListed(aor)); poll += 1) {
      await pause(this.clock, POLL_INTERVAL_MS);
    }
    await this.link.send('MESSAGE_WAITING', {
      'MWI-Messages-Waiting': fresh > 0 ? 'yes' : 'no',
      'MWI-Message-Account': `${aor}@${PROFILE}`,
      'MWI-Voice-Message': `${fresh}/${heard} (0/0)`,
    });
  }

  /** Whether mod_sofia's own table has the registration. */
  async #isListed(aor: string): Promise<boolean> {
    return !(await this.link.api(`sofia_contact ${PROFILE}/${aor}@${PROFILE}`)).startsWith('error/');
  }
}
