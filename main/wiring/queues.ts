import type { Redis } from 'ioredis';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { ManageForwarding } from '../../core/services/agents/forwarding.js';
import { ForwardingByPhone } from '../../core/services/agents/forwarding-by-phone.js';
import { BlockingByPhone } from '../../core/services/blocked-callers/by-phone.js';
import type { ManageBlockedCallers } from '../../core/services/blocked-callers/manage.js';
import { OnwardRouter } from '../../core/services/live-calls/routing/onward.js';
import type { Prompts } from '../../core/services/call-state/program.js';
import { QueueCoordinator, type QueueObserver } from '../../core/services/queues/coordinator.js';
import { QueueCallBridge } from '../../core/services/live-calls/queues/queue-call-bridge.js';
import { agentChangeReporter } from '../../core/services/queues/facts.js';
import { SignIn } from '../../core/services/queues/sign-in.js';
import { QueueAgentEvents } from '../../core/services/queues/agent-events.js';
import { QueueWatch } from '../../core/services/queues/watch.js';
import { RecordingConsent } from '../../core/services/recordings/consent.js';
import type { VoicemailBoxLookup } from '../../core/services/voicemail/box-lookup.js';
import type { AgentCodeServices } from '../../ivr/programs/agent-code.js';
import type { Stores } from './stores.js';

/** Redis channel on which processes notify each other of changes in a project's queues. */
export const QUEUE_CHANNEL = 'hatif:queues';

/** Agents and queues in this process. */
export interface Queueing {
  readonly coordinator: QueueCoordinator;
  readonly callBridge: QueueCallBridge;
  readonly signIn: SignIn;
  /** What agents change by feature codes. */
  readonly agentCodes: AgentCodeServices;
  readonly watch: QueueWatch;
  /** The announcement before a recording. */
  readonly consent: RecordingConsent;
  /** Must be called when another process announced a change in the project's queues. */
  heard(projectId: string): void;
  /** Starts the queue decisions and the tracking of agents' phones; for a process that serves calls. */
  start(): void;
  stop(): Promise<void>;
}

export interface QueueingOptions {
  readonly stores: Stores;
  readonly redis: Redis;
  readonly prompts: Prompts;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: QueueObserver;
  readonly boxes: Pick<VoicemailBoxLookup, 'open'>;
  readonly blockedCallers: ManageBlockedCallers;
  readonly forwarding: ManageForwarding;
  readonly emergency: ReadonlySet<string>;
}

export function openQueueing(options: QueueingOptions): Queueing {
  const { stores, redis, prompts, clock, log: logger, observer, boxes, blockedCallers } = options;
  const { agents, calls, directory, queues, queueLog: log, queueVisits: visits, writer } = stores;
  const coordinator = new QueueCoordinator({
    log,
    agentEvents: new QueueAgentEvents({
      queue: (queueId) => directory.queue(queueId),
      project: (projectId) => directory.project(projectId),
      clock,
    }),
    clock,
    logger,
    wake: (projectId) => void redis.publish(QUEUE_CHANNEL, projectId).catch(() => undefined),
    onLanes: (lanes) => writer.notifyLanes(lanes),
    observer,
  });
  const consent = new RecordingConsent({
    project: (projectId) => directory.project(projectId),
    synthesize: (text, language) => prompts.say(text, language),
  });
  const callBridge = new QueueCallBridge({
    coordinator,
    queue: (queueId) => directory.queue(queueId),
    visits,
    announcement: (projectId) => consent.announcement(projectId),
    onward: new OnwardRouter({ directory, boxes }),
    clock,
    logger,
  });
  const watch = new QueueWatch({
    coordinator,
    log,
    visits,
    agentByAor: (aor) => directory.agentByAor(aor),
    agentsOf: (projectId) => agents.listByProject(projectId),
    clock,
    logger,
  });
  const signIn = new SignIn({ coordinator, agents, queues, visits });
  return {
    coordinator,
    callBridge,
    signIn,
    agentCodes: {
      signIn,
      blocking: new BlockingByPhone({ calls, blockedCallers, clock }),
      forwarding: new ForwardingByPhone({
        manage: options.forwarding,
        emergency: options.emergency,
        reportChange: agentChangeReporter(coordinator),
      }),
      languages: (projectId) => consent.languages(projectId),
    },
    watch,
    consent,
    heard(projectId) {
      if (coordinator.known(projectId) === null) return;
      coordinator.view(projectId).catch((error: unknown) => logger.warn({ err: error }, 'a queue could not be read'));
    },
    start() {
      coordinator.startTicking();
      watch.start();
    },
    async stop() {
      await watch.stop();
      callBridge.stop();
      await coordinator.stop();
    },
  };
}
