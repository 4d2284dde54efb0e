import { z } from 'zod';
import { CALL_STEPS, VISITOR_STATES } from '../../../core/model/messaging/webchat.js';
import { idOutput } from '../../../core/model/objects/fields.js';
import type { AttendChats } from '../../../core/services/messaging/webchat/attend.js';
import type { ChatNote, FollowChats } from '../../../core/services/messaging/webchat/follow-chats.js';
import { scopeOf } from '../../http/caller.js';
import { OpenStreams, untilLeft } from '../../http/open-streams.js';
import type { StreamEvent } from '../../http/reply.js';
import { route, type Route } from '../../http/route.js';

export interface ChatStreamServices {
  readonly following: Pick<FollowChats, 'follow'>;
  readonly attend: Pick<AttendChats, 'attend'>;
  /** Maximum number of streams that one key or user has open in this process. */
  readonly streamsPerKey: number;
}

const chatNews = z
  .strictObject({
    thread_id: idOutput.optional().describe('Absent in `ready`'),
    state: z.enum(VISITOR_STATES).optional().describe('Of `visitor`'),
    step: z.enum(CALL_STEPS).optional().describe('Of `call`'),
  })
  .meta({ id: 'ChatNews', description: 'In the stream, `event` is the kind of news, and `data` this object.' });

/** What happens in chats while it happens. Listed before the route of one conversation, whose id would match. */
export function chatStreamRoutes({ following, attend, streamsPerKey }: ChatStreamServices): Route[] {
  const streams = new OpenStreams(streamsPerKey);
  return [
    route({
      method: 'GET',
      path: '/v1/messages/threads/stream',
      operationId: 'followChats',
      summary: 'Follow chats live',
      summaryAr: 'متابعة المحادثات مباشرة',
      description:
        'Server-sent events for pages of agents: `ready`, `changed` (status or agent), `messages`, `gone` (the caller does not see the conversation any more), `visitor` (`online`, `away`, `gone`), `typing` (by the visitor) and `call` (`proposed`, `accepted`, `declined`). They are hints and are not stored: read the conversation, and read all again after `ready`. While a member with an extension follows, the agent counts as there; chats of an agent who has left go to another one.',
      tag: 'Messages',
      keyKind: 'any',
      flag: 'messages',
      scope: 'messages:read',
      ownRows: true,
      responses: {
        200: {
          schema: chatNews,
          description: 'The stream',
          contentType: 'text/event-stream',
          example:
            'event: ready\ndata: {}\n\nevent: typing\ndata: {"thread_id":"01934f7a-6f70-7182-9d34-2e1f0a9b8c74"}\n\n',
        },
      },
      errors: ['EVENT_STREAM_LIMIT_EXCEEDED'],
      handler: async ({ caller, signal }) => {
        const leave = streams.enter(caller.id, signal);
        const { user, projectId, sandbox } = caller;
        const agent = user?.agent ?? null;
        if (user && agent !== null && !user.impersonated && !sandbox)
          await attend.attend({ projectId, agent, sessionId: user.sessionId }, signal);
        return { status: 200, events: untilLeft(following.follow(scopeOf({ caller }), signal), newsOf, leave) };
      },
    }),
  ];
}

function newsOf({ type, ...note }: ChatNote): StreamEvent {
  const { threadId, ...more } = { threadId: undefined, ...note };
  return { event: type, data: { ...(threadId !== undefined && { thread_id: threadId }), ...more } };
}
