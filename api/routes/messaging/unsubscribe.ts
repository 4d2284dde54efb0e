import { z } from 'zod';
import { UNSUBSCRIBE_PATH } from '../../../core/services/messaging/unsubscribe-links.js';
import type { Unsubscribe } from '../../../core/services/messaging/opting-out/unsubscribe.js';
import type { RawReply } from '../../http/reply.js';
import { route, type Route } from '../../http/route.js';
import { unsubscribePage } from '../../pages/unsubscribe.js';

export interface UnsubscribeRoutesServices {
  readonly unsubscribe: Unsubscribe;
}

const HTML = 'text/html; charset=utf-8';
const params = z.strictObject({ token: z.string().describe('Of the link in the mail') });
const responses = {
  200: {
    schema: z.string(),
    contentType: HTML,
    description: 'A page in Arabic and English',
    example: '<!doctype html>…',
  },
} as const;

/** The page loads its style, and sends its form to itself. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // The link is a secret of its reader.
  'Referrer-Policy': 'no-referrer',
};

/** The link by which readers of e-mail unsubscribe. */
export function unsubscribeRoutes({ unsubscribe }: UnsubscribeRoutesServices): Route[] {
  const shared = {
    path: `${UNSUBSCRIBE_PATH}/:token`,
    tag: 'Messages',
    scope: null,
    keyKind: 'none',
    flag: 'messages',
    params,
    responses,
    errors: ['NOT_FOUND'],
  } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      operationId: 'showUnsubscribePage',
      summary: 'Show the page of a link to unsubscribe',
      summaryAr: 'لقراء البريد: عرض صفحة إلغاء الاشتراك',
      description:
        'For readers of e-mail, not for clients. Changes nothing: programs that check links follow it, too. The page has a button that sends the `POST`.',
      handler: async ({ params: { token } }) => page(await unsubscribe.address(token), false),
    }),
    route({
      ...shared,
      method: 'POST',
      operationId: 'unsubscribe',
      summary: 'Unsubscribe by one click',
      summaryAr: 'لقراء البريد: إلغاء الاشتراك بنقرة واحدة',
      description:
        'What a mail program sends for its reader (RFC 8058), and the button of the page. The link is the proof: no key, no cookie. The address is opted out of `promotional`, `awareness` and `personal` messages by e-mail at once, with the source `link`, and the organization cannot undo it. A repeat changes nothing.',
      readsRaw: true,
      body: z.looseObject({}).describe('`List-Unsubscribe=One-Click` as a form; not read'),
      handler: async ({ params: { token } }) => page(await unsubscribe.unsubscribe(token), true),
    }),
  ];
}

function page(address: string, isDone: boolean): RawReply {
  return { status: 200, raw: unsubscribePage(masked(address), isDone), contentType: HTML, headers: HEADERS };
}

/** Readers of a forwarded mail need not learn the address. */
function masked(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, Math.min(2, at - 1))}•••${address.slice(at)}`;
}
