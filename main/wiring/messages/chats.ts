import type { Database } from '../../../core/data/database.js';
import { Widgets } from '../../../core/data/repositories/accounts/widgets.js';
import type { Messages } from '../../../core/data/repositories/messaging/messages.js';
import type { QueueVisits } from '../../../core/data/repositories/queues/queue-visits.js';
import { ChatAttendances } from '../../../core/data/repositories/messaging/chat-attendance.js';
import type { Webchats } from '../../../core/data/repositories/messaging/webchats.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { Logger } from '../../../core/ports/logger.js';
import type { Mailer } from '../../../core/ports/mail.js';
import type { ChatSignals } from '../../../core/ports/messaging/chat-signals.js';
import { ProofsOfWork } from '../../../core/services/access/proofs-of-work.js';
import type { RateLimiter } from '../../../core/services/access/rate-limit.js';
import type { ChannelAccess } from '../../../core/services/messaging/channel-access.js';
import type { TakeIncoming } from '../../../core/services/messaging/incoming.js';
import type { SettleMessages } from '../../../core/services/messaging/settle.js';
import type { TakeReceipts } from '../../../core/services/messaging/receipts.js';
import { ChatAssignment } from '../../../core/services/messaging/webchat/assignment.js';
import { AttendChats } from '../../../core/services/messaging/webchat/attend.js';
import { FollowChats } from '../../../core/services/messaging/webchat/follow-chats.js';
import { ReturnChats } from '../../../core/services/messaging/webchat/return-chats.js';
import { RouteChats, type RouteChatsOptions } from '../../../core/services/messaging/webchat/route-chats.js';
import { ChatTranscripts } from '../../../core/services/messaging/webchat/transcript.js';
import { ChatTokens } from '../../../core/services/messaging/webchat/token.js';
import { ChatUpkeep } from '../../../core/services/messaging/webchat/upkeep.js';
import { VisitorChats, type VisitorFiles } from '../../../core/services/messaging/webchat/visitor-chats.js';
import type { CachedDirectory } from '../../../core/services/routing/directory.js';
import type { PeriodicTask } from '../../../core/services/runtime/periodic-task.js';

/** Reads the queues and agents of a project. */
export type QueueView = RouteChatsOptions['queues'];

/** Chats with visitors of web pages. */
export interface Chats {
  readonly rows: Webchats;
  readonly assignment: ChatAssignment;
  readonly transcripts: ChatTranscripts;
  readonly signals: ChatSignals;
  readonly upkeep: PeriodicTask;
  readonly attend: AttendChats;
  /** @param limiter counts for all processes */
  forVisitors(limiter: RateLimiter): VisitorChats;
  /** Listens until it is stopped. */
  openFollowing(): FollowChats;
  /** Offers chats to agents, and gives those back whose agents have left. */
  tasks(of: Pick<RouteChatsOptions, 'queues' | 'chatsPerAgent'>): readonly PeriodicTask[];
}

export interface ChatsOptions {
  readonly stores: {
    readonly db: Database;
    readonly messages: Messages;
    readonly directory: Pick<CachedDirectory, 'project' | 'agentByExtension'>;
    readonly queueVisits: Pick<QueueVisits, 'registered'>;
  };
  readonly files: VisitorFiles;
  readonly mailer: Mailer | null;
  readonly log: Logger;
  readonly chats: Webchats;
  readonly settling: SettleMessages;
  readonly incoming: TakeIncoming;
  readonly receipts: TakeReceipts;
  readonly access: ChannelAccess;
  readonly signals: ChatSignals;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly wake: (lanes: readonly string[]) => void;
}

export function openChats(options: ChatsOptions): Chats {
  const { stores, chats, settling, incoming, receipts, access, signals, cipher, clock, wake, log, files } = options;
  const { messages, directory } = stores;
  const widgets = new Widgets(stores.db);
  const attendances = new ChatAttendances(stores.db);
  const assignment = new ChatAssignment({
    ...{ messages, chats, signals, clock, wake },
    destination: async (widgetId) => {
      const widget = await widgets.find(widgetId);
      return (
        widget && (widget.destination ?? (await directory.project(widget.project_id))?.default_destination ?? null)
      );
    },
  });
  const transcripts = new ChatTranscripts({
    ...{ messages, mailer: options.mailer },
    nameOf: async (projectId, agent) => (await directory.agentByExtension(projectId, agent))?.display_name ?? null,
  });
  return {
    ...{ rows: chats, assignment, transcripts, signals },
    upkeep: new ChatUpkeep({ chats, settling, assignment, clock }),
    attend: new AttendChats({ attendances, clock, log }),
    openFollowing: () => new FollowChats({ chats, signals, clock, log }),
    forVisitors: (limiter) =>
      new VisitorChats({
        ...{ chats, messages, incoming, receipts, assignment, files, transcripts, access, limiter, signals, clock },
        tokens: new ChatTokens(cipher),
        canRing: async (projectId, extension) => {
          const agent = await directory.agentByExtension(projectId, extension);
          return agent !== null && (await stores.queueVisits.registered([agent.aor])).has(agent.aor);
        },
        proofs: new ProofsOfWork(widgets, clock, cipher),
      }),
    tasks: ({ queues, chatsPerAgent }) => [
      new RouteChats({ queues, chatsPerAgent, chats, attendances, assignment, clock, log, wake }),
      new ReturnChats({ queues, attendances, assignment, clock, log }),
    ],
  };
}
