import { z } from 'zod';
import type { MessageLinks } from '../../../core/data/repositories/messaging/links.js';
import type { Messages } from '../../../core/data/repositories/messaging/messages.js';
import { variantKey } from '../../../core/model/broadcasts/broadcast.js';
import { timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { ReadBroadcasts } from '../../../core/services/broadcasts/read.js';
import type { FollowLink } from '../../../core/services/messaging/clicks/follow-link.js';
import { SHORT_LINK_PATH, type ShortLinks } from '../../../core/services/messaging/links/short-links.js';
import { unknownMessage } from '../../../core/services/messaging/unknown.js';
import { scopeOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { idParam } from '../../http/schema/schemas.js';
import { linkGonePage } from '../../pages/link-gone.js';

export interface LinkRoutesServices {
  readonly messages: Pick<Messages, 'get'>;
  readonly links: Pick<MessageLinks, 'ofMessage' | 'ofBroadcast'>;
  readonly broadcasts: { readonly read: Pick<ReadBroadcasts, 'get'> };
  readonly shortLinks: Pick<ShortLinks, 'urlOf'>;
  readonly followLink: Pick<FollowLink, 'follow'>;
}

const link = z
  .strictObject({
    url: z.string().describe('Where it leads'),
    short_url: z.string().describe('What the message has in its place'),
    clicks: z.int().min(0).describe('By people'),
    previews: z.int().min(0).describe('By programs that look ahead, such as previews and checks'),
    first_clicked_at: timeOutput.nullable(),
    last_clicked_at: timeOutput.nullable(),
  })
  .meta({ id: 'MessageLink' });

const broadcastLink = z
  .strictObject({
    url: z.string().describe('Where it leads'),
    variant: z.string().meta({ examples: ['A'] }),
    messages: z.int().min(0).describe('How many have the link'),
    clicked: z.int().min(0).describe('How many recipients followed it'),
    clicks: z.int().min(0).describe('How often they did'),
  })
  .meta({ id: 'BroadcastLink' });

/** Links with values of the recipients can be as many as these. */
const MOST_LINKS = 100;

const HTML = 'text/html; charset=utf-8';
const HEADERS = { 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' };

/** Tracked links: their numbers for the sender, and their short addresses for the recipients. */
export function linkRoutes({ messages, links, shortLinks, followLink, broadcasts }: LinkRoutesServices): Route[] {
  const common = { tag: 'Messages', flag: 'messages', method: 'GET' } as const;
  return [
    route({
      ...common,
      ...{ keyKind: 'any', scope: 'messages:read', ownRows: true },
      path: '/v1/messages/:message_id/links',
      operationId: 'listMessageLinks',
      summary: 'List the tracked links of a message',
      summaryAr: 'عرض الروابط المتتبَّعة في رسالة',
      description: 'Empty for a message without `track_links`.',
      params: z.strictObject({ message_id: idParam('NOT_FOUND') }),
      responses: { 200: { schema: z.strictObject({ data: z.array(link) }), description: 'All of them' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const { message_id } = ctx.params;
        if (!(await messages.get(scopeOf(ctx), message_id))) throw unknownMessage(message_id);
        const rows = await links.ofMessage(message_id);
        const data = rows.map(({ code, url, clicks, previews, first_clicked_at, last_clicked_at }) => ({
          ...{ url, short_url: shortLinks.urlOf(code), clicks, previews },
          ...{ first_clicked_at: isoTime(first_clicked_at), last_clicked_at: isoTime(last_clicked_at) },
        }));
        return { status: 200, body: { data } };
      },
    }),
    route({
      ...common,
      ...{ tag: 'Broadcasts', keyKind: 'any', scope: 'broadcasts:read' },
      path: '/v1/broadcasts/:id/links',
      operationId: 'listBroadcastLinks',
      summary: 'List the tracked links of a broadcast, the most followed ones first',
      summaryAr: 'عرض الروابط المتتبَّعة في حملة، الأكثر فتحًا أولًا',
      description: 'At most 100. Empty for a broadcast without `track_links`.',
      params: z.strictObject({ id: idParam('NOT_FOUND') }),
      responses: { 200: { schema: z.strictObject({ data: z.array(broadcastLink) }), description: 'The links' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const { id } = await broadcasts.read.get(scopeOf(ctx), ctx.params.id);
        const rows = await links.ofBroadcast(id, MOST_LINKS);
        const data = rows.map(({ variant, ...counts }) => ({ ...counts, variant: variantKey(variant) }));
        return { status: 200, body: { data } };
      },
    }),
    route({
      ...common,
      ...{ keyKind: 'none', scope: null },
      path: `${SHORT_LINK_PATH}/:code`,
      operationId: 'followLink',
      summary: 'Open a tracked link',
      summaryAr: 'لمستلمي الرسائل: فتح رابط متتبَّع',
      description:
        'For recipients of messages, not for clients. Leads to the address that the message had, and to no other. Nothing about the person is stored.',
      params: z.strictObject({ code: z.string().describe('Of the short address') }),
      // Networks add parameters of their own to addresses.
      takesAnyQuery: true,
      query: z.looseObject({}),
      responses: {
        302: { schema: z.string(), contentType: HTML, description: 'To where the link leads', example: '' },
        404: { schema: z.string(), contentType: HTML, description: 'A page that says so', example: '<!doctype html>…' },
      },
      errors: [],
      handler: async ({ params: { code }, isPerson }) => {
        // Its address may have letters that a header cannot have.
        const url = await followLink.follow(code, isPerson);
        return url === null
          ? { status: 404, raw: linkGonePage(), contentType: HTML, headers: HEADERS }
          : { status: 302, raw: '', contentType: HTML, headers: { ...HEADERS, Location: new URL(url).href } };
      },
    }),
  ];
}
