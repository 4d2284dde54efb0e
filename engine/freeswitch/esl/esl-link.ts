import type { Clock } from '../../../core/ports/clock.js';
import type { Logger } from '../../../core/ports/logger.js';
import {
  SupervisedLink,
  type EngineInstance,
  type LinkHandlers,
  type LinkListener,
  type LinkTiming,
} from '../../common/supervised-link.js';
import { openEsl, type EslEvent, type EslOptions, type EslSocket } from './esl-connection.js';

/** The events in use. FreeSWITCH drops a listener that falls 500 events behind. */
const CALL_EVENTS = [
  ...['CHANNEL_ORIGINATE', 'CHANNEL_PARK', 'CHANNEL_PROGRESS', 'CHANNEL_PROGRESS_MEDIA', 'CHANNEL_ANSWER'],
  ...['CHANNEL_BRIDGE', 'CHANNEL_HOLD', 'CHANNEL_UNHOLD', 'CHANNEL_HANGUP_COMPLETE'],
  ...['DTMF', 'RECORD_STOP', 'BACKGROUND_JOB'],
  // Of the quality of the audio: each live leg sends one of each every five seconds.
  ...['SEND_RTCP_MESSAGE', 'RECV_RTCP_MESSAGE'],
];
/** A dialplan application fires both, with all variables of its channel: each call runs several, and only these matter. */
const APPLICATION_EVENTS = ['CHANNEL_EXECUTE', 'CHANNEL_EXECUTE_COMPLETE'];
const APPLICATIONS = ['playback', 'endless_playback', 'eavesdrop'];
const SOFIA_EVENTS = ['sofia::register', 'sofia::unregister', 'sofia::expire', 'sofia::error', 'sofia::reinvite'];
const CONFERENCE_EVENT = 'conference::maintenance';
const CONFERENCE_ACTIONS = ['add-member', 'play-file', 'play-file-done'];

/** FreeSWITCH takes every name after the word CUSTOM for a subclass. */
const SUBSCRIPTION = [...CALL_EVENTS, ...APPLICATION_EVENTS, 'CUSTOM', ...SOFIA_EVENTS, CONFERENCE_EVENT].join(' ');
/** FreeSWITCH sends an event only if one of its headers has one of these values. */
const FILTERS = [
  ...CALL_EVENTS.map((name) => `Event-Name ${name}`),
  ...APPLICATIONS.map((name) => `Application ${name}`),
  ...SOFIA_EVENTS.map((name) => `Event-Subclass ${name}`),
  ...CONFERENCE_ACTIONS.map((name) => `Action ${name}`),
];

/** The supervised event socket connection to FreeSWITCH. */
export class EslLink extends SupervisedLink<EslSocket, EngineInstance, EslEvent> {
  constructor(
    private readonly options: EslOptions & LinkTiming,
    handlers: LinkHandlers<EngineInstance, EslEvent>,
    clock: Clock,
    log: Logger,
  ) {
    super('FreeSWITCH', options, handlers, clock, log);
  }

  /** Sends an API command. @throws EngineError */
  async api(command: string): Promise<string> {
    return this.socket.api(command);
  }

  /** Runs a command in the background; BACKGROUND_JOB with this id reports its result. @throws EngineError */
  async background(jobId: string, command: string): Promise<void> {
    await this.socket.command(`bgapi ${command}`, { 'Job-UUID': jobId });
  }

  /** Queues a dialplan application on a channel, after those sent before. @throws EngineError */
  async execute(channelId: string, eventId: string, application: string, argument: string): Promise<void> {
    await this.socket.command(`sendmsg ${channelId}`, {
      'call-command': 'execute',
      'execute-app-name': application,
      'execute-app-arg': argument,
      'event-lock': 'true',
      'Event-UUID': eventId,
    });
  }

  /** Fires an event for FreeSWITCH's modules. @throws EngineError */
  async send(event: string, headers: Readonly<Record<string, string>>): Promise<void> {
    await this.socket.command(`sendevent ${event}`, headers);
  }

  protected override open(listener: LinkListener<EslEvent>): Promise<EslSocket> {
    return openEsl(this.options, listener);
  }

  protected override async subscribe(socket: EslSocket): Promise<EngineInstance> {
    await Promise.all(FILTERS.map((filter) => socket.command(`filter ${filter}`)));
    await socket.command(`event json ${SUBSCRIPTION}`);
    return {
      bootId: await socket.api('global_getvar core_uuid'),
      version: versionOf(await socket.api('version')),
    };
  }

  protected override ping(socket: EslSocket): Promise<unknown> {
    return socket.api('global_getvar core_uuid');
  }
}

/** `FreeSWITCH Version 1.10.12-release~64bit ( 64bit)` */
function versionOf(text: string): string {
  return /Version ([^\s~]+)/.exec(text)?.[1] ?? text.trim();
}
