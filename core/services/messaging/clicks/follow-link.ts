import { projectEvent, recordEvent } from '../../../data/outbox.js';
import type { ClickedLink, MessageLinks } from '../../../data/repositories/messaging/links.js';
import type { EventRow } from '../../../data/rows.js';
import { isoTime } from '../../../model/time.js';
import type { Clock } from '../../../ports/clock.js';
import { eventedMessageOf } from '../present.js';

export interface FollowLinkOptions {
  readonly links: MessageLinks;
  readonly clock: Clock;
  readonly wake: (lanes: readonly string[]) => void;
}

const CODE = /^[A-Za-z0-9]{10}$/;

/** Leads people who open short addresses to where the links of their messages point. Nothing about them is kept. */
export class FollowLink {
  constructor(private readonly options: FollowLinkOptions) {}

  /**
   * Counts the look, and reports the first click of each link: later ones are only counted, so nobody can flood the
   * receivers of events.
   * @param isPerson false for a program that looks ahead, such as the preview of a chat application
   * @returns null for a link that does not exist, or not any more
   */
  async follow(code: string, isPerson: boolean): Promise<string | null> {
    const { links, clock, wake } = this.options;
    if (!CODE.test(code)) return null;
    if (!isPerson) return links.preview(code);
    const now = clock.now();
    const { url, lanes } = await links.transaction(async (tx) => {
      const clicked = await links.click(tx, code, now);
      if (clicked === null) return { url: null, lanes: [] };
      const isFirst = clicked.link.clicks === 1;
      return { url: clicked.link.url, lanes: isFirst ? await recordEvent(tx, clickEvent(clicked, now)) : [] };
    });
    wake(lanes);
    return url;
  }
}

function clickEvent({ link, message }: ClickedLink, at: Date): EventRow {
  const { organization_id, project_id, sandbox } = message;
  return projectEvent({
    ...{ organization_id, project_id, sandbox, created_at: at },
    type: 'message.link_clicked',
    data: { ...eventedMessageOf(message), link: { url: link.url, clicked_at: isoTime(at) } },
  });
}
