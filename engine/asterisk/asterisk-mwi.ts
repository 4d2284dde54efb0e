import { newId } from '../../core/model/ids.js';
import type { MessageCounts } from '../../core/model/voicemail.js';
import type { Mwi } from '../../core/ports/engine.js';
import type { AriHttp } from './ari/ari-http.js';
import type { EngineLink } from './ari/engine-link.js';

/**
 * ARI cannot send a NOTIFY, and Debian's Asterisk has no external mailboxes. A Local channel that belongs to no call
 * therefore runs a piece of dialplan (`hatif-lamp` in extensions.conf), which notifies the phones and ends. The
 * application receives no event of it.
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
