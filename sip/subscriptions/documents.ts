import type { SipSubscriptionRow } from '../../core/data/rows.js';

/** The body of a notification. */
export interface NotifyBody {
  readonly type: string;
  readonly body: string;
}

/** What the phone is to show. */
export function documentOf(
  row: Pick<SipSubscriptionRow, 'package' | 'target' | 'state' | 'version' | 'local'>,
): NotifyBody {
  const entity = /<([^>]+)>/.exec(row.local)?.[1] ?? row.local.split(';')[0] ?? '';
  return row.package === 'dialog'
    ? {
        type: 'application/dialog-info+xml',
        body: dialogInfo(row.target, row.state ?? 'terminated', row.version, entity),
      }
    : { type: 'application/simple-message-summary', body: messageSummary(row.state ?? '0/0', entity) };
}

/**
 * Whether a softphone is on the telephone (RFC 4235 §4). It does not say with whom.
 * @param state a state of RFC 4235 §3.7.1, with the direction before the answer
 */
export function dialogInfo(aor: string, state: string, version: number, entity: string): string {
  const [name = '', direction] = state.split(' ');
  const attributes = direction === undefined ? '' : ` direction="${direction}"`;
  return [
    '<?xml version="1.0"?>',
    `<dialog-info xmlns="urn:ietf:params:xml:ns:dialog-info" version="${version}" state="full" entity="${escaped(entity)}">`,
    `<dialog id="${escaped(aor)}"${attributes}><state>${name}</state></dialog>`,
    '</dialog-info>',
    '',
  ].join('\r\n');
}

/** Waiting messages (RFC 3842 §5.2). @param counts `fresh/heard` */
export function messageSummary(counts: string, account: string | null = null): string {
  return [
    `Messages-Waiting: ${counts.startsWith('0/') ? 'no' : 'yes'}`,
    ...(account === null ? [] : [`Message-Account: ${account}`]),
    `Voice-Message: ${counts} (0/0)`,
    '',
  ].join('\r\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
