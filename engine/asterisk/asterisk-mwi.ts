import { newId } from '../../core/model/ids.js';
import type { MessageCounts } from '../../core/model/voicemail.js';
import type { Mwi } from '../../core/ports/engine.js';
import type { AriHttp } from './ari/ari-http.js';
import type { EngineLink } from './ari/engine-link.js';

/**
 * ARI has no word for a NOTIFY, and Debian's Asterisk no mailboxes of somebody else's: a channel of nobody's is sent through a piece of dialplan
 * (`hatif-lamp` of extensions.conf), which notifies the phones and ends. The application is not told of it.
 */
export class AsteriskMwi implements Mwi {
  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
  ) {}

  async show(aor: string, { fresh, heard }: MessageCounts): Promise<void> {
    this.link.require();
    const body = {
      endpoint: 'Local/s@hatif-lamp/n',
      extension: 's',
      context: 'hatif-lamp',
      priority: 1,
      channelId: `lamp-${newId()}`,
      variables: {
        HATIF_AOR: aor,
        HATIF_WAITING: fresh > 0 ? 'yes' : 'no',
        HATIF_FRESH: String(fresh),
        HATIF_HEARD: String(heard),
      },
    };
    await this.http.send('POST', '/channels', { body });
  }
}
