import type { Redis } from 'ioredis';
import type { Clock } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import { Onward } from '../core/services/live-calls/routing/onward.js';
import type { Prompts } from '../core/services/call-state/program.js';
import { QueueDesk, type QueueObserver } from '../core/services/queues/coordinator.js';
import { QueueFloor } from '../core/services/live-calls/queues/queue-call-bridge.js';
import { SignIn } from '../core/services/queues/sign-in.js';
import { QueueTeller } from '../core/services/queues/agent-events.js';
import { QueueWatch } from '../core/services/queues/watch.js';
import { RecordingConsent } from '../core/services/recordings/consent.js';
import type { VoicemailDesk } from '../core/services/voicemail/box-lookup.js';
import type { Stores } from './stores.js';

/** On which processes tell each other that a project's queues have gone on. */
export const QUEUE_CHANNEL = 'hatif:queues';

/** Agents and queues in this process. */
export interface Queueing {
  readonly desk: QueueDesk;
  readonly floor: QueueFloor;
  readonly signIn: SignIn;
  readonly watch: QueueWatch;
  /** What customers are told before they are recorded. */
  readonly consent: RecordingConsent;
  /** Another process told of a project. */
  heard(projectId: string): void;
  stop(): Promise<void>;
}

export interface QueueingOptions {
  readonly stores: Stores;
  readonly redis: Redis;
  readonly prompts: Prompts;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: QueueObserver;
  readonly boxes: Pick<VoicemailDesk, 'open'>;
  /** Whether this process serves calls: it looks after time and agents then. */
  readonly serves: boolean;
}

export function openQueueing(options: QueueingOptions): Queueing {
  const { stores, redis, prompts, clock, log: logger, serves, observer, boxes } = options;
  const { agents, directory, queues, queueLog: log, queueVisits: visits, writer } = stores;
  const desk = new QueueDesk({
    log,
    teller: new QueueTeller((queueId) => directory.queue(queueId), clock),
    clock,
    logger,
    wake: (projectId) => void redis.publish(QUEUE_CHANNEL, projectId).catch(() => undefined),
    onLanes: (lanes) => writer.tellLanes(lanes),
    observer,
  });
  const consent = new RecordingConsent({
    project: (projectId) => directory.project(projectId),
    say: (text, language) => prompts.say(text, language),
  });
  const floor = new QueueFloor({
    desk,
    queue: (queueId) => directory.queue(queueId),
    visits,
    announcement: (projectId) => consent.announcement(projectId),
    onward: new Onward({ directory, boxes }),
    clock,
    logger,
  });
  const watch = new QueueWatch({
    desk,
    log,
    visits,
    agentByAor: (aor) => directory.agentByAor(aor),
    agentsOf: (projectId) => agents.listByProject(projectId),
    clock,
    logger,
  });
  if (serves) {
    desk.startTicking();
    watch.start();
  }
  return {
    desk,
    floor,
    signIn: new SignIn({ desk, agents, queues, visits }),
    watch,
    consent,
    heard(projectId) {
      if (desk.known(projectId) === null) return;
      desk.view(projectId).catch((error: unknown) => logger.warn({ err: error }, 'a queue could not be read'));
    },
    async stop() {
      await watch.stop();
      floor.stop();
      await desk.stop();
    },
  };
}
