import type { MessageCounts } from '../../core/model/voicemail.js';
import { pause, type Clock } from '../../core/ports/clock.js';
import { EngineError, type Mwi } from '../../core/ports/engine.js';
import type { EslLink } from './esl/esl-link.js';
import { PROFILE } from './leg-id.js';

const LOOK_EVERY_MS = 100;
/** FreeSWITCH writes a registration into its table up to a second after it told of it. */
const LOOKS = 30;

/** mod_sofia makes a NOTIFY to each registered phone of an event that tells of messages. */
export class FreeswitchMwi implements Mwi {
  constructor(
    private readonly link: EslLink,
    private readonly isRegistered: (aor: string) => boolean,
    private readonly clock: Clock,
  ) {}

  async show(aor: string, { fresh, heard }: MessageCounts): Promise<void> {
    this.link.require();
    if (/[\s'"]/.test(aor)) throw new EngineError('rejected', 'No softphone can have that name');
    for (let look = 0; look < LOOKS && this.isRegistered(aor) && !(await this.#isListed(aor)); look += 1) {
      await pause(this.clock, LOOK_EVERY_MS);
    }
    await this.link.send('MESSAGE_WAITING', {
      'MWI-Messages-Waiting': fresh > 0 ? 'yes' : 'no',
      'MWI-Message-Account': `${aor}@${PROFILE}`,
      'MWI-Voice-Message': `${fresh}/${heard} (0/0)`,
    });
  }

  /** Whether it is in the table that mod_sofia itself goes by. */
  async #isListed(aor: string): Promise<boolean> {
    return !(await this.link.api(`sofia_contact ${PROFILE}/${aor}@${PROFILE}`)).startsWith('error/');
  }
}
